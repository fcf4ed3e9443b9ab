#!/usr/bin/env bash
# Removes what builds, tests and tools generated in this folder: extension modules, Cython's C and C++ files, objects, caches.
# Virtual environments inside the folder are left alone, and so is every file of the project.
set -euo pipefail
cd "$(dirname "$0")"

# Directories to stay out of: git's, and those that hold a virtual environment.
skip=(-type d '(' -name .git -o -exec test -e '{}/pyvenv.cfg' ';' ')' -prune)

rm -rf build dist
find . "${skip[@]}" -o -type d '(' -name __pycache__ -o -name '*.egg-info' -o -name .pytest_cache -o -name .hypothesis \
    -o -name .ruff_cache -o -name .benchmarks ')' -prune -exec rm -rf '{}' +
find . "${skip[@]}" -o -type f '(' -name '*.so' -o -name '*.o' -o -name '*.py[co]' ')' -exec rm -f '{}' +
find . "${skip[@]}" -o -type f -name '*.pyx' -print0 | while IFS= read -r -d '' source; do
    rm -f "${source%.pyx}".{c,cpp,html}
done
