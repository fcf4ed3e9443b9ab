/* Initialisation, devices, contexts, properties. */
#include <cstdlib>

#include "internal.h"

namespace emu {

namespace {

/* ASCEND_RT_VISIBLE_DEVICES: "0,2"; what follows a bad entry is not visible. */
void read_visible()
{
    g.visible.clear();
    const char *text = getenv("ASCEND_RT_VISIBLE_DEVICES");
    if (!text) {
        for (int i = 0; i < g.device_count; ++i) g.visible.push_back(i);
        return;
    }
    while (*text) {
        char *end;
        long id = strtol(text, &end, 10);
        if (end == text || id < 0 || id >= g.device_count) break;
        g.visible.push_back(int(id));
        text = *end == ',' ? end + 1 : end;
        if (*end && *end != ',') break;
    }
}

void make_devices()
{
    read_visible();
    if (!g.devices.empty()) return;
    for (size_t i = 0; i < g.visible.size(); ++i) {
        auto d = std::make_unique<Device>();
        d->id = int(i);
        d->capacity = g.memory;
        d->span = round_up(4 * g.memory, size_t(2) << 20);
        g.devices.push_back(std::move(d));
    }
}

Context *make_context(Device *device, bool is_default)
{
    auto made = std::make_unique<Context>();
    Context *c = made.get();
    c->device = device;
    c->is_default = is_default;
    c->deterministic = g.process_deterministic;
    c->stream = make_stream(c, true);
    g.contexts[c] = std::move(made);
    return c;
}

void end_context(Lock &lock, Context *c)
{
    while (!c->streams.empty()) end_stream(lock, *c->streams.begin());
    c->live = false; /* kept: threads may still point to it */
}

Device *valid_device(int32_t id)
{
    return id >= 0 && id < int(g.devices.size()) ? g.devices[id].get() : nullptr;
}

aclError bad_device(int32_t id)
{
    set_error("device %d does not exist, there are %zu", id, g.devices.size());
    return ACL_ERROR_RT_INVALID_DEVICEID;
}

aclError bad_argument(const char *what)
{
    set_error("%s: bad argument", what);
    return ACL_ERROR_RT_PARAM_INVALID;
}

} // namespace

Context *current_context(aclError *code)
{
    Context *c = t.context;
    if (!c || !c->live) {
        set_error("no context in this thread: aclrtSetDevice was not called");
        *code = ACL_ERROR_RT_CONTEXT_NULL;
        return nullptr;
    }
    if (c->device->fault) {
        set_error("device %d is lost: %s", c->device->id, c->device->fault_text.c_str());
        *code = c->device->fault;
        return nullptr;
    }
    return c;
}

Entered::Entered(const char *name)
{
    code = enter(name);
    if (code) return;
    lock = Lock(g.lock);
    context = current_context(&code);
}

} // namespace emu

using namespace emu;

EMU_API aclError aclInit(const char *)
{
    if (int code = enter("aclInit", false)) return code;
    Lock lock(g.lock);
    if (g.initialised) {
        set_error("aclInit was called before");
        return ACL_ERROR_REPEAT_INITIALIZE;
    }
    g.initialised = true;
    make_devices();
    return ACL_SUCCESS;
}

EMU_API aclError aclFinalize()
{
    if (int code = enter("aclFinalize", false)) return code;
    Lock lock(g.lock);
    if (!g.initialised) {
        set_error("aclFinalize without aclInit");
        return ACL_ERROR_REPEAT_FINALIZE;
    }
    std::vector<Stream *> streams;
    for (auto &[handle, stream] : g.streams) streams.push_back(stream.get());
    for (Stream *stream : streams)
        if (g.streams.count(stream)) drain(lock, stream, -1, 0);
    for (auto &d : g.devices) report_leftovers(*d);
    g.initialised = g.aclnn = false;
    return ACL_SUCCESS;
}

EMU_API aclnnStatus aclnnInit(const char *)
{
    if (int code = enter("aclnnInit", false)) return code;
    Lock lock(g.lock);
    g.aclnn = true;
    make_devices();
    return ACLNN_SUCCESS;
}

EMU_API aclnnStatus aclnnFinalize()
{
    if (int code = enter("aclnnFinalize", false)) return code;
    Lock lock(g.lock);
    g.aclnn = false;
    return ACLNN_SUCCESS;
}

