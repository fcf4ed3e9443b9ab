/* The objects that a client makes: tensors, scalars, arrays, lists. */
#include <unordered_set>

#include "internal.h"

namespace emu {
namespace {

struct Objects {
    std::mutex lock;
    std::unordered_set<const void *> live;
    std::deque<EmuObject *> retired;
};
Objects &objects()
{
    static Objects &made = *new Objects;
    return made;
}
constexpr size_t kRetired = 8192;

} // namespace

void add_object(EmuObject *object, const char *kind)
{
    object->kind = kind;
    {
        std::lock_guard<std::mutex> hold(objects().lock);
        objects().live.insert(object);
    }
    count_object(kind, 1);
}

bool is_live(const void *object)
{
    std::lock_guard<std::mutex> hold(objects().lock);
    return objects().live.count(object) != 0;
}

void retire_object(EmuObject *object)
{
    count_object(object->kind, -1);
    EmuObject *oldest = nullptr;
    {
        std::lock_guard<std::mutex> hold(objects().lock);
        objects().live.erase(object);
        objects().retired.push_back(object);
        if (objects().retired.size() > kRetired) {
            oldest = objects().retired.front();
            objects().retired.pop_front();
        }
    }
    delete oldest;
}

void hold_objects(const std::vector<EmuObject *> &held, int holders, int keepers)
{
    std::lock_guard<std::mutex> hold(objects().lock);
    for (EmuObject *object : held) {
        object->holders += holders;
        object->keepers += keepers;
    }
}

bool check_object(const void *object, const char *what)
{
    if (is_live(object)) return true;
    violation("object: %s was destroyed or never made (%p)", what, object);
    return false;
}

namespace {

/* Creation has no status: an injected failure gives null. */
template <class T> T *create(const char *name, const char *kind) { return enter(name, false) ? nullptr : make_object<T>(kind); }

/* Destroys an object; null is accepted for lists only, by the caller. */
aclnnStatus destroy(const EmuObject *object, const char *name, int injected, bool report_held = true)
{
    if (t.refused) return injected;
    if (!object) {
        set_error("%s: null pointer", name);
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (!check_object(object, name)) return ACLNN_ERR_PARAM_INVALID;
    EmuObject *mine = const_cast<EmuObject *>(object);
    if (report_held && mine->holders > 0) violation("lifetime: %s between phase one and phase two", name);
    if (report_held && mine->keepers > 0) violation("lifetime: %s before the repeatable executor that saw it", name);
    retire_object(mine);
    return injected;
}

bool fill(aclTensor *tensor, const char *name, const int64_t *dims, uint64_t rank, aclDataType dtype, const int64_t *strides,
          int64_t offset, aclFormat format, const int64_t *storage, uint64_t storage_rank, void *data)
{
    if ((!dims && rank > 0) || (!storage && storage_rank > 0) || item_size(dtype) == 0) {
        set_error("%s: no shape or an unknown dtype", name);
        return false;
    }
    Layout &l = tensor->layout;
    l.dtype = dtype;
    l.dims.assign(dims, dims + rank);
    l.strides = strides ? Dims(strides, strides + rank) : contiguous_strides(l.dims);
    l.offset = offset;
    l.format = format;
    l.storage.assign(storage, storage + storage_rank);
    tensor->base = data;
    for (const Dims *values : {&l.dims, &l.storage})
        for (int64_t d : *values)
            if (d < 0) {
                set_error("%s: a negative dimension", name);
                return false;
            }
    return true;
}

int64_t *copy_out(const Dims &values)
{
    int64_t *made = new int64_t[values.size() + 1]; /* the client releases it with delete[] */
    std::copy(values.begin(), values.end(), made);
    return made;
}

template <class Get> aclnnStatus read_dims(const char *name, const aclTensor *tensor, int64_t **dims, uint64_t *count, Get get)
{
    if (int code = enter(name, false)) return code;
    if (!tensor || !dims || !count) {
        set_error("%s: null pointer", name);
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (!check_object(tensor, name)) return ACLNN_ERR_PARAM_INVALID;
    *dims = copy_out(get(tensor->layout));
    *count = get(tensor->layout).size();
    return ACLNN_SUCCESS;
}

template <class T, class V, class Get> aclnnStatus read(const char *name, const T *object, V *value, Get get)
{
    if (int code = enter(name, false)) return code;
    if (!object || !value) {
        set_error("%s: null pointer", name);
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (!check_object(object, name)) return ACLNN_ERR_PARAM_INVALID;
    *value = get(object);
    return ACLNN_SUCCESS;
}

} // namespace
} // namespace emu

using namespace emu;

EMU_API aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                                   int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)
{
    const char *name = "aclCreateTensor";
    aclTensor *made = create<aclTensor>(name, "tensor");
    if (!made) return nullptr;
    if (fill(made, name, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorData)) return made;
    retire_object(made);
    return nullptr;
}

EMU_API aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                                  const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                                  uint64_t storageDimsNum, void *tensorDataAddr)
{
    const char *name = "aclInitTensor";
    if (int code = enter(name, false)) return code;
    if (!tensor) return set_error("%s: null pointer", name), ACLNN_ERR_PARAM_NULLPTR;
    if (!check_object(tensor, name)) return ACLNN_ERR_PARAM_INVALID;
    if (tensor->holders > 0) violation("lifetime: aclInitTensor between phase one and phase two");
    bool ok = fill(tensor, name, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorDataAddr);
    return ok ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID;
}

EMU_API aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    if (int code = enter("aclSetRawTensorAddr", false)) return code;
    if (!tensor) return set_error("aclSetRawTensorAddr: null pointer"), ACLNN_ERR_PARAM_NULLPTR;
    if (!check_object(tensor, "aclSetRawTensorAddr")) return ACLNN_ERR_PARAM_INVALID;
    if (tensor->holders > 0) violation("lifetime: aclSetRawTensorAddr between phase one and phase two");
    tensor->base = addr;
    return ACLNN_SUCCESS;
}

