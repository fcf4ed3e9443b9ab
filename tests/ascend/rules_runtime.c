/* Rules of initialisation, devices, memory, streams, events and callbacks, each broken once. */
#include "rules.h"

/* --- initialisation, devices, contexts --- */

static void not_initialised(void) { EXPECT(aclrtSetDevice(0), 100001); }
static void initialised_twice(void)
{
    OK(aclInit(NULL));
    EXPECT(aclInit(NULL), 100002);
}
static void finalised_twice(void)
{
    OK(aclInit(NULL));
    OK(aclFinalize());
    EXPECT(aclFinalize(), 100037);
}
static void device_that_is_not_there(void)
{
    start();
    EXPECT(aclrtSetDevice(1), 107001);
    EXPECT(aclrtSetDevice(-1), 107001);
}
static void *without_device(void *arg)
{
    Sum *s = arg;
    void *p;
    uint64_t size;
    aclOpExecutor *e;
    EXPECT(aclrtMalloc(&p, 4, 0), 107002);
    EXPECT(aclrtSynchronizeStream(NULL), 107002);
    EXPECT(aclnnAddGetWorkspaceSize(s->ta, s->tb, s->alpha, s->tc, &size, &e), 361001);
    OK(aclrtSetDevice(0));
    OK(aclrtMalloc(&p, 4, 0));
    return NULL;
}
static void thread_without_device(void)
{
    start();
    Sum s = make_sum();
    in_thread(without_device, &s);
}
static void reset_too_often(void)
{
    start();
    OK(aclrtResetDevice(0));
    EXPECT(aclrtSynchronizeDevice(), 107002);
    EXPECT(aclrtResetDevice(0), 107001);
}
static void visible_devices(void)
{
    uint32_t n;
    setenv("ASCEND_RT_VISIBLE_DEVICES", "2,0", 1);
    emu_set_devices(4);
    OK(aclInit(NULL));
    OK(aclrtGetDeviceCount(&n));
    EXPECT(n, 2);
}
static void forked_child(void)
{
    start();
    pid_t child = fork();
    if (child == 0) {
        void *p;
        _exit(aclrtMalloc(&p, 4, 0) == 507899 && aclrtSetDevice(0) == 507899 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    EXPECT(WEXITSTATUS(status), 0);
}

/* --- memory --- */

static void nothing_to_allocate(void)
{
    start();
    void *p;
    EXPECT(aclrtMalloc(&p, 0, 0), 107000);
    EXPECT(aclrtMalloc(NULL, 4, 0), 107000);
    EXPECT(aclrtMallocHost(&p, 0), 107000);
    EXPECT(aclrtFree(NULL), 107000);
}
static void out_of_memory(void)
{
    emu_set_memory(8 << 20);
    start();
    void *p, *q;
    size_t free_bytes, total;
    OK(aclrtMalloc(&p, 6 << 20, 2));
    EXPECT(aclrtMalloc(&q, 3 << 20, 2), 207001);
    OK(aclrtGetMemInfo(1, &free_bytes, &total));
    EXPECT(total, 8 << 20);
    EXPECT(free_bytes < (2 << 20), 1);
    OK(aclrtFree(p));
    OK(aclrtMalloc(&q, 3 << 20, 2));
    OK(aclrtFree(q));
    EXPECT(emu_live_bytes(0), 0);
}
static sigjmp_buf back;
static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}
static void host_reads_device_memory(void)
{
    start();
    volatile float *p = device_floats(4);
    signal(SIGSEGV, on_fault);
    if (sigsetjmp(back, 1) == 0) {
        float value = p[0];
        (void)value;
        EXPECT(1, 0);
    }
}
static void fresh_memory_is_poisoned(void)
{
    start();
    float *p = device_floats(4);
    EXPECT(first(p) == 0, 0);
}
static void freed_twice(void)
{
    start();
    float *p = device_floats(4);
    OK(aclrtFree(p));
    EXPECT(aclrtFree(p), 107000);
}
static void freed_in_the_middle(void)
{
    start();
    EXPECT(aclrtFree(device_floats(64) + 16), 107000);
}
static void freed_under_queued_work(void)
{
    start();
    Sum s = make_sum();
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    OK(aclrtFree(s.a));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(first(s.c), 0); /* the work was left out */
}
static void freed_before_anybody_waited(void)
{
    start();
    emu_set_delay(0);
    void *p = device_floats(4);
    OK(aclrtMemsetAsync(p, 16, 0, 16, NULL));
    usleep(50000); /* it has surely run, but the host cannot know */
    OK(aclrtFree(p));
}
static void host_memory_freed_under_queued_work(void)
{
    start();
    float *p = device_floats(4);
    void *host;
    OK(aclrtMallocHost(&host, 16));
    OK(aclrtMemcpyAsync(p, 16, host, 16, H2D, NULL));
    OK(aclrtFreeHost(host));
    OK(aclrtSynchronizeStream(NULL));
}
static void queued_on_freed_memory(void)
{
    start();
    Sum s = make_sum();
    OK(aclrtFree(s.a));
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 161002);
}
static void copied_past_the_end(void)
{
    start();
    char host[64];
    EXPECT(aclrtMemcpy(host, 64, device_floats(4), 64, D2H), 107000);
}
static void limit_below_count(void)
{
    start();
    float *p = device_floats(4), host[4];
    EXPECT(aclrtMemcpy(p, 8, host, 16, H2D), 107000);
    EXPECT(aclrtMemcpyAsync(p, 8, host, 16, H2D, NULL), 107000);
    EXPECT(aclrtMemset(p, 8, 0, 16), 107000);
    EXPECT(aclrtMemcpy(NULL, 8, host, 8, H2D), 107000);
}
static void host_to_host_on_a_stream(void)
{
    start();
    char a[4], b[4];
    EXPECT(aclrtMemcpyAsync(a, 4, b, 4, H2H, NULL), 207000);
    OK(aclrtMemcpy(a, 4, b, 4, H2H));
}
static void wrong_kind(void)
{
    start();
    char host[4];
    OK(aclrtMemcpy(host, 4, device_floats(4), 4, H2D));
}
static void copy_that_does_not_wait(void)
{
    start();
    Sum s = make_sum();
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    first(s.c);
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(first(s.c), 3);
}
static void pageable_copy_waits(void)
{
    start();
    float *p = device_floats(1), value = 7, got = 0;
    OK(aclrtMemcpyAsync(p, 4, &value, 4, H2D, NULL));
    value = 8;
    OK(aclrtMemcpyAsync(&got, 4, p, 4, D2H, NULL));
    EXPECT(got, 7);
}
static void pinned_copy_does_not_wait(void)
{
    start();
    float *p = filled(1, 7);
    void *host;
    OK(aclrtMallocHost(&host, 4));
    *(float *)host = 0;
    OK(aclrtMemcpyAsync(host, 4, p, 4, D2H, NULL));
    EXPECT(*(float *)host, 0);
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(*(float *)host, 7);
}
static void limits_of_2d(void)
{
    start();
    float *p = device_floats(64), host[64];
    EXPECT(aclrtMemcpy2d(p, 16, host, 32, 32, 2, H2D), 107000);
    EXPECT(aclrtMemcpy2d(p, 32, p, 32, 32, 2, D2D), 107000);
    EXPECT(aclrtMemcpy2dAsync(p, 6000000, host, 6000000, 6000000, 1, H2D, NULL), 107000);
    OK(aclrtMemcpy2d(p, 32, host, 64, 32, 2, H2D));
}
static void memory_of_another_device(void)
{
    emu_set_devices(2);
    start();
    float *p = device_floats(4), host[4];
    OK(aclrtSetDevice(1));
    EXPECT(aclrtMemcpy(p, 16, host, 16, H2D), 107000);
}
static void peer_copy(void)
{
    emu_set_devices(2);
    start();
    float *p = filled(4, 5);
    OK(aclrtSetDevice(1));
    float *q = device_floats(4);
    EXPECT(aclrtMemcpy(q, 16, p, 16, D2D), 107000);
    OK(aclrtDeviceEnablePeerAccess(0, 0));
    OK(aclrtMemcpy(q, 16, p, 16, D2D));
    EXPECT(first(q), 5);
}

