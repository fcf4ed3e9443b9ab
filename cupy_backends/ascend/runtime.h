/* The runtime table of the Ascend backend: ACL behind the neutral interface. */
#ifndef ASCEND_RUNTIME_H
#define ASCEND_RUNTIME_H

#include "xpu_backend.h"

namespace ascend {

extern const xpu_runtime_table runtime_table;

xpu_status initialize(const char **message); /* opens CANN and aclInit; once */

/* Makes a device current in this thread and restores the caller's afterwards. */
class DeviceGuard {
  public:
    explicit DeviceGuard(int32_t device);
    ~DeviceGuard();
    xpu_status status; /* XPU_OK when the device is current */

  private:
    int32_t before_;
};

#define ON_DEVICE(device)                                                                                                                  \
    ::ascend::DeviceGuard guard_(device);                                                                                                  \
    if (guard_.status != XPU_OK) return guard_.status

bool stream_lives(xpu_stream stream); /* the default stream, or one that was made here and not destroyed */

constexpr int64_t kAlignment = 512, kPadding = 32; /* of memory blocks, bytes */

} // namespace ascend
#endif
