#!/bin/bash
# Builds the C++ driver of tests/cpp with sanitizers and runs its cases: memory pool, thread pool, host kernels, dispatch.
#
#   install/sanitize.sh [address|undefined|thread|plain ...]    (default: the first three)
#
# CXX: the compiler. BUILD: where objects go (default: build/sanitize). Prints the number of cases of each run; fails on any report.
set -u
cd "$(dirname "$0")/.."
CXX=${CXX:-g++}
BUILD=${BUILD:-build/sanitize}
JOBS=${JOBS:-$(nproc)}
kinds=("$@")
[ ${#kinds[@]} -eq 0 ] && kinds=(address undefined thread)

sources() {
    ls tests/cpp/driver.cpp tests/cpp/cases_*.cpp tests/cpp/stub/*.cpp tests/backend/counting_backend.cpp
    ls cupy_backends/backend/*.cpp | grep -v /module.cpp   # module.cpp and loops.cpp are all that needs Python
    ls cupy_backends/host/*.cpp | grep -v /loops.cpp
}

flags_of() {
    case $1 in
        # loads of unaligned elements are made by way of memcpy; -O1 keeps reports readable
        address) echo "-fsanitize=address -fno-omit-frame-pointer -O1" ;;
        undefined) echo "-fsanitize=undefined -fno-sanitize-recover=undefined -O1" ;;
        thread) echo "-fsanitize=thread -O1" ;;
        plain) echo "-O2" ;;
        *) echo "unknown sanitizer: $1" >&2; exit 2 ;;
    esac
}

export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=die_after_fork=0:halt_on_error=1
export CUPY_HOST_THREADS=${CUPY_HOST_THREADS:-4}
list=$(sources)
failed=0
for kind in "${kinds[@]}"; do
    flags=$(flags_of "$kind") || exit 2
    out=$BUILD/$kind
    mkdir -p "$out"
    compile="$CXX -std=c++17 -g1 -fno-strict-aliasing -pthread -Wno-trigraphs $flags"
    compile+=" -Itests/cpp/stub -Icupy_backends/backend -Icupy_backends/host"
    echo "$list" | while read -r source; do
        object=$out/$(echo "$source" | tr / _).o
        newer=$(find cupy_backends tests/cpp "$source" -newer "$object" \( -name '*.h' -o -name '*.def' -o -path "$source" \) 2>/dev/null)
        if [ ! -e "$object" ] || [ -n "$newer" ]; then
            echo "$source $object"
        fi
    done | xargs -r -P "$JOBS" -L 1 bash -c "$compile -c \$0 -o \$1" || exit 1
    objects=$(echo "$list" | while read -r source; do echo "$out/$(echo "$source" | tr / _).o"; done)
    $CXX $flags $objects -o "$out/driver" -pthread -ldl || exit 1
    for backend in host counting; do
        echo "== $kind sanitizer, $backend backend"
        timeout 600 "$out/driver" $backend || failed=1
    done
done
[ $failed = 0 ] && echo "all clean"
exit $failed
