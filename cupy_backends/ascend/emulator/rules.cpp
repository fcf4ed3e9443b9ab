/* The rules of the operators' arguments, looked up by operator and position. */
#include <map>

#include "core.h"

namespace emu {
namespace {

constexpr uint64_t FLOAT = bit(ACL_FLOAT), FLOAT16 = bit(ACL_FLOAT16), INT8 = bit(ACL_INT8), INT32 = bit(ACL_INT32), UINT8 = bit(ACL_UINT8),
                   INT16 = bit(ACL_INT16), UINT16 = bit(ACL_UINT16), UINT32 = bit(ACL_UINT32), INT64 = bit(ACL_INT64),
                   UINT64 = bit(ACL_UINT64), DOUBLE = bit(ACL_DOUBLE), BOOL = bit(ACL_BOOL), COMPLEX64 = bit(ACL_COMPLEX64),
                   COMPLEX128 = bit(ACL_COMPLEX128), BF16 = bit(ACL_BF16), COMPLEX32 = bit(ACL_COMPLEX32);

const ParamRule rows[] = {
#define EMU_RULE(OP, POSITION, DIRECTION, DTYPES, RANK, STRIDED, OPTIONAL) {#OP, POSITION, DIRECTION, DTYPES, RANK, STRIDED, OPTIONAL},
#include "op_rules.def"
#undef EMU_RULE
};

std::map<std::pair<std::string, int>, const ParamRule *> index_rows()
{
    std::map<std::pair<std::string, int>, const ParamRule *> made;
    for (const ParamRule &row : rows) made[{row.op, row.position}] = &row;
    return made;
}

} // namespace

const ParamRule *find_rule(const char *op, int position)
{
    static const auto index = index_rows();
    auto found = index.find({op, position});
    return found == index.end() ? nullptr : found->second;
}

} // namespace emu
