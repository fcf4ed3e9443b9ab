/* Rules of tensors, executors and the two-phase call, each broken once; faults, injection, messages. */
#include "rules.h"

/* --- tensors and phase one --- */

static void null_arguments(void)
{
    start();
    float *p = device_floats(8);
    EXPECT(add_status(NULL, vector(8, p), vector(8, p)), 161001);
    EXPECT(add_status(vector(8, NULL), vector(8, p), vector(8, device_floats(8))), 161001);
    uint64_t size;
    EXPECT(aclnnAddGetWorkspaceSize(vector(8, p), vector(8, p), NULL, vector(8, device_floats(8)), &size, NULL), 161001);
}
static void dtype_that_is_refused(void)
{
    start();
    void *p = device_floats(32), *q = device_floats(32);
    aclTensor *t = tensor_of(ACL_UINT64, 8, 1, 0, 8, p);
    EXPECT(add_status(t, t, tensor_of(ACL_UINT64, 8, 1, 0, 8, q)), 161002);
}
static void dtype_that_the_chip_lacks(void)
{
    emu_set_soc("Ascend910A");
    start();
    void *p = device_floats(8), *q = device_floats(8);
    EXPECT(add_status(tensor_of(27, 8, 1, 0, 8, p), tensor_of(27, 8, 1, 0, 8, p), tensor_of(27, 8, 1, 0, 8, q)), 161002);
}
static void rank_nine(void)
{
    start();
    int64_t dims[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    aclTensor *t = aclCreateTensor(dims, 9, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 9, device_floats(1));
    EXPECT(add_status(t, t, vector(1, device_floats(1))), 161002);
}
static void other_format(void)
{
    start();
    int64_t dims[4] = {1, 1, 1, 1};
    aclTensor *t = aclCreateTensor(dims, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, dims, 4, device_floats(1));
    EXPECT(add_status(t, t, vector(1, device_floats(1))), 161002);
}
static void shapes_that_do_not_broadcast(void)
{
    start();
    EXPECT(add_status(vector(8, device_floats(8)), vector(4, device_floats(4)), vector(8, device_floats(8))), 161002);
}
static void negative_stride(void)
{
    start();
    aclTensor *t = tensor_of(ACL_FLOAT, 8, -1, 7, 8, device_floats(8));
    EXPECT(add_status(t, vector(8, device_floats(8)), vector(8, device_floats(8))), 161002);
}
static void misaligned_base(void)
{
    start();
    EXPECT(add_status(vector(8, device_floats(64) + 1), vector(8, device_floats(8)), vector(8, device_floats(8))), 161002);
}
static void storage_smaller_than_view(void)
{
    start();
    aclTensor *t = tensor_of(ACL_FLOAT, 8, 2, 1, 15, device_floats(16));
    EXPECT(add_status(t, vector(8, device_floats(8)), vector(8, device_floats(8))), 161002);
}
static void storage_larger_than_memory(void)
{
    start();
    aclTensor *a = tensor_of(ACL_FLOAT, 8, 1, 0, 64, device_floats(8)), *c = vector(8, device_floats(8));
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnAddGetWorkspaceSize(a, a, one(), c, &size, &e));
    EXPECT(aclnnAdd(NULL, 0, e, NULL), 161002);
}
static void host_memory_as_tensor(void)
{
    start();
    static float host[8] __attribute__((aligned(64)));
    EXPECT(add_status(vector(8, host), vector(8, device_floats(8)), vector(8, device_floats(8))), 161002);
}
static void tensor_of_another_device(void)
{
    emu_set_devices(2);
    start();
    aclTensor *t = vector(8, device_floats(8));
    OK(aclrtSetDevice(1));
    EXPECT(add_status(t, vector(8, device_floats(8)), vector(8, device_floats(8))), 161002);
}
static void output_that_is_an_input(void)
{
    start();
    aclTensor *t = vector(8, device_floats(8));
    EXPECT(add_status(t, vector(8, device_floats(8)), t), 161002);
}
static void output_that_overlaps_an_input(void)
{
    start();
    float *p = device_floats(16);
    aclTensor *even = tensor_of(ACL_FLOAT, 8, 2, 0, 16, p), *odd = tensor_of(ACL_FLOAT, 8, 2, 1, 16, p);
    OK(add_status(even, even, odd)); /* interleaved, no common element */
    EXPECT(add_status(even, even, tensor_of(ACL_FLOAT, 8, 1, 1, 16, p)), 161002);
}
static void output_that_overlaps_itself(void)
{
    start();
    aclTensor *a = vector(8, device_floats(8));
    EXPECT(add_status(a, a, tensor_of(ACL_FLOAT, 8, 0, 0, 1, device_floats(1))), 161002);
}
static void output_that_must_be_contiguous(void)
{
    start();
    uint64_t size;
    aclOpExecutor *e;
    aclTensor *out = tensor_of(ACL_BOOL, 8, 2, 0, 16, device_floats(4));
    EXPECT(aclnnIsInfGetWorkspaceSize(vector(8, device_floats(8)), out, &size, &e), 161002);
}
static void empty_and_zero_dimensional(void)
{
    start();
    OK(add_status(vector(0, NULL), vector(0, NULL), vector(0, NULL)));
    int64_t n = 1;
    aclTensor *a = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, filled(1, 4));
    float *p = device_floats(1);
    aclTensor *c = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &n, 1, p);
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnAddGetWorkspaceSize(a, a, one(), c, &size, &e));
    OK(aclnnAdd(NULL, 0, e, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(first(p), 8);
}

/* --- executors and phase two --- */

/* A view needs a workspace for its copy. */
static aclOpExecutor *strided_sum(uint64_t *size)
{
    aclOpExecutor *e;
    aclTensor *a = tensor_of(ACL_FLOAT, 8, 2, 0, 16, filled(16, 1));
    OK(aclnnAddGetWorkspaceSize(a, a, one(), vector(8, device_floats(8)), size, &e));
    EXPECT(*size > 0, 1);
    return e;
}
static void executor_used_twice(void)
{
    start();
    Sum s = make_sum();
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 561103);
}
static void workspace_on_two_streams(void)
{
    start();
    aclrtStream stream;
    uint64_t size;
    OK(aclrtCreateStream(&stream));
    aclOpExecutor *a = strided_sum(&size), *b = strided_sum(&size);
    void *workspace = device_floats((int)size);
    OK(aclnnAdd(workspace, size, a, stream));
    OK(aclnnAdd(workspace, size, b, NULL));
}
static void executor_of_another_operator(void)
{
    start();
    Sum s = make_sum();
    EXPECT(aclnnInplaceCopy(NULL, 0, s.executor, NULL), 561102);
}
static void *run_sum(void *arg)
{
    Sum *s = arg;
    OK(aclrtSetDevice(0));
    EXPECT(aclnnAdd(NULL, 0, s->executor, NULL), 561102);
    return NULL;
}
static void executor_of_another_thread(void)
{
    start();
    Sum s = make_sum();
    in_thread(run_sum, &s);
}
static void executor_of_another_device(void)
{
    emu_set_devices(2);
    start();
    Sum s = make_sum();
    OK(aclrtSetDevice(1));
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 161002);
}
static void executor_that_leaks(void)
{
    start();
    make_sum();
    EXPECT(emu_live_objects("executor"), 1);
    EXPECT(emu_live_objects("tensor"), 3);
    EXPECT(emu_live_objects("scalar"), 1);
}
static void repeatable_executor(void)
{
    start();
    Sum s = make_sum();
    float *d = filled(8, 10);
    OK(aclSetAclOpExecutorRepeatable(s.executor));
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    OK(aclSetInputTensorAddr(s.executor, 1, s.tb, s.c));
    OK(aclSetOutputTensorAddr(s.executor, 0, s.tc, d));
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    OK(aclDestroyAclOpExecutor(s.executor));
    OK(aclDestroyTensor(s.ta));
    OK(aclDestroyTensor(s.tb));
    OK(aclDestroyTensor(s.tc));
    OK(aclDestroyScalar(s.alpha));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(first(s.c), 3);
    EXPECT(first(d), 4);
    EXPECT(emu_live_objects("executor") + emu_live_objects("tensor") + emu_live_objects("scalar"), 0);
}
static void aliasing_after_new_addresses(void)
{
    start();
    Sum s = make_sum();
    OK(aclSetAclOpExecutorRepeatable(s.executor));
    OK(aclSetOutputTensorAddr(s.executor, 0, s.tc, s.a));
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 161002);
}
static void address_of_no_tensor(void)
{
    start();
    Sum s = make_sum();
    EXPECT(aclSetInputTensorAddr(s.executor, 2, s.ta, s.b), 161002);
    EXPECT(aclSetTensorAddr(NULL, 0, s.ta, s.b), 561103);
    OK(aclSetTensorAddr(s.executor, 2, s.tc, s.c));
}
static void address_of_another_tensor(void)
{
    start();
    Sum s = make_sum();
    EXPECT(aclSetInputTensorAddr(s.executor, 0, s.tb, s.b), 161002);
}
static void address_that_is_misaligned(void)
{
    start();
    Sum s = make_sum();
    EXPECT(aclSetInputTensorAddr(s.executor, 0, s.ta, device_floats(64) + 3), 161002);
}
static void addresses_of_a_list(void)
{
    start();
    float *a = filled(4, 1), *b = filled(4, 2), *c = device_floats(8);
    const aclTensor *members[2] = {vector(4, a), vector(4, b)};
    aclTensorList *list = aclCreateTensorList(members, 2);
    aclTensor *out = vector(8, c);
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnCatGetWorkspaceSize(list, 0, out, &size, &e));
    OK(aclSetAclOpExecutorRepeatable(e));
    OK(aclSetDynamicInputTensorAddr(e, 0, 0, list, b));
    OK(aclSetDynamicInputTensorAddr(e, 0, 1, list, a));
    EXPECT(aclSetDynamicInputTensorAddr(e, 0, 2, list, a), 161002);
    void *workspace = size ? device_floats((int)size) : NULL;
    OK(aclnnCat(workspace, size, e, NULL));
    OK(aclrtSynchronizeStream(NULL));
    EXPECT(first(c), 2);
    OK(aclDestroyAclOpExecutor(e));
    OK(aclDestroyTensorList(list));
    EXPECT(emu_live_objects("tensor"), 1);
    EXPECT(aclDestroyTensor(members[0]), 161002); /* went with the list */
}

