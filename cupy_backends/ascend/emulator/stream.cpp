/* Streams: queues of work that run on their own threads, later than they are called. */
#include "internal.h"

namespace emu {
namespace {

bool should_start(const Stream &s) { return s.stop || s.urgent || g.waiters > 0; }

/* Waits until the first task may run: its time has come, or somebody waits. */
void wait_for_start(Lock &lock, Stream &s, const Task &task)
{
    if (should_start(s)) return;
    if (task.due == Clock::time_point::max()) {
        s.work.wait(lock, [&] { return should_start(s) || s.device->fault; });
    } else {
        s.work.wait_until(lock, task.due, [&] { return should_start(s) || s.device->fault; });
    }
}

bool touches_live(const Task &task)
{
    for (const Touch &touch : task.touches) {
        if (touch.allocation->live) continue;
        violation("use-after-free: %s ran after memory that it names was freed; it was left out", task.what.c_str());
        return false;
    }
    return true;
}

void run(Lock &lock, Stream &s, Task &task)
{
    if (task.wait_for) g.progress.wait(lock, [&] { return task.wait_for->done || s.device->fault; });
    if (task.body && !s.device->fault && touches_live(task)) {
        lock.unlock();
        t.in_callback = task.host;
        task.body(task);
        t.in_callback = false;
        lock.lock();
    }
}

void finish(Stream &s)
{
    TaskPtr task = s.tasks.front();
    s.tasks.pop_front();
    for (Touch &touch : task->touches) {
        --touch.allocation->pending;
        release_if_idle(touch.allocation);
    }
    if (task->host) merge(g.seen, task->clocks);
    if (task->marker) {
        task->marker->done = true;
        task->marker->time = Clock::now();
    }
    ++s.completed;
    if (s.tasks.empty()) s.urgent = false;
    g.progress.notify_all();
}

void serve(Stream *s)
{
    Lock lock(g.lock);
    for (;;) {
        s->work.wait(lock, [&] { return s->stop || !s->tasks.empty(); });
        if (s->tasks.empty()) return;
        TaskPtr task = s->tasks.front();
        wait_for_start(lock, *s, *task);
        s->running = true;
        run(lock, *s, *task);
        s->running = false;
        finish(*s);
    }
}

Clock::time_point due_time(Stream &s)
{
    if (g.delay_us < 0) return Clock::time_point::max();
    int64_t us = g.delay_us;
    if (g.seed) us = us / 2 + int64_t((g.seed * 0x9E3779B97F4A7C15u + s.queued * 0xD1B54A32D192ED03u) % uint64_t(us + 1));
    auto due = std::max(s.last_due, Clock::now() + std::chrono::microseconds(us));
    return s.last_due = due;
}

} // namespace

Stream *find_stream(aclrtStream handle, Context *context, aclError *code)
{
    if (!handle) return context->stream;
    auto found = g.streams.find(handle);
    if (found == g.streams.end()) {
        violation("stream: %p is no live stream", handle);
        *code = ACL_ERROR_RT_INVALID_HANDLE;
        return nullptr;
    }
    if (found->second->context != context) {
        set_error("the stream belongs to another context than the current one (device %d)", context->device->id);
        *code = ACL_ERROR_RT_STREAM_CONTEXT;
        return nullptr;
    }
    return found->second.get();
}

void push(Lock &, Stream *s, TaskPtr task)
{
    task->stream = s;
    task->device = s->device;
    task->due = due_time(*s);
    for (Touch &touch : task->touches) ++touch.allocation->pending;
    s->tasks.push_back(task);
    ++s->queued;
    order_task(*task);
    if (!s->thread.joinable()) s->thread = std::thread(serve, s);
    s->work.notify_all();
}

bool wait_until(Lock &lock, int timeout_ms, const std::function<bool()> &done)
{
    if (done()) return true;
    ++g.waiters;
    for (auto &[handle, s] : g.streams) s->work.notify_all();
    bool ok = true;
    if (timeout_ms < 0) {
        g.progress.wait(lock, done);
    } else {
        ok = g.progress.wait_for(lock, std::chrono::milliseconds(timeout_ms), done);
    }
    --g.waiters;
    return ok;
}

/* Waits for what is queued now. */
aclError drain(Lock &lock, Stream *s, int timeout_ms, aclError timeout_code)
{
    uint64_t goal = s->queued;
    Clocks clocks = s->clocks;
    Device *d = s->device;
    bool ok = wait_until(lock, timeout_ms, [&] { return d->fault || !g.streams.count(s) || s->completed >= goal; });
    if (d->fault) {
        set_error("device %d is lost: %s", d->id, d->fault_text.c_str());
        return d->fault;
    }
    if (ok) merge(g.seen, clocks);
    if (!ok) set_error("the stream did not finish within %d ms", timeout_ms);
    return ok ? 0 : timeout_code;
}

void mark_lost(Device &d, aclError code, const std::string &text)
{
    if (d.fault) return;
    d.fault = code;
    d.fault_text = text;
    for (auto &[handle, s] : g.streams) s->work.notify_all();
    g.progress.notify_all();
}

Stream *make_stream(Context *context, bool is_default)
{
    auto made = std::make_unique<Stream>();
    Stream *s = made.get();
    s->context = context;
    s->device = context->device;
    s->is_default = is_default;
    s->id = ++g.stream_ids;
    ++s->device->streams;
    context->streams.insert(s);
    g.streams[s] = std::move(made);
    return s;
}

void end_stream(Lock &lock, Stream *s)
{
    uint64_t goal = s->queued;
    wait_until(lock, -1, [&] { return s->completed >= goal; });
    merge(g.seen, s->clocks);
    s->stop = true;
    s->work.notify_all();
    std::thread thread = std::move(s->thread);
    s->context->streams.erase(s);
    --s->device->streams;
    std::unique_ptr<Stream> last = std::move(g.streams[s]);
    g.streams.erase(s);
    lock.unlock();
    if (thread.joinable()) thread.join();
    lock.lock();
}

aclError launch(const char *what, aclrtStream stream, const std::vector<Range> &ranges, std::function<void(Work &)> body)
{
    Lock lock(g.lock);
    aclError code = 0;
    Context *context = current_context(&code);
    Stream *s = context ? find_stream(stream, context, &code) : nullptr;
    if (!s) return code;
    auto task = std::make_shared<Task>();
    auto work = std::make_shared<Work>();
    task->what = what;
    for (const Range &range : ranges) {
        if (range.bytes == 0) {
            work->pointers_.push_back(nullptr);
            continue;
        }
        Touch touch;
        if (!resolve(range.address, range.bytes, range.write, what, &touch)) return ACL_ERROR_RT_PARAM_INVALID;
        if (touch.allocation->device != context->device->id) {
            violation("device: %s on device %d names memory of another device", what, context->device->id);
            return ACL_ERROR_RT_PARAM_INVALID;
        }
        task->touches.push_back(touch);
        work->pointers_.push_back(touch.readable());
    }
    task->body = [work, body = std::move(body)](Task &running) {
        work->task_ = &running;
        body(*work);
    };
    push(lock, s, task);
    return ACL_SUCCESS;
}

} // namespace emu

