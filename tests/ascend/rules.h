#ifndef RULES_H
#define RULES_H

/* What the rule programs share: the emulator's control functions, the check of a status, small tensors. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cann.h"

#define HELPER __attribute__((unused)) static

/* the emulator's own */
int emu_violations(char *, int);
void emu_set_delay(int64_t);
int emu_set_devices(int);
int emu_set_memory(uint64_t);
void emu_set_soc(const char *);
int emu_fault(int, int);
void emu_inject(const char *, int64_t, int);
uint64_t emu_count(const char *);
void emu_reset_counts(void);
int64_t emu_live_objects(const char *);
uint64_t emu_live_bytes(int);
int emu_peek(const void *, void *, uint64_t);

extern int failures;

HELPER void expect(long long got, long long want, const char *text, int line)
{
    if (got == want) return;
    const char *why = aclGetRecentErrMsg();
    printf("line %d: %s gives %lld, not %lld (%s)\n", line, text, got, want, why ? why : "no message");
    ++failures;
}
#define EXPECT(call, want) expect((long long)(call), (want), #call, __LINE__)
#define OK(call) EXPECT(call, 0)

/* --- helpers --- */

HELPER void start(void)
{
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    emu_set_delay(-1); /* work starts only when it is waited for */
}

HELPER float *device_floats(int n)
{
    void *p = NULL;
    OK(aclrtMalloc(&p, n * sizeof(float), 0));
    return p;
}

HELPER float *filled(int n, float value)
{
    float *p = device_floats(n), host[64];
    for (int i = 0; i < n; ++i) host[i] = value;
    OK(aclrtMemcpy(p, n * sizeof(float), host, n * sizeof(float), H2D));
    return p;
}

HELPER float first(const float *p)
{
    float value = -1;
    OK(aclrtMemcpy(&value, sizeof value, p, sizeof value, D2H));
    return value;
}

HELPER aclTensor *tensor_of(int dtype, int64_t n, int64_t stride, int64_t offset, int64_t storage, void *data)
{
    return aclCreateTensor(&n, 1, dtype, &stride, offset, ACL_FORMAT_ND, &storage, 1, data);
}
HELPER aclTensor *vector(int n, void *data) { return tensor_of(ACL_FLOAT, n, 1, 0, n, data); }
HELPER aclScalar *one(void)
{
    float value = 1;
    return aclCreateScalar(&value, ACL_FLOAT);
}

typedef struct {
    float *a, *b, *c;
    aclTensor *ta, *tb, *tc;
    aclScalar *alpha;
    aclOpExecutor *executor;
    uint64_t size;
} Sum;

/* c = a + b on 8 elements, after phase one. */
HELPER Sum make_sum(void)
{
    Sum s;
    s.a = filled(8, 1);
    s.b = filled(8, 2);
    s.c = filled(8, 0);
    s.ta = vector(8, s.a);
    s.tb = vector(8, s.b);
    s.tc = vector(8, s.c);
    s.alpha = one();
    OK(aclnnAddGetWorkspaceSize(s.ta, s.tb, s.alpha, s.tc, &s.size, &s.executor));
    return s;
}

HELPER int add_status(const aclTensor *a, const aclTensor *b, aclTensor *c)
{
    uint64_t size;
    aclOpExecutor *executor = NULL;
    int status = aclnnAddGetWorkspaceSize(a, b, one(), c, &size, &executor);
    if (status == 0) aclDestroyAclOpExecutor(executor);
    return status;
}

HELPER void in_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, arg);
    pthread_join(thread, NULL);
}

typedef struct {
    const char *name;
    void (*run)(void);
    const char *report; /* what the reports of broken rules begin with; null: nothing is reported */
} Case;
#define CASE(name, report) {#name, name, report}
extern const Case runtime_cases[], operator_cases[]; /* each ends with a null name */

#endif
