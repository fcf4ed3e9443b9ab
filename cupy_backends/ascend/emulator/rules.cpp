/* The rules of the operators' arguments, looked up by operator and position. */
#include <map>

#include "internal.h"

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

const std::map<std::string, uint64_t> aicpu = {
#define EMU_AICPU(OP, DTYPES) {#OP, DTYPES},
#define EMU_AICORE_CAST(FROM, TO)
#include "op_aicpu.def"
#undef EMU_AICPU
#undef EMU_AICORE_CAST
};

const std::map<uint64_t, uint64_t> aicore_casts = {
#define EMU_AICPU(OP, DTYPES)
#define EMU_AICORE_CAST(FROM, TO) {FROM, TO},
#include "op_aicpu.def"
#undef EMU_AICPU
#undef EMU_AICORE_CAST
};

bool cast_on_aicpu(aclDataType from, aclDataType to)
{
    auto found = aicore_casts.find(bit(from));
    return from != to && (found == aicore_casts.end() || !(found->second & bit(to)));
}

/* Views are copied by kernels of their own, which lack some dtypes. */
bool view_on_aicpu(const Slot &slot)
{
    constexpr uint64_t in = DOUBLE | COMPLEX128, out = in | COMPLEX64;
    return slot.tensor && !slot.layout.contiguous() && ((slot.direction == IN ? in : out) & bit(slot.layout.dtype));
}

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

bool on_aicpu(const Program &program)
{
    for (const Slot &slot : program.slots)
        if (view_on_aicpu(slot)) return true;
    /* Some cast to the output's dtype first; the first tensor of SWhere is the condition. */
    static const std::set<std::string> cast_first = {"ReduceSum", "ReduceNansum", "Mean", "Prod", "ProdDim", "Cumsum"};
    size_t values = program.op == "SWhere" ? 1 : cast_first.count(program.op) ? program.slots.size() - 1 : 0;
    if (program.slots.size() <= values) return false;
    aclDataType dtype = program.slots[values].layout.dtype;
    if (program.op == "Cast") return cast_on_aicpu(dtype, program.slots[1].layout.dtype);
    if (program.op == "InplaceCopy") return cast_on_aicpu(program.slots[1].layout.dtype, dtype);
    auto found = aicpu.find(program.op);
    return found != aicpu.end() && (found->second & bit(dtype));
}

} // namespace emu
