/* What each thread has of its own: current device and stream, error text, blocks at hand. */
#include <pthread.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "pool.h"
#include "runtime.h"

namespace xpu {

__thread Thread *this_thread = nullptr;

namespace {

pthread_key_t key;
pthread_once_t once = PTHREAD_ONCE_INIT;

void end_thread(void *p) {
    auto *t = static_cast<Thread *>(p);
    drop_thread_memory(t);
    this_thread = nullptr;
    delete t;
}

} // namespace

Thread *make_thread() {
    pthread_once(&once, [] { pthread_key_create(&key, end_thread); });
    auto *t = new Thread();
    t->error[0] = t->pending_text[0] = '\0';
    pthread_setspecific(key, t);
    this_thread = t;
    return t;
}

xpu_status fail(xpu_status status, const char *format, ...) {
    char *text = thread().error;
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof thread().error, format, args);
    va_end(args);
    return status;
}

xpu_status fail_from(const xpu_backend *b, xpu_status status, const char *what) {
    const char *text = b && b->runtime.last_error ? b->runtime.last_error(b->ctx) : "";
    if (text && *text) return fail(status, "%s: %s", what, text);
    return fail(status, "%s failed with status %d", what, static_cast<int>(status & XPU_CODE_MASK));
}

} // namespace xpu
