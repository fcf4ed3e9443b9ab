/* Events, stream waits, host functions and callbacks. */
#include <pthread.h>

#include "internal.h"

namespace emu {
namespace {

aclError bad(const char *what, const char *why)
{
    set_error("%s: %s", what, why);
    return ACL_ERROR_RT_PARAM_INVALID;
}

Event *find_event(aclrtEvent handle, const char *what, aclError *code)
{
    auto found = g.events.find(handle);
    if (found != g.events.end()) return found->second.get();
    violation("event: %s of %p, which is no live event", what, handle);
    *code = ACL_ERROR_RT_INVALID_HANDLE;
    return nullptr;
}

aclError create(const char *name, aclrtEvent *event, uint32_t flags, bool extended)
{
    Entered e(name);
    if (e.code) return e.code;
    constexpr uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS;
    if (!event || flags == 0 || (flags & ~known)) return bad(name, "null pointer or unknown flags");
    auto made = std::make_unique<Event>();
    made->flags = flags;
    made->extended = extended;
    *event = made.get();
    g.events[made.get()] = std::move(made);
    count_object("event", 1);
    return ACL_SUCCESS;
}

void hurry_all()
{
    for (auto &[handle, s] : g.streams) s->urgent = !s->tasks.empty(), s->work.notify_all();
}

aclError wait_for_event(const char *name, aclrtEvent handle, int timeout_ms)
{
    Entered e(name);
    if (e.code) return e.code;
    aclError code = 0;
    Event *event = find_event(handle, name, &code);
    if (!event) return code;
    MarkerPtr marker = event->marker;
    if (!marker) {
        if (!event->extended) violation("event: %s of an event that was never recorded", name);
        return ACL_SUCCESS;
    }
    Device *d = e.context->device;
    bool ok = wait_until(e.lock, timeout_ms, [&] { return marker->done || d->fault; });
    if (d->fault) {
        set_error("device %d is lost: %s", d->id, d->fault_text.c_str());
        return d->fault;
    }
    if (ok) merge(g.seen, marker->clocks);
    if (!ok) set_error("the event did not complete within %d ms", timeout_ms);
    return ok ? 0 : ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
}

uint64_t this_thread() { return uint64_t(pthread_self()); }

/* Puts a callback before its thread and, if it blocks the stream, waits until that thread has run it. */
void report(uint64_t subscriber, aclrtCallback call, void *data, bool block, Device *device)
{
    Lock lock(g.lock);
    auto done = std::make_shared<Marker>();
    g.reports[subscriber].push_back({call, data, done});
    g.progress.notify_all();
    if (block) g.progress.wait(lock, [&] { return done->done || device->fault; });
}

} // namespace
} // namespace emu

using namespace emu;

EMU_API aclError aclrtCreateEvent(aclrtEvent *event)
{
    return create("aclrtCreateEvent", event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, false);
}

EMU_API aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create("aclrtCreateEventWithFlag", event, flag, false);
}

EMU_API aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create("aclrtCreateEventExWithFlag", event, flag, true);
}

EMU_API aclError aclrtDestroyEvent(aclrtEvent handle)
{
    int injected = enter("aclrtDestroyEvent");
    if (t.refused) return injected;
    Lock lock(g.lock);
    aclError code = 0;
    if (!find_event(handle, "aclrtDestroyEvent", &code)) return code;
    g.events.erase(handle);
    count_object("event", -1);
    return injected;
}

EMU_API aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream stream)
{
    Entered e("aclrtRecordEvent");
    if (e.code) return e.code;
    aclError code = 0;
    Event *event = find_event(handle, "aclrtRecordEvent", &code);
    Stream *s = event ? find_stream(stream, e.context, &code) : nullptr;
    if (!s) return code;
    if (!event->extended && event->waited) violation("event: a plain event is recorded again without aclrtResetEvent after the wait");
    auto task = std::make_shared<Task>();
    task->what = "aclrtRecordEvent";
    task->marker = event->marker = std::make_shared<Marker>();
    push(e.lock, s, task);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent handle)
{
    Entered e("aclrtStreamWaitEvent");
    if (e.code) return e.code;
    aclError code = 0;
    Event *event = find_event(handle, "aclrtStreamWaitEvent", &code);
    Stream *s = event ? find_stream(stream, e.context, &code) : nullptr;
    if (!s) return code;
    if (!(event->flags & ACL_EVENT_SYNC)) return bad("aclrtStreamWaitEvent", "the event was made without ACL_EVENT_SYNC");
    if (!event->marker) {
        if (!event->extended) violation("event: aclrtStreamWaitEvent for an event that was never recorded");
        return ACL_SUCCESS;
    }
    event->waited = true;
    auto task = std::make_shared<Task>();
    task->what = "aclrtStreamWaitEvent";
    task->wait_for = event->marker;
    push(e.lock, s, task);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtResetEvent(aclrtEvent handle, aclrtStream stream)
{
    Entered e("aclrtResetEvent");
    if (e.code) return e.code;
    aclError code = 0;
    Event *event = find_event(handle, "aclrtResetEvent", &code);
    if (!event || !find_stream(stream, e.context, &code)) return code;
    if (event->extended) return bad("aclrtResetEvent", "not for events of aclrtCreateEventExWithFlag");
    if (!(event->flags & ACL_EVENT_SYNC)) return bad("aclrtResetEvent", "the event was made without ACL_EVENT_SYNC");
    event->marker = nullptr;
    event->waited = false;
    return ACL_SUCCESS;
}

EMU_API aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    Entered e("aclrtQueryEventStatus");
    if (e.code) return e.code;
    if (!status) return bad("aclrtQueryEventStatus", "null pointer");
    aclError code = 0;
    Event *event = find_event(handle, "aclrtQueryEventStatus", &code);
    if (!event) return code;
    bool done = event->marker ? event->marker->done : event->extended;
    if (done && event->marker) merge(g.seen, event->marker->clocks);
    *status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    if (!done) hurry_all();
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSynchronizeEvent(aclrtEvent event) { return wait_for_event("aclrtSynchronizeEvent", event, -1); }

EMU_API aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    return wait_for_event("aclrtSynchronizeEventWithTimeout", event, timeout);
}

