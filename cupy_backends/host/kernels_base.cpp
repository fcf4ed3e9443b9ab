/* Casts and where for any CPU. */
#include "casts.h"

namespace host {
namespace base {
#include "cast_kernels.h"
#include "where_kernels.h"
}
} // namespace host
