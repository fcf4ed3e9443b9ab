#ifndef HOST_MATMUL_H
#define HOST_MATMUL_H

#include <mutex>

#include "reduce.h"

namespace host {

/* While it lives (and ok), OpenBLAS runs each call on the caller's thread. Not ok: no setter, or another thread is at it. */
class SingleThreadedBlas {
  public:
    SingleThreadedBlas();
    ~SingleThreadedBlas();
    bool ok = false;

  private:
    std::unique_lock<std::mutex> lock_;
    int before_ = 1;
};

/* Integer products modulo 2^bits: (m, k) @ (k, n), byte strides {row, column}; n contiguous in b and out. */
typedef void (*IntegerProduct)(const char *a, const int64_t *sa, const char *b, int64_t sb, char *out, int64_t so, int64_t m, int64_t k,
                               int64_t n);
IntegerProduct integer_product(int dtype);

} // namespace host
#endif
