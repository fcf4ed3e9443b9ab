"""What CuPy has for CUDA alone. One table: names, why they make no sense here, and what to use instead."""
import types

_KERNELS = ('these devices run no CUDA C++', 'use array expressions, ufuncs, or cupy.vectorize')
_TEXTURES = ('these devices have no textures', 'use indexing with arrays, or interpolation functions')
_GRAPHS = ('there are no graphs of captured work here', 'launches are queued without waiting as they are')
_NCCL = ('NCCL needs NVIDIA devices', 'use a communication library made for the devices at hand')
_LIBRARIES = ('there is no such library here', 'cupy.linalg, cupy.fft, cupy.random and cupy.matmul do its work')
_PROCESSES = ('memory and events are not shared between processes here', 'send arrays through the host')
_POOLS = ('the device has no memory pools of its own', 'use cupy.cuda.MemoryPool, which is ordered on streams')
_ARRAYS = ('these devices have no CUDA arrays', 'use cupy.ndarray and memcpy2D')
_PCI = ('devices have no PCI bus id here', 'name devices by number')
_TELL = ('the runtime at hand does not tell', 'see Device.attributes and the attributes of Stream')

# Modules of which no name exists.
MODULES = {
    'cub': _LIBRARIES, 'cublas': _LIBRARIES, 'cufft': _LIBRARIES, 'curand': _LIBRARIES, 'cusolver': _LIBRARIES, 'cusparse': _LIBRARIES,
    'cutensor': _LIBRARIES, 'thrust': _LIBRARIES, 'driver': _KERNELS, 'jitify': _KERNELS, 'nvrtc': _KERNELS, 'common': _KERNELS,
}

# (module, names, (reason, way out))
NAMES = (
    ('', 'Function Module', _KERNELS),
    ('', 'Graph', _GRAPHS),
    ('', 'get_cublas_handle', _LIBRARIES),
    ('compiler', 'compile_using_nvcc compile_using_nvrtc compile_using_hipcc', _KERNELS),
    ('function', 'Function Module LinkState CIntptr CNumpyArray CPointer CUIntMax', _KERNELS),
    ('graph', 'Graph', _GRAPHS),
    ('texture', 'CUDAarray ChannelFormatDescriptor ResourceDescriptor SurfaceObject TextureDescriptor TextureObject', _TEXTURES),
    ('nccl', 'ERROR1 ERROR2 NcclCommunicator NcclConfig NcclError check_status get_build_version get_unique_id get_version groupEnd '
             'groupStart', _NCCL),
    ('device', 'Handle get_cublas_handle get_cusolver_handle get_cusolver_sp_handle get_cusparse_handle get_cutensor_handle from_pointer',
     _LIBRARIES),
    ('runtime', 'createSurfaceObject createTextureObject destroySurfaceObject destroyTextureObject', _TEXTURES),
    ('runtime', 'mallocArray malloc3DArray freeArray memcpy2DFromArray memcpy2DFromArrayAsync memcpy2DToArray memcpy2DToArrayAsync '
                'memcpy3D memcpy3DAsync', _ARRAYS),
    ('runtime', 'graphDebugDotPrint graphDestroy graphExecDestroy graphInstantiate graphLaunch graphUpload streamBeginCapture '
                'streamEndCapture', _GRAPHS),
    ('runtime', 'ipcCloseMemHandle ipcGetEventHandle ipcGetMemHandle ipcOpenEventHandle ipcOpenMemHandle', _PROCESSES),
    ('runtime', 'deviceGetDefaultMemPool deviceGetMemPool deviceSetMemPool mallocFromPoolAsync memPoolCreate memPoolDestroy '
                'memPoolGetAttribute memPoolSetAttribute memPoolTrimTo MemPoolProps', _POOLS),
    ('runtime', 'deviceGetByPCIBusId deviceGetPCIBusId', _PCI),
    ('runtime', 'deviceGetLimit deviceSetLimit hostRegister hostUnregister pointerGetAttributes pointerGetMemoryType PointerAttributes '
                'streamGetFlags streamGetPriority', _TELL),
)


class MissingName(NotImplementedError, AttributeError):
    """A name of a module that has nothing here."""


def _message(name, why):
    return f'{name} is not available: {why[0]}; {why[1]}'


def _stub(name, why):
    """A class or function that says so when it is used; it can be imported and named in isinstance()."""
    def refuse(cls, *args, **kwargs):
        raise NotImplementedError(_message(name, why))
    short = name.rsplit('.', 1)[1]
    return type(short, (), {'__new__': refuse, '__module__': name.rsplit('.', 1)[0], '__doc__': _message(name, why)})


def fill(module):
    """Puts the table's names into a module of cupy.cuda, where they are not there already."""
    short = module.__name__[len('cupy.cuda'):].lstrip('.')
    for owner, names, why in NAMES:
        if owner == short:
            for name in names.split():
                module.__dict__.setdefault(name, _stub(f'{module.__name__}.{name}', why))
    return module


def missing_module(name):
    """A module of which any name raises."""
    module = types.ModuleType(f'cupy.cuda.{name}', _message(f'cupy.cuda.{name}', MODULES[name]))

    def find(attribute):
        if attribute.startswith('__'):
            raise AttributeError(attribute)
        raise MissingName(_message(f'cupy.cuda.{name}.{attribute}', MODULES[name]))
    module.__getattr__ = find
    module.available = False
    return module
