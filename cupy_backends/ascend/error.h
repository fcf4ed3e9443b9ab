/* CANN's status codes as statuses of the neutral interface, with a text for the user. */
#ifndef ASCEND_ERROR_H
#define ASCEND_ERROR_H

#include "xpu_backend.h"

namespace ascend {

/* To be called right after the failing call: reads CANN's message of this thread. `what` names the call. */
xpu_status acl_failed(int code, const char *what, int32_t device = -1);
xpu_status fail(xpu_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *last_error(void *ctx);
const char *status_name(int code);
const char *status_meaning(int code);

bool is_fatal(int code);             /* after it the device computes no more */
void mark_lost(int32_t device, const char *why);
xpu_status check_lost(int32_t device); /* XPU_OK, or XPU_DEVICE_LOST with the reason */

/* The names of the last operators launched on a stream, for messages of faults that surface later. */
void note_launch(xpu_stream stream, const char *op);

#define ACL_TRY(device, call)                                                   \
    do {                                                                        \
        int code_ = (call);                                                     \
        if (code_ != 0) return ::ascend::acl_failed(code_, #call, (device));    \
    } while (0)

} // namespace ascend
#endif
