"""Builds the extension modules. An object is compiled again only when its source, a header it includes or its flags changed."""
import functools
import hashlib
import os
import shlex
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDES = ['cupy_backends/backend', numpy.get_include()]
CXX_FLAGS = ['-std=c++17', '-O3', '-g1', '-fvisibility=hidden', '-fno-strict-aliasing', '-pthread', '-Wall', '-Wno-unused-function',
             '-Wno-maybe-uninitialized', '-Wno-trigraphs']
CYTHON_FLAGS = ['-O2', '-fno-strict-aliasing', '-Wno-unused-function', '-Wno-trigraphs', '-Wno-maybe-uninitialized']
EMULATOR = 'cupy_backends/ascend/emulator'
EMULATOR_FLAGS = ['-std=c++17', '-O1', '-g1', '-fno-strict-aliasing', '-pthread', '-Wall', '-fPIC']
EMULATED_LIBRARIES = ['libacl_rt.so', 'libascendcl.so', 'libnnopbase.so', 'libopapi_math.so', 'libopapi_nn.so', 'libasdsip.so']
MACROS = [('NPY_NO_DEPRECATED_API', 'NPY_2_0_API_VERSION'), ('NPY_TARGET_VERSION', 'NPY_1_25_API_VERSION')]


def sources(folder):
    return sorted(f'{folder}/{f}' for f in os.listdir(os.path.join(HERE, folder)) if f.endswith('.cpp') and not f.startswith('_'))


def headers(*folders):
    return [f'{folder}/{f}' for folder in folders for f in sorted(os.listdir(os.path.join(HERE, folder))) if f.endswith(('.h', '.def'))]


def cxx_extension(name, folder):
    """An extension written by hand in C++: all .cpp files of its folder."""
    return Extension(name, sources(folder), include_dirs=INCLUDES + [folder], define_macros=MACROS, extra_compile_args=CXX_FLAGS,
                     extra_link_args=['-pthread', '-ldl'], depends=headers('cupy_backends/backend', folder), language='c++')


def cython_extensions():
    found = []
    for folder in ('cupy/_core', 'cupy/xpu'):
        for f in sorted(os.listdir(os.path.join(HERE, folder))):
            if f.endswith('.pyx'):
                name = f'{folder}/{f[:-4]}'.replace('/', '.')
                found.append(Extension(name, [f'{folder}/{f}'], include_dirs=INCLUDES, define_macros=MACROS,
                                       extra_compile_args=CYTHON_FLAGS))
    directives = {'language_level': 3, 'boundscheck': False, 'wraparound': False, 'cdivision': True, 'initializedcheck': False,
                  'embedsignature': True, 'freethreading_compatible': False}
    return cythonize(found, compiler_directives=directives, annotate=bool(os.environ.get('CUPY_CYTHON_ANNOTATE')))


def read_dependencies(path):
    with open(path) as f:
        return shlex.split(f.read().replace('\\\n', ' ').split(':', 1)[1])


def newer_than(target, sources):
    return os.path.exists(target) and all(os.path.getmtime(target) >= os.path.getmtime(s) for s in sources)


def replace_file(source, target):
    """Copies beside the target and renames: a process that runs the old library keeps it."""
    shutil.copy2(source, f'{target}.new')
    os.replace(f'{target}.new', target)


class BuildExt(build_ext):
    """Compiles objects in parallel and skips those that are newer than all they were made from."""

    def build_extensions(self):
        original = self.compiler.compile

        def compile_objects(sources, output_dir=None, macros=None, include_dirs=None, debug=0, extra_preargs=None, extra_postargs=None,
                            depends=None):
            flags = (macros, extra_postargs, sys.version, getattr(self.compiler, 'compiler_so', None))
            stamp = hashlib.sha1(repr(flags).encode()).hexdigest()

            def one(source):
                obj = self.compiler.object_filenames([source], 0, output_dir)[0]
                dep, key = obj + '.d', obj + '.key'
                if os.path.exists(obj) and os.path.exists(dep) and os.path.exists(key) and open(key).read() == stamp:
                    made = os.path.getmtime(obj)
                    if all(os.path.exists(d) and os.path.getmtime(d) <= made for d in read_dependencies(dep)):
                        return obj
                original([source], output_dir, macros, include_dirs, debug, extra_preargs, extra_postargs + ['-MMD', '-MF', dep], depends)
                with open(key, 'w') as f:
                    f.write(stamp)
                return obj

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                return list(pool.map(one, sources))

        self.compiler.compile = compile_objects
        self.parallel = os.cpu_count()
        super().build_extensions()

    def run(self):
        super().run()
        self.build_emulator()

    def build_emulator(self):
        """Shared libraries with CANN's names: all code in libemu_core.so, the others only lead to it."""
        code = sources(EMULATOR)
        if not code:
            return
        made = os.path.join(self.build_lib, EMULATOR, 'lib')
        link = functools.partial(self.compiler.link, 'shared_library', target_lang='c++')
        # one call of the compiler's own `compile`: skips what is up to date, as for the extensions
        objects = self.compiler.compile(code, self.build_temp, [], [EMULATOR], 0, None, EMULATOR_FLAGS, headers(EMULATOR))
        core = os.path.join(made, 'libemu_core.so')
        if not newer_than(core, objects):
            os.makedirs(made, exist_ok=True)
            link(objects, core, extra_postargs=['-pthread', '-ldl', '-Wl,-soname,libemu_core.so'])
            nothing = self.compiler.compile([f'{EMULATOR}/thin/library.cpp'], self.build_temp, [], [], 0, None, ['-fPIC'], [])
            for name in EMULATED_LIBRARIES:
                link(nothing, os.path.join(made, name),
                     extra_postargs=['-Wl,--no-as-needed', core, '-Wl,-rpath,$ORIGIN', f'-Wl,-soname,{name}'])
        if self.inplace or getattr(self, 'editable_mode', False):
            shutil.copytree(made, os.path.join(HERE, EMULATOR, 'lib'), copy_function=replace_file, dirs_exist_ok=True)


if os.environ.get('CUPY_INSTALL_USE_ASCEND'):
    print('CUPY_INSTALL_USE_ASCEND is no longer needed: one build serves every machine, CANN is found at run time.', file=sys.stderr)

setup(
    ext_modules=[cxx_extension('cupy_backends.backend._runtime', 'cupy_backends/backend'),
                 cxx_extension('cupy_backends.host._host', 'cupy_backends/host'),
                 cxx_extension('cupy_backends.ascend._ascend', 'cupy_backends/ascend')] + cython_extensions(),
    cmdclass={'build_ext': BuildExt},
)