EMU_API aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end)
{
    Entered e("aclrtEventElapsedTime");
    if (e.code) return e.code;
    if (!ms) return bad("aclrtEventElapsedTime", "null pointer");
    aclError code = 0;
    Event *a = find_event(start, "aclrtEventElapsedTime", &code), *b = a ? find_event(end, "aclrtEventElapsedTime", &code) : nullptr;
    if (!b) return code;
    if (!(a->flags & b->flags & ACL_EVENT_TIME_LINE)) {
        set_error("aclrtEventElapsedTime: both events need ACL_EVENT_TIME_LINE");
        return ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
    }
    if (!a->marker || !b->marker || !a->marker->done || !b->marker->done) {
        set_error("aclrtEventElapsedTime: an event is not complete");
        return ACL_ERROR_RT_EVENT_NOT_COMPLETE;
    }
    *ms = std::chrono::duration<float, std::milli>(b->marker->time - a->marker->time).count();
    return ACL_SUCCESS;
}

EMU_API aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc function, void *args)
{
    Entered e("aclrtLaunchHostFunc");
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (!function) return bad("aclrtLaunchHostFunc", "null pointer");
    s->host_functions = true;
    if (s->callbacks) violation("callback: aclrtLaunchHostFunc and aclrtLaunchCallback on one stream");
    auto task = std::make_shared<Task>();
    task->what = "aclrtLaunchHostFunc";
    task->host = true;
    task->body = [function, args](Task &) { function(args); };
    push(e.lock, s, task);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtLaunchCallback(aclrtCallback function, void *data, aclrtCallbackBlockType block, aclrtStream stream)
{
    Entered e("aclrtLaunchCallback");
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (!function || (block != ACL_CALLBACK_NO_BLOCK && block != ACL_CALLBACK_BLOCK)) return bad("aclrtLaunchCallback", "bad argument");
    if (!s->subscriber) {
        set_error("aclrtLaunchCallback: no thread takes callbacks of this stream (aclrtSubscribeReport)");
        return ACL_ERROR_RT_STREAM_NO_CB_REG;
    }
    s->callbacks = true;
    if (s->host_functions) violation("callback: aclrtLaunchHostFunc and aclrtLaunchCallback on one stream");
    auto task = std::make_shared<Task>();
    task->what = "aclrtLaunchCallback";
    task->body = [=, subscriber = s->subscriber, device = s->device](Task &) {
        report(subscriber, function, data, block == ACL_CALLBACK_BLOCK, device);
    };
    push(e.lock, s, task);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSubscribeReport(uint64_t thread, aclrtStream stream)
{
    Entered e("aclrtSubscribeReport");
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (!thread) return bad("aclrtSubscribeReport", "thread 0");
    if (s->subscriber) {
        set_error("aclrtSubscribeReport: the stream has its thread already");
        return ACL_ERROR_RT_STREAM_SUBSCRIBE;
    }
    s->subscriber = thread;
    g.reports[thread];
    return ACL_SUCCESS;
}

EMU_API aclError aclrtUnSubscribeReport(uint64_t thread, aclrtStream stream)
{
    Entered e("aclrtUnSubscribeReport");
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (s->subscriber != thread || !thread) {
        set_error("aclrtUnSubscribeReport: another thread takes callbacks of this stream, or none");
        return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    }
    s->subscriber = 0;
    for (auto &[handle, other] : g.streams)
        if (other->subscriber == thread) return ACL_SUCCESS;
    g.reports.erase(thread);
    return ACL_SUCCESS;
}

EMU_API aclError aclrtProcessReport(int32_t timeout)
{
    if (int code = enter("aclrtProcessReport")) return code;
    Lock lock(g.lock);
    uint64_t self = this_thread();
    if (!g.reports.count(self)) {
        set_error("aclrtProcessReport: this thread takes no callbacks (aclrtSubscribeReport)");
        return ACL_ERROR_THREAD_NOT_SUBSCRIBE;
    }
    auto ready = [&] { return !g.reports.count(self) || !g.reports[self].empty(); };
    if (!wait_until(lock, timeout, ready) || !g.reports.count(self)) {
        set_error("aclrtProcessReport: no callback within %d ms", timeout);
        return ACL_ERROR_WAIT_CALLBACK_TIMEOUT;
    }
    Report next = g.reports[self].front();
    g.reports[self].pop_front();
    lock.unlock();
    t.in_callback = true;
    next.call(next.data);
    t.in_callback = false;
    lock.lock();
    next.done->done = true;
    g.progress.notify_all();
    return ACL_SUCCESS;
}
