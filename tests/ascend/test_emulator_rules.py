"""The emulator reports each broken rule: a C program that uses only CANN's names; its prototypes are CANN's and the backend's."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
import emulator  # noqa: E402

HERE = pathlib.Path(__file__).parent
SOURCES = ['rules.c', 'rules_runtime.c', 'rules_operators.c']
ROOT = HERE.parent.parent
ASCEND = ROOT / 'cupy_backends' / 'ascend'
LIBRARIES = ['acl_rt', 'nnopbase', 'opapi_math', 'opapi_nn', 'emu_core']

pytestmark = pytest.mark.skipif(not emulator.available() or not shutil.which('gcc'), reason='needs the emulator and a C compiler')


def case_names():
    text = ''.join((HERE / name).read_text() for name in SOURCES)
    return re.findall(r'CASE\((\w+), ', text)


@pytest.fixture(scope='session')
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp('rules') / 'rules'
    flags = [f'-L{emulator.LIB}', *(f'-l{name}' for name in LIBRARIES), f'-Wl,-rpath,{emulator.LIB}', '-lpthread']
    sources = [str(HERE / name) for name in SOURCES]
    subprocess.run(['gcc', '-std=c11', '-Wall', '-Wextra', '-Werror', '-g', *sources, '-o', str(path), *flags], check=True)
    return path


def run(program, name, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(('CUPY_ASCEND_EMULATOR', 'ASCEND_RT'))}
    done = subprocess.run([str(program), name], capture_output=True, text=True, timeout=60, env={**clean, **environment})
    assert done.returncode == 0, f'status {done.returncode}\n{done.stdout}{done.stderr}'


@pytest.mark.parametrize('name', case_names())
def test_rule(program, name):
    run(program, name)


@pytest.mark.parametrize('name', ['repeatable_executor', 'event_orders_streams', 'pageable_copy_waits', 'addresses_of_a_list'])
@pytest.mark.parametrize('seed', ['1', '2', '3'])
def test_rule_with_seed(program, name, seed):
    run(program, name, CUPY_ASCEND_EMULATOR_SEED=seed)


def test_injection_by_environment(program):
    with pytest.raises(AssertionError, match='207001'):
        run(program, 'repeatable_executor', CUPY_ASCEND_EMULATOR_INJECT='aclrtMalloc:2:207001')


def test_trace_by_environment(program, tmp_path):
    path = tmp_path / 'trace.txt'
    run(program, 'repeatable_executor', CUPY_ASCEND_EMULATOR_TRACE=str(path))
    lines = path.read_text().splitlines()
    assert sum(line.endswith(' aclnnAdd') for line in lines) == 2
    assert sum(line.endswith(' aclnnAddGetWorkspaceSize') for line in lines) == 1
    assert any('Add FLOAT[8] FLOAT[8] FLOAT[8]' in line for line in lines)


# --- prototypes ---

def normal(argument):
    """A parameter's type without its name, in one spelling."""
    text = re.sub(r'\s+', ' ', argument.strip())
    match = re.fullmatch(r'((?:const )?\w+(?: ?\*(?: ?const)?)*?) ?(\w*)', text)
    kind = match.group(1) if match and ('*' in text or match.group(2)) else text
    kind = re.sub(r' ?\* ?', '*', kind).replace('*const*', '*const *').strip()
    if '*' not in kind:
        kind = kind.replace('const ', '')  # means nothing to a caller
    return kind


def split(text):
    return [normal(part) for part in text.split(',') if part.strip() not in ('', 'void')]


def rows_of(path, macro):
    text = re.sub(r'/\*.*?\*/', '', path.read_text(), flags=re.S)
    return [re.sub(r'\s+', ' ', body) for body in re.findall(rf'^{macro}\(((?:[^()]|\([^()]*\))*)\)', text, re.M)]


@pytest.fixture(scope='session')
def emulated():
    """{name: (result, argument types)} of all that the emulator exports, as the preprocessor leaves it."""
    found = {}
    for path in sorted((ASCEND / 'emulator').glob('*.cpp')):
        text = subprocess.run(['g++', '-std=c++17', '-E', '-P', str(path)], check=True, capture_output=True, text=True).stdout
        pattern = r'extern "C" __attribute__\(\(visibility\("default"\)\)\) ([\w ]+?[ *]+)(\w+)\(([^()]*)\)\s*\{'
        for result, name, arguments in re.findall(pattern, text):
            found[name] = (normal(result + ' x'), split(arguments))
    return found


def test_runtime_prototypes(emulated):
    rows = rows_of(ASCEND / 'acl_functions.def', 'ACL_API')
    assert len(rows) > 70
    for row in rows:
        result, name, *arguments = row.split(',')
        name = name.strip()
        assert name in emulated, f'the emulator lacks {name}'
        assert emulated[name] == (normal(result + ' x'), split(','.join(arguments))), name


def test_operator_prototypes(emulated):
    rows = rows_of(ASCEND / 'aclnn_functions.def', 'ACLNN_OP')
    assert len(rows) > 140
    missing = []
    for row in rows:
        name, *arguments = row.split(',')
        one, two = f'aclnn{name}GetWorkspaceSize', f'aclnn{name}'
        if one not in emulated:
            missing.append(name)
            continue
        expected = split(','.join(arguments)) + ['uint64_t*', 'aclOpExecutor**']
        assert emulated[one] == ('aclnnStatus', expected), name
        assert emulated[two] == ('aclnnStatus', ['void*', 'uint64_t', 'aclOpExecutor*', 'aclrtStream']), name
    assert not missing, f'the emulator lacks {missing}'


def test_sip_prototypes(emulated):
    """C functions as above; the C++ ones carry their types in their names, which must be there and have as many arguments."""
    library = ctypes.CDLL(str(emulator.LIB / 'libasdsip.so'))
    for row in rows_of(ASCEND / 'asdsip_functions.def', 'ASDSIP_API'):
        name, symbol, *arguments = row.split(',')
        symbol = symbol.strip().strip('"')
        assert hasattr(library, symbol), f'the emulator lacks {symbol}'
        if symbol == name:
            assert emulated[name] == ('int32_t', split(','.join(arguments))), name
        elif shutil.which('c++filt'):
            plain = subprocess.run(['c++filt', symbol], check=True, capture_output=True, text=True).stdout.strip()
            inner = plain[plain.index('(') + 1:-1]
            assert len(re.sub('<.*?>', '', inner).split(',')) == len(arguments), plain


def test_no_common_source():
    """The emulator and the backend include nothing of each other."""
    for folder, other in ((ASCEND, ASCEND / 'emulator'), (ASCEND / 'emulator', ASCEND)):
        theirs = {path.name for path in other.iterdir() if path.suffix in ('.h', '.def', '.inc')}
        own = {path.name for path in folder.iterdir() if path.suffix in ('.h', '.def', '.inc')}
        for path in folder.iterdir():
            if path.suffix not in ('.h', '.cpp'):
                continue
            for name in re.findall(r'#include "(.*)"', path.read_text()):
                assert 'emulator' not in name and '..' not in name, path
                assert name in own or name not in theirs, f'{path} includes {name}'