static void no_workspace(void)
{
    start();
    uint64_t size;
    aclOpExecutor *e = strided_sum(&size);
    EXPECT(aclnnAdd(NULL, size, e, NULL), 161001);
    EXPECT(emu_live_objects("executor"), 0);
}
static void short_workspace(void)
{
    start();
    uint64_t size;
    aclOpExecutor *e = strided_sum(&size);
    EXPECT(aclnnAdd(device_floats(64), size / 2, e, NULL), 161002);
}
static void workspace_that_overlaps(void)
{
    start();
    uint64_t size;
    aclOpExecutor *e;
    float *p = filled(16, 1), *q = device_floats(1024);
    aclTensor *a = tensor_of(ACL_FLOAT, 8, 2, 0, 16, p);
    OK(aclnnAddGetWorkspaceSize(a, a, one(), vector(8, q), &size, &e));
    EXPECT(aclnnAdd(q, size, e, NULL), 161002);
}
static void tensor_destroyed_too_early(void)
{
    start();
    Sum s = make_sum();
    OK(aclDestroyTensor(s.ta));
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 161002);
}
static void tensor_destroyed_before_repeatable_executor(void)
{
    start();
    Sum s = make_sum();
    OK(aclSetAclOpExecutorRepeatable(s.executor));
    OK(aclnnAdd(NULL, 0, s.executor, NULL));
    OK(aclDestroyTensor(s.ta));
}
static void tensor_destroyed_twice(void)
{
    start();
    aclTensor *t = vector(8, NULL);
    OK(aclDestroyTensor(t));
    EXPECT(aclDestroyTensor(t), 161002);
}
static void raw_address_between_the_phases(void)
{
    start();
    Sum s = make_sum();
    OK(aclSetRawTensorAddr(s.ta, s.b));
}

