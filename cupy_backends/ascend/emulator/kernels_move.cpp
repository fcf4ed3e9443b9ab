/* Operators that move elements or make sequences. */
#include "kernels.h"

#include <algorithm>

using namespace emu;

namespace {

View reversed(View v, int64_t axis) /* its strides are negative there: only for reading */
{
    size_t i = size_t(axis);
    if (v.data && v.dims[i] > 0) v.data += (v.dims[i] - 1) * v.strides[i] * int64_t(item_size(v.dtype));
    v.strides[i] = -v.strides[i];
    return v;
}

bool each_axis_once(const Dims &axes, int rank, Dims *normal)
{
    std::vector<bool> seen(size_t(std::max(rank, 1)), false);
    for (int64_t axis : axes) {
        axis = normal_axis(axis, rank);
        if (axis < 0 || seen[size_t(axis)]) return false;
        seen[size_t(axis)] = true;
        normal->push_back(axis);
    }
    return true;
}

} // namespace

EMU_OP(Flip, (const aclTensor *self, const aclIntArray *dims, aclTensor *out), (self, dims, out))
{
    Dims axes;
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype && same_dims(plan, 0, 2), "the output is not like self");
    EMU_REQUIRE(each_axis_once(dims->values, plan.arg(0).rank(), &axes), "an axis is out of range or named twice");
    plan.workspace(512);
    plan.run([=](Frame &f) {
        View v = f.arg(0);
        if (v.rank() > 0)
            for (int64_t axis : axes) v = reversed(v, axis);
        convert(v, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Permute, (const aclTensor *self, const aclIntArray *dims, aclTensor *out), (self, dims, out))
{
    const Layout &in = plan.arg(0), &made = plan.arg(2);
    Dims axes;
    EMU_REQUIRE(int(dims->values.size()) == in.rank() && each_axis_once(dims->values, in.rank(), &axes), "dims is no permutation");
    EMU_REQUIRE(in.dtype == made.dtype && in.rank() == made.rank(), "the output is not like self");
    for (size_t i = 0; i < axes.size(); ++i) EMU_REQUIRE(made.dims[i] == in.dims[size_t(axes[i])], "the output has not the permuted shape");
    plan.run([=](Frame &f) { convert(permuted(f.arg(0), axes), f.arg(2)); });
    return ACLNN_SUCCESS;
}

/* Numbers of tiles, one for each axis of the output; at most 4 above one if the first is, else 3. */
EMU_OP(Repeat, (const aclTensor *self, const aclIntArray *repeats, aclTensor *out), (self, repeats, out))
{
    const Layout &in = plan.arg(0), &made = plan.arg(2);
    Dims tiles = repeats->values;
    EMU_REQUIRE(tiles.size() >= size_t(in.rank()) && tiles.size() <= 8, "repeats has the wrong length");
    EMU_REQUIRE(in.dtype == made.dtype && made.dims.size() == tiles.size(), "the output is not like self");
    int more = 0;
    size_t skip = tiles.size() - size_t(in.rank());
    for (size_t i = 0; i < tiles.size(); ++i) {
        EMU_REQUIRE(tiles[i] >= 0, "a negative repeat");
        EMU_REQUIRE(made.dims[i] == tiles[i] * (i < skip ? 1 : in.dims[i - skip]), "the output has not the tiled shape");
        more += tiles[i] > 1;
    }
    EMU_REQUIRE(more <= (!tiles.empty() && tiles[0] > 1 ? 4 : 3), "%d axes are tiled", more);
    plan.run([=](Frame &f) {
        View from = f.arg(0), to = f.arg(2), a = from, b = to;
        a.dims.clear(), a.strides.clear(), b.dims.clear(), b.strides.clear();
        for (size_t i = 0; i < tiles.size(); ++i) { /* each axis as tile and place in the tile */
            int64_t n = i < skip ? 1 : from.dims[i - skip];
            a.dims.insert(a.dims.end(), {tiles[i], n});
            a.strides.insert(a.strides.end(), {0, i < skip ? 0 : from.strides[i - skip]});
            b.dims.insert(b.dims.end(), {tiles[i], n});
            b.strides.insert(b.strides.end(), {to.strides[i] * n, to.strides[i]});
        }
        convert(a, b);
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Roll, (const aclTensor *x, const aclIntArray *shifts, const aclIntArray *dims, aclTensor *out), (x, shifts, dims, out))
{
    const Layout &in = plan.arg(0);
    EMU_REQUIRE(in.dtype == plan.arg(3).dtype && same_dims(plan, 0, 3), "the output is not like x");
    bool flat = dims->values.empty();
    EMU_REQUIRE(flat ? shifts->values.size() == 1 : shifts->values.size() == dims->values.size(), "shifts and dims differ in length");
    Dims total(flat ? 1 : size_t(in.rank()), 0), moves = shifts->values;
    for (size_t k = 0; k < moves.size(); ++k) {
        int64_t axis = flat ? 0 : normal_axis(dims->values[k], in.rank());
        EMU_REQUIRE(axis >= 0, "an axis is out of range");
        if (!total.empty()) total[size_t(axis)] += moves[k];
    }
    plan.workspace(512);
    plan.run([=](Frame &f) {
        if (f.arg(3).count() == 0) return;
        Array a = load(f.arg(0), f.arg(0).dtype), b(a.dtype, a.dims);
        Dims shape = flat ? Dims{a.count()} : a.dims, strides = contiguous_strides(shape), index(shape.size(), 0);
        size_t size = item_size(a.dtype);
        for (int64_t i = 0, n = a.count(); i < n; ++i) {
            int64_t to = 0, rest = i;
            for (size_t d = 0; d < shape.size(); ++d) {
                int64_t at = rest / strides[d];
                rest %= strides[d];
                to += ((at + total[d]) % shape[d] + shape[d]) % shape[d] * strides[d];
            }
            memcpy(&b.bytes[size_t(to) * size], &a.bytes[size_t(i) * size], size);
        }
        store(b, f.arg(3));
    });
    return ACLNN_SUCCESS;
}

/* --- joining --- */
EMU_OP(Cat, (const aclTensorList *tensors, int64_t dim, aclTensor *out), (tensors, dim, out))
{
    int n = plan.length(0);
    const Layout &made = plan.arg(2);
    EMU_REQUIRE(n > 0, "an empty list");
    int64_t axis = normal_axis(dim, made.rank()), length = 0;
    EMU_REQUIRE(axis >= 0 && made.rank() > 0, "axis %ld is out of range", long(dim));
    aclDataType dtype = plan.item(0, 0).dtype;
    for (int k = 0; k < n; ++k) {
        const Layout &item = plan.item(0, k);
        dtype = promote(dtype, item.dtype);
        EMU_REQUIRE(dtype != ACL_DT_UNDEFINED, "the dtypes do not promote");
        if (item.dims == Dims{0}) continue; /* an empty vector fits any shape */
        EMU_REQUIRE(item.rank() == made.rank(), "the ranks differ");
        for (size_t i = 0; i < made.dims.size(); ++i)
            EMU_REQUIRE(int64_t(i) == axis || item.dims[i] == made.dims[i], "the shapes differ outside of the axis");
        length += item.dims[size_t(axis)];
    }
    EMU_REQUIRE(length == made.dims[size_t(axis)], "the output has not the joined length");
    EMU_REQUIRE(castable(dtype, made.dtype), "%s cannot be cast to the output", dtype_name(dtype));
    plan.run([=](Frame &f) {
        int64_t at = 0;
        for (int k = 0; k < n; ++k) {
            View item = f.item(0, k);
            if (item.dims == Dims{0}) continue;
            Array a = load(item, dtype);
            convert(a.view(), part(f.arg(2), axis, at, item.dims[size_t(axis)]));
            at += item.dims[size_t(axis)];
        }
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Stack, (const aclTensorList *tensors, int64_t dim, aclTensor *out), (tensors, dim, out))
{
    int n = plan.length(0);
    const Layout &made = plan.arg(2);
    EMU_REQUIRE(n > 0 && made.rank() > 0, "an empty list");
    int64_t axis = normal_axis(dim, made.rank());
    EMU_REQUIRE(axis >= 0, "axis %ld is out of range", long(dim));
    aclDataType dtype = plan.item(0, 0).dtype;
    for (int k = 0; k < n; ++k) {
        Dims dims = plan.item(0, k).dims;
        EMU_REQUIRE(int(dims.size()) == made.rank() - 1, "the output has not one axis more");
        dims.insert(dims.begin() + axis, n);
        EMU_REQUIRE(dims == made.dims, "the shapes differ");
        dtype = promote(dtype, plan.item(0, k).dtype);
        EMU_REQUIRE(dtype != ACL_DT_UNDEFINED && castable(dtype, made.dtype), "the dtypes do not fit");
    }
    plan.run([=](Frame &f) {
        for (int k = 0; k < n; ++k) {
            Array a = load(f.item(0, k), dtype);
            convert(a.view(), fixed(f.arg(2), axis, k));
        }
    });
    return ACLNN_SUCCESS;
}

/* --- triangles and diagonals --- */
namespace {

void set_zero(const View &v)
{
    Array zero(v.dtype, {});
    convert(broadcast_to(zero.view(), v.dims), v);
}

aclnnStatus triangle(Plan &plan, int64_t diagonal, bool lower)
{
    EMU_REQUIRE(plan.arg(0).rank() >= 2, "rank below 2");
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype && same_dims(plan, 0, 2), "the output is not like self");
    plan.run([=](Frame &f) {
        View out = f.arg(2);
        Array a = load(f.arg(0), out.dtype);
        size_t size = item_size(a.dtype);
        int64_t columns = a.dims.back(), rows = a.dims[a.dims.size() - 2];
        for (int64_t i = 0, n = a.count(); i < n; ++i) {
            int64_t row = i / columns % rows, column = i % columns;
            if (lower ? column > row + diagonal : column < row + diagonal) memset(&a.bytes[size_t(i) * size], 0, size);
        }
        store(a, out);
    });
    return ACLNN_SUCCESS;
}

View diagonal_of(const View &matrix, int64_t offset, int64_t length)
{
    View v = matrix;
    v.dims = {length};
    v.strides = {matrix.strides[0] + matrix.strides[1]};
    v.data += (offset >= 0 ? offset * matrix.strides[1] : -offset * matrix.strides[0]) * int64_t(item_size(matrix.dtype));
    return v;
}

} // namespace

EMU_OP(Tril, (const aclTensor *self, int64_t diagonal, aclTensor *out), (self, diagonal, out)) { return triangle(plan, diagonal, true); }
EMU_OP(Triu, (const aclTensor *self, int64_t diagonal, aclTensor *out), (self, diagonal, out)) { return triangle(plan, diagonal, false); }

EMU_OP(Diag, (const aclTensor *self, int64_t diagonal, aclTensor *out), (self, diagonal, out))
{
    const Layout &in = plan.arg(0), &made = plan.arg(2);
    EMU_REQUIRE(in.rank() == 1 || in.rank() == 2, "rank %d", in.rank());
    EMU_REQUIRE(in.dtype == made.dtype, "the output has another dtype");
    int64_t length, size = std::abs(diagonal);
    if (in.rank() == 1) {
        length = in.dims[0];
        EMU_REQUIRE((made.dims == Dims{length + size, length + size}), "the output has the wrong shape");
    } else {
        int64_t rows = in.dims[0] - (diagonal < 0 ? size : 0), columns = in.dims[1] - (diagonal > 0 ? size : 0);
        length = std::max<int64_t>(std::min(rows, columns), 0);
        EMU_REQUIRE((made.dims == Dims{length}), "the output has the wrong shape");
    }
    plan.run([=](Frame &f) {
        View a = f.arg(0), b = f.arg(2);
        if (a.rank() == 1) set_zero(b);
        if (length == 0) return;
        convert(a.rank() == 1 ? a : diagonal_of(a, diagonal, length), a.rank() == 1 ? diagonal_of(b, diagonal, length) : b);
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Eye, (int64_t n, int64_t m, aclTensor *out), (n, m, out))
{
    EMU_REQUIRE(n >= 0 && m >= 0 && (plan.arg(2).dims == Dims{n, m}), "the output has the wrong shape");
    int64_t length = std::min(n, m);
    plan.run([=](Frame &f) {
        set_zero(f.arg(2));
        if (length == 0) return;
        View diagonal = diagonal_of(f.arg(2), 0, length);
        Array one(ACL_UINT8, {});
        one.bytes[0] = 1;
        convert(broadcast_to(one.view(), diagonal.dims), diagonal);
    });
    return ACLNN_SUCCESS;
}

/* --- sequences --- */
namespace {

/* start + i * step in the dtype of the output, FLOAT for the small floats. */
aclnnStatus sequence(Plan &plan, const Scalar &start, const Scalar &end, const Scalar &step, bool inclusive)
{
    const Layout &out = plan.arg(3);
    double a = start.real(), b = end.real(), d = step.real();
    EMU_REQUIRE(d != 0 && !std::isnan(d), "step is 0");
    EMU_REQUIRE(out.rank() == 1, "the output is no vector");
    EMU_REQUIRE(d > 0 ? (inclusive ? a <= b : a < b) : (inclusive ? a >= b : a > b), "the range is empty or against the step");
    double exact = (b - a) / d;
    int64_t length = inclusive ? int64_t(std::floor(exact)) + 1 : int64_t(std::ceil(exact));
    EMU_REQUIRE(out.count() == length, "the output has %ld elements, not %ld", long(out.count()), long(length));
    aclDataType compute = is_int(out.dtype) ? ACL_INT64 : out.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    plan.run([=](Frame &f) {
        Array made(compute, f.arg(3).dims);
        for (int64_t i = 0; i < length; ++i) {
            if (compute == ACL_INT64) made.put<int64_t>(i, start.integer() + i * step.integer());
            else if (compute == ACL_DOUBLE) made.put<double>(i, a + double(i) * d);
            else made.put<float>(i, float(a) + float(i) * float(d));
        }
        store(made, f.arg(3));
    });
    return ACLNN_SUCCESS;
}

} // namespace

#define SEQUENCE_PARAMS (const aclScalar *start, const aclScalar *end, const aclScalar *step, aclTensor *out)
EMU_OP(Arange, SEQUENCE_PARAMS, (start, end, step, out)) { return sequence(plan, *start, *end, *step, false); }
EMU_OP(Range, SEQUENCE_PARAMS, (start, end, step, out)) { return sequence(plan, *start, *end, *step, true); }

EMU_OP(Linspace, (const aclScalar *start, const aclScalar *end, int64_t steps, aclTensor *out), (start, end, steps, out))
{
    const Layout &o = plan.arg(3);
    EMU_REQUIRE(o.count() > 0, "an empty output");
    EMU_REQUIRE(steps == o.count(), "steps is not the output's length");
    aclDataType compute = o.dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    double a = start->real(), b = end->real();
    plan.run([=](Frame &f) {
        Array made(ACL_DOUBLE, f.arg(3).dims);
        for (int64_t i = 0; i < steps; ++i) {
            double t = steps == 1 ? 0 : double(i) / double(steps - 1);
            double exact = i == steps - 1 && steps > 1 ? b : a + t * (b - a);
            made.put<double>(i, compute == ACL_DOUBLE ? exact : double(float(exact)));
        }
        store(made, f.arg(3));
    });
    return ACLNN_SUCCESS;
}
