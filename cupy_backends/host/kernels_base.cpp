/* Casts and selections for any CPU. */
#include "casts.h"

namespace host {
namespace base {
#include "cast_kernels.h"
#include "select_kernels.h"
}
} // namespace host