/* The positions of two ones among eight numbers, queued. */
static aclTensor *queued_nonzero(void)
{
    float host[8] = {0, 1, 0, 0, 0, 1, 0, 0};
    float *p = device_floats(8);
    OK(aclrtMemcpy(p, 32, host, 32, H2D));
    int64_t dims[2] = {8, 1};
    aclTensor *out = aclCreateTensor(dims, 2, ACL_INT64, NULL, 0, ACL_FORMAT_ND, dims, 2, device_floats(16));
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnNonzeroGetWorkspaceSize(vector(8, p), out, &size, &e));
    OK(aclnnNonzero(size ? device_floats((int)size) : NULL, size, e, NULL));
    return out;
}
static void shape_after_the_work(void)
{
    start();
    aclTensor *out = queued_nonzero();
    int64_t *dims;
    uint64_t rank;
    OK(aclGetViewShape(out, &dims, &rank));
    EXPECT(dims[0], 8); /* not known yet */
    OK(aclrtSynchronizeStream(NULL));
    OK(aclGetViewShape(out, &dims, &rank));
    EXPECT(rank, 2);
    EXPECT(dims[0], 2);
}
static void output_destroyed_before_its_shape(void)
{
    start();
    OK(aclDestroyTensor(queued_nonzero()));
    OK(aclrtSynchronizeStream(NULL));
}
static void executor_that_cannot_repeat(void)
{
    start();
    void *values = device_floats(8), *inverse = device_floats(16), *counts = device_floats(16);
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnUnique2GetWorkspaceSize(vector(8, device_floats(8)), true, true, true, vector(8, values),
                                    tensor_of(ACL_INT64, 8, 1, 0, 8, inverse), tensor_of(ACL_INT64, 8, 1, 0, 8, counts), &size, &e));
    EXPECT(aclSetAclOpExecutorRepeatable(e), 561000);
    OK(aclDestroyAclOpExecutor(e));
}