/* --- streams, events, callbacks --- */

static void destroyed_stream(void)
{
    start();
    aclrtStream s;
    OK(aclrtCreateStream(&s));
    OK(aclrtDestroyStream(s));
    EXPECT(aclrtSynchronizeStream(s), 107017);
}
static void stream_of_another_device(void)
{
    emu_set_devices(2);
    start();
    aclrtStream s;
    OK(aclrtCreateStream(&s));
    OK(aclrtSetDevice(1));
    EXPECT(aclrtSynchronizeStream(s), 107003);
    EXPECT(aclrtDestroyStream(s), 107003);
}
static void too_many_streams(void)
{
    start();
    aclrtStream s;
    int status = 0, n = 0;
    while (n < 3000 && (status = aclrtCreateStream(&s)) == 0) ++n;
    EXPECT(status, 207008);
}
static _Atomic int gate;
static void wait_for_gate(void *arg)
{
    (void)arg;
    while (!gate) usleep(1000);
}
static void synchronise_with_timeout(void)
{
    start();
    OK(aclrtLaunchHostFunc(NULL, wait_for_gate, NULL));
    EXPECT(aclrtSynchronizeStreamWithTimeout(NULL, 20), 507046);
    aclrtEvent e;
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(e, NULL));
    EXPECT(aclrtSynchronizeEventWithTimeout(e, 20), 507047);
    gate = 1;
    OK(aclrtSynchronizeStream(NULL));
}
static void streams_are_not_ordered(void)
{
    start();
    aclrtStream s;
    float *p = filled(1, 1);
    void *host;
    OK(aclrtMallocHost(&host, 4));
    OK(aclrtCreateStream(&s));
    OK(aclrtLaunchHostFunc(NULL, wait_for_gate, NULL));
    OK(aclrtMemsetAsync(p, 4, 0, 4, NULL));
    OK(aclrtMemcpyAsync(host, 4, p, 4, D2H, s));
    OK(aclrtSynchronizeStream(s));
    EXPECT(*(float *)host, 1);
    gate = 1;
    OK(aclrtSynchronizeDevice());
    EXPECT(first(p), 0);
}
static void event_orders_streams(void)
{
    start();
    aclrtStream s;
    aclrtEvent e;
    float *p = filled(1, 1);
    void *host;
    OK(aclrtMallocHost(&host, 4));
    OK(aclrtCreateStream(&s));
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtMemsetAsync(p, 4, 0, 4, NULL));
    OK(aclrtRecordEvent(e, NULL));
    OK(aclrtStreamWaitEvent(s, e));
    OK(aclrtMemcpyAsync(host, 4, p, 4, D2H, s));
    OK(aclrtDestroyEvent(e));
    OK(aclrtSynchronizeStream(s));
    EXPECT(*(float *)host, 0);
}
static void wait_without_sync_flag(void)
{
    start();
    aclrtEvent e;
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_TIME_LINE));
    OK(aclrtRecordEvent(e, NULL));
    EXPECT(aclrtStreamWaitEvent(NULL, e), 107000);
    EXPECT(aclrtCreateEventExWithFlag(&e, 0), 107000);
}
static void time_without_flag(void)
{
    start();
    aclrtEvent a, b;
    float ms;
    OK(aclrtCreateEventExWithFlag(&a, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventExWithFlag(&b, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(a, NULL));
    OK(aclrtRecordEvent(b, NULL));
    OK(aclrtSynchronizeDevice());
    EXPECT(aclrtEventElapsedTime(&ms, a, b), 107006);
}
static void time_before_completion(void)
{
    start();
    aclrtEvent a, b;
    float ms = -1;
    OK(aclrtCreateEventExWithFlag(&a, ACL_EVENT_TIME_LINE));
    OK(aclrtCreateEventExWithFlag(&b, ACL_EVENT_TIME_LINE));
    OK(aclrtRecordEvent(a, NULL));
    OK(aclrtRecordEvent(b, NULL));
    EXPECT(aclrtEventElapsedTime(&ms, a, b), 507006);
    OK(aclrtSynchronizeEvent(b));
    OK(aclrtEventElapsedTime(&ms, a, b));
    EXPECT(ms >= 0, 1);
}
static void destroyed_event(void)
{
    start();
    aclrtEvent e;
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtDestroyEvent(e));
    EXPECT(aclrtRecordEvent(e, NULL), 107017);
}
static void reset_of_extended_event(void)
{
    start();
    aclrtEvent e;
    int status = -1;
    OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtQueryEventStatus(e, &status));
    EXPECT(status, 1); /* never recorded: complete */
    OK(aclrtRecordEvent(e, NULL));
    OK(aclrtQueryEventStatus(e, &status));
    EXPECT(status, 0);
    EXPECT(aclrtResetEvent(e, NULL), 107000);
}
static void plain_event_recorded_again(void)
{
    start();
    aclrtEvent e;
    OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtRecordEvent(e, NULL));
    OK(aclrtStreamWaitEvent(NULL, e));
    OK(aclrtResetEvent(e, NULL));
    OK(aclrtRecordEvent(e, NULL));
    OK(aclrtStreamWaitEvent(NULL, e));
    OK(aclrtRecordEvent(e, NULL));
}
static void plain_event_never_recorded(void)
{
    start();
    aclrtEvent e;
    OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
    OK(aclrtStreamWaitEvent(NULL, e));
}
static void calls_acl(void *arg)
{
    void *p;
    aclrtMalloc(&p, 4, 0);
    *(int *)arg = 1;
}
static void acl_in_a_host_function(void)
{
    start();
    int ran = 0;
    OK(aclrtLaunchHostFunc(NULL, calls_acl, &ran));
    EXPECT(ran, 0);
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(ran, 1);
}
static void nothing(void *arg) { ++*(int *)arg; }
static void callback_without_thread(void)
{
    start();
    int ran = 0;
    EXPECT(aclrtLaunchCallback(nothing, &ran, 0, NULL), 107015);
    EXPECT(aclrtProcessReport(10), 100035);
}
static void *serve(void *arg)
{
    while (!*(_Atomic int *)arg) aclrtProcessReport(10);
    return NULL;
}
static void callback_on_its_thread(void)
{
    start();
    int ran = 0;
    _Atomic int stop = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, serve, &stop);
    OK(aclrtSubscribeReport(thread, NULL));
    EXPECT(aclrtSubscribeReport(thread, NULL), 107011);
    OK(aclrtLaunchCallback(nothing, &ran, 1, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(ran, 1);
    OK(aclrtUnSubscribeReport(thread, NULL));
    stop = 1;
    pthread_join(thread, NULL);
}
static void both_kinds_of_callbacks(void)
{
    start();
    int ran = 0;
    OK(aclrtSubscribeReport(pthread_self(), NULL));
    OK(aclrtLaunchCallback(nothing, &ran, 0, NULL));
    OK(aclrtLaunchHostFunc(NULL, nothing, &ran));
    OK(aclrtProcessReport(1000));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(ran, 2);
}

const Case runtime_cases[] = {
    CASE(not_initialised, NULL), CASE(initialised_twice, NULL), CASE(finalised_twice, NULL), CASE(device_that_is_not_there, NULL),
    CASE(thread_without_device, NULL), CASE(reset_too_often, NULL), CASE(visible_devices, NULL), CASE(forked_child, NULL),
    CASE(nothing_to_allocate, NULL), CASE(out_of_memory, NULL), CASE(host_reads_device_memory, NULL),
    CASE(fresh_memory_is_poisoned, NULL), CASE(freed_twice, "free:"), CASE(freed_in_the_middle, "free:"),
    CASE(freed_under_queued_work, "use-after-free:"), CASE(host_memory_freed_under_queued_work, "use-after-free:"),
    CASE(queued_on_freed_memory, "address:"), CASE(copied_past_the_end, "address:"), CASE(limit_below_count, NULL),
    CASE(host_to_host_on_a_stream, NULL), CASE(wrong_kind, "kind:"), CASE(copy_that_does_not_wait, "unordered:"),
    CASE(pageable_copy_waits, NULL), CASE(pinned_copy_does_not_wait, NULL), CASE(limits_of_2d, NULL),
    CASE(memory_of_another_device, "device:"), CASE(peer_copy, "peer:"), CASE(destroyed_stream, "stream:"),
    CASE(stream_of_another_device, NULL), CASE(too_many_streams, NULL), CASE(synchronise_with_timeout, NULL),
    CASE(streams_are_not_ordered, "race:"), CASE(freed_before_anybody_waited, "use-after-free:"),
    CASE(event_orders_streams, NULL), CASE(wait_without_sync_flag, NULL),
    CASE(time_without_flag, NULL), CASE(time_before_completion, NULL), CASE(destroyed_event, "event:"),
    CASE(reset_of_extended_event, NULL), CASE(plain_event_recorded_again, "event:"), CASE(plain_event_never_recorded, "event:"),
    CASE(acl_in_a_host_function, "callback:"), CASE(callback_without_thread, NULL), CASE(callback_on_its_thread, NULL),
    CASE(both_kinds_of_callbacks, "callback:"),
    {NULL, NULL, NULL},
};
