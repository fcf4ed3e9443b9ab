/* Copies, casts and fills. */
#include "kernels.h"

using namespace emu;

EMU_OP(InplaceCopy, (aclTensor * selfRef, const aclTensor *src), (selfRef, src))
{
    const Layout &self = plan.arg(0), &from = plan.arg(1);
    Dims dims;
    EMU_REQUIRE(broadcast(self.dims, from.dims, &dims) && dims == self.dims, "src does not broadcast to selfRef");
    EMU_REQUIRE(rank_fits_broadcast(from.dtype, {&from.dims}, self.dims), "six or more axes remain to be broadcast");
    plan.run([](Frame &f) { convert(broadcast_to(f.arg(1), f.arg(0).dims), f.arg(0)); });
    return ACLNN_SUCCESS;
}

EMU_OP(Cast, (const aclTensor *self, const aclDataType dtype, aclTensor *out), (self, dtype, out))
{
    const Layout &from = plan.arg(0);
    EMU_REQUIRE(dtype == plan.arg(2).dtype, "dtype is not the output's");
    EMU_REQUIRE(same_dims(plan, 0, 2), "the shapes differ");
    bool picky = from.dtype == ACL_BOOL || is_complex_dtype(from.dtype);
    EMU_REQUIRE(!picky || from.contiguous(), "a %s source must be contiguous", dtype_name(from.dtype));
    plan.run([](Frame &f) { convert(f.arg(0), f.arg(2)); });
    return ACLNN_SUCCESS;
}

namespace {
aclnnStatus fill(Plan &plan, int position, const Scalar &value)
{
    plan.run([=](Frame &f) { convert(broadcast_to(scalar_view(value), f.arg(position).dims), f.arg(position)); });
    return ACLNN_SUCCESS;
}

Scalar byte_scalar(uint8_t value)
{
    Scalar s;
    s.dtype = ACL_UINT8;
    s.bytes[0] = value;
    return s;
}
} // namespace

EMU_OP(InplaceFillScalar, (aclTensor * selfRef, const aclScalar *value), (selfRef, value)) { return fill(plan, 0, *value); }
EMU_OP(InplaceZero, (aclTensor * selfRef), (selfRef)) { return fill(plan, 0, byte_scalar(0)); }
EMU_OP(InplaceOne, (const aclTensor *selfRef), (selfRef)) { return fill(plan, 0, byte_scalar(1)); }

EMU_OP(InplaceFillTensor, (aclTensor * selfRef, const aclTensor *value), (selfRef, value))
{
    const Layout &v = plan.arg(1);
    EMU_REQUIRE(v.rank() <= 1 && v.count() == 1, "value has not one element");
    plan.run([](Frame &f) {
        View one = f.arg(1);
        one.dims.clear(), one.strides.clear();
        convert(broadcast_to(one, f.arg(0).dims), f.arg(0));
    });
    return ACLNN_SUCCESS;
}

namespace {
aclnnStatus masked_fill(Plan &plan, Operand value)
{
    Dims dims;
    const Layout &self = plan.arg(0);
    EMU_REQUIRE(broadcast(self.dims, plan.arg(1).dims, &dims) && dims == self.dims, "mask does not broadcast to selfRef");
    EMU_REQUIRE(value.position < 0 || plan.arg(2).count() == 1, "value has not one element");
    plan.run([=](Frame &f) {
        View self = f.arg(0), v = value.position < 0 ? scalar_view(value.scalar) : f.arg(2);
        if (self.count() == 0) return;
        v.dims.clear(), v.strides.clear();
        Array mask = load(f.arg(1), ACL_BOOL, self.dims), one = load(v, self.dtype);
        size_t size = item_size(self.dtype);
        const uint8_t *take = mask.as<uint8_t>();
        const Dims *const strides[] = {&self.strides};
        for_each(self.dims, strides, [&](const int64_t (&at)[1]) {
            if (*take++) memcpy(self.data + at[0] * int64_t(size), one.bytes.data(), size);
        });
    });
    return ACLNN_SUCCESS;
}
} // namespace

EMU_OP(InplaceMaskedFillScalar, (aclTensor * selfRef, const aclTensor *mask, const aclScalar *value), (selfRef, mask, value))
{
    return masked_fill(plan, Scalar(*value));
}

EMU_OP(InplaceMaskedFillTensor, (aclTensor * selfRef, const aclTensor *mask, const aclTensor *value), (selfRef, mask, value))
{
    return masked_fill(plan, 2);
}

EMU_OP(SWhere, (const aclTensor *condition, const aclTensor *self, const aclTensor *other, aclTensor *out), (condition, self, other, out))
{
    aclDataType dtype = promoted(plan, 1, 2);
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED && castable(dtype, plan.arg(3).dtype), "the dtypes do not fit");
    Dims dims;
    EMU_REQUIRE(broadcast(plan.arg(1).dims, plan.arg(2).dims, &dims) && broadcastable(dims, plan.arg(0).dims, plan.arg(3).dims),
                "the shapes do not broadcast");
    EMU_REQUIRE(rank_fits_broadcast(dtype, {&plan.arg(0).dims, &plan.arg(1).dims, &plan.arg(2).dims}, plan.arg(3).dims),
                "six or more axes remain to be broadcast");
    plan.run([=](Frame &f) {
        View out = f.arg(3);
        Array condition = load(f.arg(0), ACL_BOOL, out.dims), yes = load(f.arg(1), dtype, out.dims), no = load(f.arg(2), dtype, out.dims);
        size_t size = item_size(dtype);
        for (int64_t i = 0, n = no.count(); i < n; ++i)
            if (condition.get<Bool>(i)) memcpy(&no.bytes[size_t(i) * size], &yes.bytes[size_t(i) * size], size);
        store(no, out);
    });
    return ACLNN_SUCCESS;
}