/* --- threads --- */

enum { kThreads = 8, kRounds = 50 };
static aclrtEvent recorded[2]; /* of the inputs, one for each device */
static float *shared_input[2];

/* Sums on its own stream of one of two devices: own executors, a shared input that an event announces. */
static void *sums(void *arg)
{
    int device = (int)(intptr_t)arg % 2;
    aclrtStream stream;
    uint64_t size;
    aclOpExecutor *executor;
    OK(aclrtSetDevice(device));
    OK(aclrtCreateStream(&stream));
    OK(aclrtStreamWaitEvent(stream, recorded[device]));
    float *a = device_floats(8), *b = device_floats(8), value = 0;
    aclTensor *in = vector(8, shared_input[device]), *x = vector(8, a), *y = vector(8, b);
    aclScalar *alpha = one();
    OK(aclrtMemsetAsync(a, 32, 0, 32, stream));
    OK(aclnnAddGetWorkspaceSize(x, in, alpha, y, &size, &executor));
    OK(aclSetAclOpExecutorRepeatable(executor));
    for (int i = 0; i < kRounds; ++i) {
        OK(aclSetInputTensorAddr(executor, 0, x, i % 2 ? b : a));
        OK(aclSetOutputTensorAddr(executor, 0, y, i % 2 ? a : b));
        OK(aclnnAdd(NULL, 0, executor, stream));
        if (i % 10 == 9) OK(aclrtSynchronizeStream(stream));
    }
    OK(aclrtMemcpyAsync(&value, 4, a, 4, D2H, stream));
    EXPECT(value, kRounds * (device + 1));
    OK(aclDestroyAclOpExecutor(executor));
    OK(aclDestroyTensor(in));
    OK(aclDestroyTensor(x));
    OK(aclDestroyTensor(y));
    OK(aclDestroyScalar(alpha));
    OK(aclrtFree(a));
    OK(aclrtFree(b));
    OK(aclrtDestroyStream(stream));
    return NULL;
}
static void threads_streams_devices(void)
{
    pthread_t threads[kThreads];
    emu_set_devices(2);
    start();
    emu_set_delay(50);
    for (int d = 0; d < 2; ++d) {
        OK(aclrtSetDevice(d));
        shared_input[d] = filled(8, (float)(d + 1));
        OK(aclrtCreateEventExWithFlag(&recorded[d], ACL_EVENT_SYNC));
        OK(aclrtRecordEvent(recorded[d], NULL));
    }
    for (intptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, sums, (void *)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    EXPECT(emu_live_objects("executor") + emu_live_objects("tensor") + emu_live_objects("stream"), 0);
    EXPECT(emu_live_bytes(0) + emu_live_bytes(1), 64);
}

/* --- faults, injection, messages --- */

static void lost_device(void)
{
    start();
    Sum s = make_sum();
    aclrtStream stream;
    void *p;
    OK(aclrtCreateStream(&stream));
    emu_fault(0, 507015);
    EXPECT(aclnnAdd(NULL, 0, s.executor, NULL), 361001);
    EXPECT(aclrtSynchronizeStream(NULL), 507015);
    EXPECT(aclrtMalloc(&p, 4, 0), 507015);
    EXPECT(aclrtSetDevice(0), 507015);
    EXPECT(aclrtDestroyStream(stream), 507015);
    EXPECT(aclrtFree(s.a), 507015);
}
static void index_out_of_range(void)
{
    start();
    float *p = filled(8, 1), *q = device_floats(2);
    int64_t values[2] = {1, 8};
    void *indices = device_floats(4);
    OK(aclrtMemcpy(indices, 16, values, 16, H2D));
    aclTensor *index = tensor_of(ACL_INT64, 2, 1, 0, 2, indices);
    uint64_t size;
    aclOpExecutor *e;
    OK(aclnnIndexSelectGetWorkspaceSize(vector(8, p), 0, index, vector(2, q), &size, &e));
    void *workspace = size ? device_floats((int)size) : NULL;
    OK(aclnnIndexSelect(workspace, size, e, NULL));
    EXPECT(aclrtSynchronizeStream(NULL), 507015);
    EXPECT(aclrtSynchronizeDevice(), 507015);
}
static void injected_failure(void)
{
    start();
    void *p;
    emu_inject("aclrtMalloc", 2, 207001);
    OK(aclrtMalloc(&p, 4, 0));
    EXPECT(aclrtMalloc(&p, 4, 0), 207001);
    EXPECT(strstr(aclGetRecentErrMsg(), "injected") != NULL, 1);
    OK(aclrtMalloc(&p, 4, 0));
    emu_inject("*", 1, 507899);
    EXPECT(aclrtSynchronizeDevice(), 507899);
    emu_inject("aclCreateTensor", 1, 1);
    EXPECT(vector(8, NULL) == NULL, 1);
}
static void *own_message(void *arg)
{
    (void)arg;
    EXPECT(aclGetRecentErrMsg() == NULL, 1);
    return NULL;
}
static void message_is_read_once(void)
{
    start();
    EXPECT(aclrtFree(NULL), 107000);
    in_thread(own_message, NULL);
    EXPECT(aclGetRecentErrMsg() != NULL, 1);
    EXPECT(aclGetRecentErrMsg() == NULL, 1);
}
static void calls_are_counted(void)
{
    start();
    emu_reset_counts();
    make_sum();
    EXPECT(emu_count("aclnnAddGetWorkspaceSize"), 1);
    EXPECT(emu_count("aclnnAdd"), 0);
    EXPECT(emu_count("aclrtMalloc"), 3);
}

const Case operator_cases[] = {
    CASE(null_arguments, NULL), CASE(dtype_that_is_refused, NULL), CASE(dtype_that_the_chip_lacks, NULL), CASE(rank_nine, NULL),
    CASE(other_format, NULL), CASE(shapes_that_do_not_broadcast, NULL), CASE(negative_stride, "tensor:"),
    CASE(misaligned_base, "tensor:"), CASE(storage_smaller_than_view, "tensor:"), CASE(storage_larger_than_memory, "address:"),
    CASE(host_memory_as_tensor, "tensor:"), CASE(tensor_of_another_device, "tensor:"), CASE(output_that_is_an_input, "aliasing:"),
    CASE(output_that_overlaps_an_input, "aliasing:"), CASE(output_that_overlaps_itself, "tensor:"),
    CASE(output_that_must_be_contiguous, NULL), CASE(empty_and_zero_dimensional, NULL), CASE(executor_used_twice, "executor:"),
    CASE(executor_of_another_operator, "executor:"), CASE(executor_of_another_thread, "executor:"),
    CASE(executor_of_another_device, "executor:"), CASE(executor_that_leaks, NULL), CASE(repeatable_executor, NULL),
    CASE(aliasing_after_new_addresses, "aliasing:"), CASE(address_of_no_tensor, NULL), CASE(address_of_another_tensor, "executor:"),
    CASE(address_that_is_misaligned, "tensor:"), CASE(addresses_of_a_list, "object:"), CASE(no_workspace, NULL),
    CASE(workspace_on_two_streams, "race:"),
    CASE(short_workspace, "workspace:"), CASE(workspace_that_overlaps, "workspace:"), CASE(tensor_destroyed_too_early, "lifetime:"),
    CASE(tensor_destroyed_before_repeatable_executor, "lifetime:"), CASE(tensor_destroyed_twice, "object:"),
    CASE(raw_address_between_the_phases, "lifetime:"), CASE(threads_streams_devices, NULL),
    CASE(shape_after_the_work, NULL), CASE(output_destroyed_before_its_shape, "lifetime:"), CASE(executor_that_cannot_repeat, NULL),
    CASE(lost_device, NULL), CASE(index_out_of_range, NULL),
    CASE(injected_failure, NULL), CASE(message_is_read_once, NULL), CASE(calls_are_counted, NULL),
    {NULL, NULL, NULL},
};