EMU_API aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    return read("aclGetRawTensorAddr", tensor, addr, [](const aclTensor *x) { return x->base; });
}

EMU_API aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    return destroy(tensor, "aclDestroyTensor", enter("aclDestroyTensor", false));
}

EMU_API aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    return read_dims("aclGetViewShape", tensor, viewDims, viewDimsNum, [](const Layout &l) { return l.dims; });
}

EMU_API aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
    return read_dims("aclGetStorageShape", tensor, storageDims, storageDimsNum, [](const Layout &l) { return l.storage; });
}

EMU_API aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    return read_dims("aclGetViewStrides", tensor, stridesValue, stridesNum, [](const Layout &l) { return l.strides; });
}

EMU_API aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    return read("aclGetViewOffset", tensor, offset, [](const aclTensor *x) { return x->layout.offset; });
}

EMU_API aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    return read("aclGetDataType", tensor, dataType, [](const aclTensor *x) { return x->layout.dtype; });
}

EMU_API aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    return read("aclGetFormat", tensor, format, [](const aclTensor *x) { return x->layout.format; });
}

EMU_API aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    if (!value || item_size(dataType) == 0) {
        enter("aclCreateScalar", false);
        set_error("aclCreateScalar: null pointer or an unknown dtype");
        return nullptr;
    }
    aclScalar *made = create<aclScalar>("aclCreateScalar", "scalar");
    if (!made) return nullptr;
    made->dtype = dataType;
    memcpy(made->bytes, value, item_size(dataType));
    return made;
}

EMU_API aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    return destroy(scalar, "aclDestroyScalar", enter("aclDestroyScalar", false));
}

template <class Array, class T> static Array *create_array(const char *name, const char *kind, const T *value, uint64_t size)
{
    Array *made = create<Array>(name, kind);
    if (made && (value || size == 0)) {
        made->values.assign(value, value + size);
        return made;
    }
    if (made) {
        set_error("%s: null pointer", name);
        retire_object(made);
    }
    return nullptr;
}

EMU_API aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    return create_array<aclIntArray>("aclCreateIntArray", "int_array", value, size);
}

EMU_API aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    return create_array<aclBoolArray>("aclCreateBoolArray", "bool_array", value, size);
}

EMU_API aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    return create_array<aclFloatArray>("aclCreateFloatArray", "float_array", value, size);
}

EMU_API aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    return create_array<aclTensorList>("aclCreateTensorList", "tensor_list", value, size);
}

EMU_API aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    return create_array<aclScalarList>("aclCreateScalarList", "scalar_list", value, size);
}

EMU_API aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    return destroy(array, "aclDestroyIntArray", enter("aclDestroyIntArray", false));
}

EMU_API aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    return destroy(array, "aclDestroyBoolArray", enter("aclDestroyBoolArray", false));
}

EMU_API aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    return destroy(array, "aclDestroyFloatArray", enter("aclDestroyFloatArray", false));
}

/* The members go with the list. */
template <class List> static aclnnStatus destroy_list(const List *list, const char *name)
{
    int injected = enter(name, false);
    if (!list) return injected;
    if (!check_object(list, name)) return ACLNN_ERR_PARAM_INVALID;
    std::vector<const EmuObject *> members;
    for (auto *member : list->values)
        if (member) members.push_back(member);
    for (const EmuObject *member : members) destroy(member, name, 0, true);
    return destroy(list, name, injected);
}

EMU_API aclnnStatus aclDestroyTensorList(const aclTensorList *array) { return destroy_list(array, "aclDestroyTensorList"); }
EMU_API aclnnStatus aclDestroyScalarList(const aclScalarList *array) { return destroy_list(array, "aclDestroyScalarList"); }

EMU_API aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    return read("aclGetTensorListSize", tensorList, size, [](const aclTensorList *x) { return uint64_t(x->values.size()); });
}

EMU_API aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    return read("aclGetIntArraySize", array, size, [](const aclIntArray *x) { return uint64_t(x->values.size()); });
}