using namespace emu;

namespace {

aclError bad(const char *what, const char *why)
{
    set_error("%s: %s", what, why);
    return ACL_ERROR_RT_PARAM_INVALID;
}

aclError create(const char *name, aclrtStream *stream)
{
    Entered e(name);
    if (e.code) return e.code;
    if (!stream) return bad(name, "null pointer");
    if (e.context->device->streams >= 1984) {
        set_error("device %d has no more streams", e.context->device->id);
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    *stream = make_stream(e.context, false);
    count_object("stream", 1);
    return ACL_SUCCESS;
}

aclError synchronize(const char *name, aclrtStream stream, int timeout_ms)
{
    Entered e(name);
    if (e.code) return e.code;
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    return s ? drain(e.lock, s, timeout_ms, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) : code;
}

} // namespace

EMU_API aclError aclrtCreateStream(aclrtStream *stream) { return create("aclrtCreateStream", stream); }

EMU_API aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    if (flag & ~(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC)) return bad("aclrtCreateStreamWithConfig", "flags that are not emulated");
    if (priority > 7) return bad("aclrtCreateStreamWithConfig", "priority is 0..7");
    return create("aclrtCreateStreamWithConfig", stream);
}

EMU_API aclError aclrtDestroyStream(aclrtStream stream)
{
    int injected = enter("aclrtDestroyStream");
    if (t.refused) return injected;
    Lock lock(g.lock);
    aclError code = 0;
    auto found = stream ? g.streams.find(stream) : g.streams.end();
    if (found == g.streams.end() || found->second->is_default) {
        violation("stream: aclrtDestroyStream of what is no stream of the client, or twice");
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!t.context || !t.context->live || t.context != found->second->context) {
        set_error("aclrtDestroyStream: the stream's context is not current");
        return t.context ? ACL_ERROR_RT_STREAM_CONTEXT : ACL_ERROR_RT_CONTEXT_NULL;
    }
    end_stream(lock, found->second.get());
    count_object("stream", -1);
    if (injected) return injected;
    current_context(&code);
    return code;
}

EMU_API aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    Entered e("aclrtStreamQuery");
    if (e.code) return e.code;
    if (!status) return bad("aclrtStreamQuery", "null pointer");
    aclError code = 0;
    Stream *s = find_stream(stream, e.context, &code);
    if (!s) return code;
    if (s->tasks.empty()) merge(g.seen, s->clocks);
    *status = s->tasks.empty() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    if (!s->tasks.empty()) {
        for (auto &[handle, other] : g.streams) other->urgent = !other->tasks.empty(), other->work.notify_all();
    }
    return ACL_SUCCESS;
}

EMU_API aclError aclrtSynchronizeStream(aclrtStream stream) { return synchronize("aclrtSynchronizeStream", stream, -1); }

EMU_API aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    if (timeout < -1) return bad("aclrtSynchronizeStreamWithTimeout", "a timeout below -1");
    return synchronize("aclrtSynchronizeStreamWithTimeout", stream, timeout);
}