EMU_API const char *aclGetRecentErrMsg()
{
    if (t.error.empty()) return nullptr;
    t.returned.swap(t.error);
    t.error.clear();
    return t.returned.c_str();
}

EMU_API const char *aclrtGetSocName()
{
    if (enter("aclrtGetSocName")) return nullptr;
    Lock lock(g.lock);
    static thread_local std::string name;
    name = g.soc;
    return name.c_str();
}

EMU_API aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (int code = enter("aclrtGetVersion", false)) return code;
    if (!major || !minor || !patch) return bad_argument("aclrtGetVersion");
    *major = 1, *minor = 17, *patch = 0;
    return ACL_SUCCESS;
}

EMU_API aclError aclsysGetVersionStr(char *package, char *version)
{
    if (int code = enter("aclsysGetVersionStr", false)) return code;
    if (!package || !version) return bad_argument("aclsysGetVersionStr");
    strcpy(version, "emulator");
    return ACL_SUCCESS;
}

EMU_API aclError aclrtGetDeviceCount(uint32_t *count)
{
    if (int code = enter("aclrtGetDeviceCount")) return code;
    if (!count) return bad_argument("aclrtGetDeviceCount");
    Lock lock(g.lock);
    *count = uint32_t(g.devices.size());
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSetDevice(int32_t id)
{
    if (int code = enter("aclrtSetDevice")) return code;
    Lock lock(g.lock);
    Device *d = valid_device(id);
    if (!d) return bad_device(id);
    if (d->fault) {
        set_error("device %d is lost: %s", id, d->fault_text.c_str());
        return d->fault;
    }
    if (!d->default_context) d->default_context = make_context(d, true);
    ++d->references;
    t.context = d->default_context;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtGetDevice(int32_t *id)
{
    if (int code = enter("aclrtGetDevice")) return code;
    if (!id) return bad_argument("aclrtGetDevice");
    Lock lock(g.lock);
    if (!t.context || !t.context->live) {
        set_error("no context in this thread");
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *id = t.context->device->id;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtResetDevice(int32_t id)
{
    if (int code = enter("aclrtResetDevice")) return code;
    Lock lock(g.lock);
    Device *d = valid_device(id);
    if (!d) return bad_device(id);
    if (d->references == 0) {
        set_error("device %d is reset more often than it was set", id);
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    if (--d->references == 0 && d->default_context) {
        Context *c = d->default_context;
        d->default_context = nullptr;
        end_context(lock, c);
        report_leftovers(*d);
    }
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSynchronizeDevice()
{
    Entered e("aclrtSynchronizeDevice");
    if (e.code) return e.code;
    Device *d = e.context->device;
    std::vector<std::pair<Stream *, uint64_t>> goals;
    Clocks clocks;
    for (auto &[handle, s] : g.streams) {
        if (s->device != d) continue;
        goals.push_back({s.get(), s->queued});
        merge(clocks, s->clocks);
    }
    wait_until(e.lock, -1, [&] {
        for (auto &[stream, goal] : goals)
            if (g.streams.count(stream) && stream->completed < goal && !d->fault) return false;
        return true;
    });
    if (d->fault) {
        set_error("device %d is lost: %s", d->id, d->fault_text.c_str());
    } else {
        merge(g.seen, clocks);
    }
    return d->fault;
}

EMU_API aclError aclrtQueryDeviceStatus(int32_t id, aclrtDeviceStatus *status)
{
    if (int code = enter("aclrtQueryDeviceStatus")) return code;
    if (!status) return bad_argument("aclrtQueryDeviceStatus");
    Lock lock(g.lock);
    Device *d = valid_device(id);
    if (!d) return bad_device(id);
    *status = d->fault ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
}

EMU_API aclError aclGetDeviceCapability(uint32_t id, aclDeviceInfo info, int64_t *value)
{
    if (int code = enter("aclGetDeviceCapability")) return code;
    if (!value) return bad_argument("aclGetDeviceCapability");
    Lock lock(g.lock);
    if (!valid_device(int32_t(id))) return bad_device(int32_t(id));
    switch (info) {
    case ACL_DEVICE_INFO_AI_CORE_NUM: *value = 20; break;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM: *value = 40; break;
    case ACL_DEVICE_INFO_L2_SIZE: *value = int64_t(192) << 20; break;
    default: return bad_argument("aclGetDeviceCapability");
    }
    return ACL_SUCCESS;
}

EMU_API aclError aclrtGetDeviceInfo(uint32_t id, aclrtDevAttr attribute, int64_t *value)
{
    if (int code = enter("aclrtGetDeviceInfo")) return code;
    if (!value) return bad_argument("aclrtGetDeviceInfo");
    Lock lock(g.lock);
    Device *d = valid_device(int32_t(id));
    if (!d) return bad_device(int32_t(id));
    switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = 6; break;
    case ACL_DEV_ATTR_AICORE_CORE_NUM: *value = 20; break;
    case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = 20; break;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = 40; break;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = int64_t(d->capacity); break;
    case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = int64_t(192) << 20; break;
    case ACL_DEV_ATTR_PHY_CHIP_ID: *value = g.visible[id]; break;
    case ACL_DEV_ATTR_IS_VIRTUAL: *value = 0; break;
    case ACL_DEV_ATTR_NPU_ARCH: *value = 2201; break;
    default: return bad_argument("aclrtGetDeviceInfo");
    }
    return ACL_SUCCESS;
}

EMU_API aclError aclrtGetCurrentContext(aclrtContext *context)
{
    if (int code = enter("aclrtGetCurrentContext")) return code;
    if (!context) return bad_argument("aclrtGetCurrentContext");
    Lock lock(g.lock);
    if (!t.context || !t.context->live) {
        set_error("no context in this thread");
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *context = t.context;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSetCurrentContext(aclrtContext context)
{
    if (int code = enter("aclrtSetCurrentContext")) return code;
    Lock lock(g.lock);
    auto found = g.contexts.find(context);
    if (found == g.contexts.end() || !found->second->live) {
        set_error("aclrtSetCurrentContext: no such context");
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    t.context = found->second.get();
    return ACL_SUCCESS;
}

EMU_API aclError aclrtCreateContext(aclrtContext *context, int32_t id)
{
    if (int code = enter("aclrtCreateContext")) return code;
    if (!context) return bad_argument("aclrtCreateContext");
    Lock lock(g.lock);
    Device *d = valid_device(id);
    if (!d) return bad_device(id);
    *context = t.context = make_context(d, false);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtDestroyContext(aclrtContext context)
{
    if (int code = enter("aclrtDestroyContext")) return code;
    Lock lock(g.lock);
    auto found = g.contexts.find(context);
    if (found == g.contexts.end() || !found->second->live || found->second->is_default) {
        violation("context: aclrtDestroyContext of what aclrtCreateContext did not make, or twice");
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    end_context(lock, found->second.get());
    return ACL_SUCCESS;
}

EMU_API aclError aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer)
{
    if (int code = enter("aclrtDeviceCanAccessPeer")) return code;
    Lock lock(g.lock);
    if (!can || device == peer) return bad_argument("aclrtDeviceCanAccessPeer");
    if (!valid_device(device)) return bad_device(device);
    if (!valid_device(peer)) return bad_device(peer);
    *can = 1;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags)
{
    Entered e("aclrtDeviceEnablePeerAccess");
    if (e.code) return e.code;
    if (!valid_device(peer)) return bad_device(peer);
    if (flags != 0 || peer == e.context->device->id) return bad_argument("aclrtDeviceEnablePeerAccess");
    e.context->device->peers.insert(peer);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value)
{
    Entered e("aclrtCtxSetSysParamOpt");
    if (e.code) return e.code;
    if (option < 0 || option > ACL_OPT_ENABLE_KERNEL_EARLY_START || value < 0 || value > 1) return bad_argument("aclrtCtxSetSysParamOpt");
    if (option == ACL_OPT_DETERMINISTIC) e.context->deterministic = value;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value)
{
    if (int code = enter("aclrtSetSysParamOpt")) return code;
    if (option < 0 || option > ACL_OPT_ENABLE_KERNEL_EARLY_START || value < 0 || value > 1) return bad_argument("aclrtSetSysParamOpt");
    Lock lock(g.lock);
    if (option == ACL_OPT_DETERMINISTIC) g.process_deterministic = value;
    return ACL_SUCCESS;
}
