/* CANN's libraries, opened at first use. One pointer per line of acl_functions.def, two per line of aclnn_functions.def; a pointer is
 * null where the CANN at hand has no such function. */
#ifndef ASCEND_LIBRARY_H
#define ASCEND_LIBRARY_H

#include "acl_types.h"

namespace ascend {

struct Api {
#define ACL_API(ret, name, ...) ret (*name)(__VA_ARGS__);
#include "acl_functions.def"
#undef ACL_API
};
extern Api acl;

enum class Op : int16_t {
#define ACLNN_OP(name, ...) name,
#include "aclnn_functions.def"
#undef ACLNN_OP
    Count
};

struct OpSymbols {
    const char *name;
    void *plan;                                                                       /* aclnn<name>GetWorkspaceSize */
    aclnnStatus (*run)(void *workspace, uint64_t size, aclOpExecutor *executor, const aclrtStream stream); /* aclnn<name> */
};
extern OpSymbols operators[static_cast<int>(Op::Count)];
inline bool available(Op op) { return operators[static_cast<int>(op)].plan && operators[static_cast<int>(op)].run; }

/* What was found, for doctor and show_config. Paths are empty where nothing was opened. */
struct Found {
    bool tried, ok, emulated;
    char runtime[512], base[512], operators_math[512], operators_nn[512];
    char problem[1024]; /* what is missing and what to do, when not ok */
    int missing;        /* aclnn operators without symbols */
};
const Found &found();

bool load();                                    /* once; false: found().problem tells */
void *open_library(const char *name);           /* another library of CANN or NNAL by the same search; null if absent */
const char *library_path(void *handle, const char *symbol, char *buffer, size_t size); /* where a symbol came from */

} // namespace ascend
#endif
