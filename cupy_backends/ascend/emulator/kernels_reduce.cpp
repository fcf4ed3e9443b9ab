/* Reductions and scans. The reduced axes are moved last, so that a kernel sees rows. */
#include "kernels.h"

#include <algorithm>

using namespace emu;

namespace {

struct Axes {
    Dims kept, reduced;                  /* axis numbers */
    Dims order() const
    {
        Dims all = kept;
        all.insert(all.end(), reduced.begin(), reduced.end());
        return all;
    }
};

/* An empty list means all axes. False when an axis is out of range or named twice. */
bool find_axes(const Dims &wanted, int rank, Axes *axes)
{
    std::vector<bool> take(size_t(std::max(rank, 1)), wanted.empty());
    for (int64_t axis : wanted) {
        axis = normal_axis(axis, rank);
        if (axis < 0 || take[size_t(axis)]) return false;
        take[size_t(axis)] = true;
    }
    for (int i = 0; i < rank; ++i) (take[size_t(i)] ? axes->reduced : axes->kept).push_back(i);
    return true;
}

Dims reduced_dims(const Dims &dims, const Axes &axes, bool keep)
{
    Dims made;
    for (size_t i = 0; i < dims.size(); ++i) {
        bool reduced = std::find(axes.reduced.begin(), axes.reduced.end(), int64_t(i)) != axes.reduced.end();
        if (!reduced || keep) made.push_back(reduced ? 1 : dims[i]);
    }
    return made;
}

struct Rows {                            /* count rows of n elements each, one result for each */
    Array in, out;
    int64_t count, n;
};
using RowKernel = std::function<void(Rows &)>;

struct Reduction {
    int out;
    Dims dims;
    bool keep;
    aclDataType compute, result;
};

aclnnStatus reduce(Plan &plan, const Reduction &r, RowKernel kernel)
{
    const Layout &self = plan.arg(0);
    Axes axes;
    EMU_REQUIRE(find_axes(r.dims, self.rank(), &axes), "an axis is out of range or named twice");
    EMU_REQUIRE(plan.arg(r.out).dims == reduced_dims(self.dims, axes, r.keep), "the output has not the reduced shape");
    EMU_REQUIRE(castable(r.result, plan.arg(r.out).dtype), "%s cannot be cast to the output", dtype_name(r.result));
    plan.workspace(uint64_t(std::min<int64_t>(self.count(), 1 << 16)) * 4 + 1024);
    plan.run([=](Frame &f) {
        View out = f.arg(r.out);
        if (out.count() == 0) return;
        View in = permuted(f.arg(0), axes.order());
        Rows rows{load(in, r.compute), Array(r.result, out.dims), out.count(), 1};
        rows.n = rows.in.count() / rows.count;
        kernel(rows);
        store(rows.out, out);
    });
    return ACLNN_SUCCESS;
}

bool reduces_nothing(const Layout &self, const Dims &dims) /* the reduced axes hold no element */
{
    Axes axes;
    if (!find_axes(dims, self.rank(), &axes)) return false;
    for (int64_t axis : axes.reduced)
        if (self.dims[size_t(axis)] == 0) return true;
    return false;
}

/* result[row] = f(pointer to the row's reader, n) for T in the list. */
template <class List, class F> RowKernel each_row(List list, aclDataType compute, F f)
{
    return [=](Rows &rows) {
        with(list, compute, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (int64_t i = 0; i < rows.count; ++i) {
                const T *row = rows.in.as<T>() + i * rows.n;
                f(Tag<T>(), [row](int64_t k) { return Element<T>::get(row[k]); }, rows.n, rows.out, i);
            }
        });
    };
}

/* In halves, as devices add in trees. */
template <class V, class Read> V sum_of(const Read &read, int64_t start, int64_t n)
{
    if (n > 32) return plus(sum_of<V>(read, start, n / 2), sum_of<V>(read, start + n / 2, n - n / 2));
    V total = V(0);
    for (int64_t k = 0; k < n; ++k) total = plus(total, V(read(start + k)));
    return total;
}

RowKernel summing(aclDataType dtype, bool skip_nan, bool mean)
{
    return each_row(All(), dtype, [=](auto tag, auto read, int64_t n, Array &out, int64_t i) {
        using T = typename decltype(tag)::type;
        using V = ValueOf<T>;
        V total = sum_of<V>([&](int64_t k) { V v = read(k); return skip_nan && is_nan(v) ? V(0) : v; }, 0, n);
        if constexpr (!std::is_same_v<V, bool>) {
            if (mean) total = n == 0 && std::is_integral_v<V> ? V(0) : total / V(typename RealOf<V>::type(n));
        }
        out.put<T>(i, total);
    });
}

} // namespace

#define SUM_PARAMS (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclDataType dtype, aclTensor *out)

EMU_OP(ReduceSum, SUM_PARAMS, (self, dim, keepDim, dtype, out))
{
    EMU_REQUIRE(dtype == plan.arg(4).dtype, "dtype is not the output's");
    EMU_REQUIRE(castable(plan.arg(0).dtype, dtype) || dtype == ACL_BOOL, "self cannot be cast to %s", dtype_name(dtype));
    EMU_REQUIRE(!(is_complex_dtype(dtype) && plan.arg(0).count() == 0), "an empty input with a complex output");
    return reduce(plan, {4, dim->values, keepDim, dtype, dtype}, summing(dtype, false, false));
}

EMU_OP(ReduceNansum, SUM_PARAMS, (self, dim, keepDim, dtype, out))
{
    EMU_REQUIRE(dtype == plan.arg(4).dtype, "dtype is not the output's");
    aclDataType compute = is_float(plan.arg(0).dtype) ? plan.arg(0).dtype : dtype;
    RowKernel kernel = summing(compute, true, false);
    return reduce(plan, {4, dim->values, keepDim, compute, compute}, kernel);
}

EMU_OP(Mean, SUM_PARAMS, (self, dim, keepDim, dtype, out))
{
    EMU_REQUIRE(!dim->values.empty() || plan.arg(0).rank() == 0, "name the axes");
    EMU_REQUIRE(dtype != ACL_BOOL && castable(plan.arg(0).dtype, dtype), "self cannot be cast to %s", dtype_name(dtype));
    return reduce(plan, {4, dim->values, keepDim, dtype, dtype}, summing(dtype, false, true));
}

/* --- extremes: NaN is passed on --- */
namespace {

aclnnStatus extreme(Plan &plan, int out, const Dims &dims, bool keep, bool largest)
{
    aclDataType dtype = plan.arg(0).dtype;
    EMU_REQUIRE(dtype == plan.arg(out).dtype, "the output has another dtype");
    EMU_REQUIRE(!reduces_nothing(plan.arg(0), dims), "the reduced axes are empty");
    auto kernel = each_row(Comparables(), dtype, [=](auto tag, auto read, int64_t n, Array &out, int64_t i) {
        auto best = read(0);
        for (int64_t k = 1; k < n && !is_nan(best); ++k) {
            auto v = read(k);
            if (is_nan(v) || (largest ? v > best : v < best)) best = v;
        }
        out.put<typename decltype(tag)::type>(i, best);
    });
    return reduce(plan, {out, dims, keep, dtype, dtype}, kernel);
}

} // namespace

#define DIM_PARAMS (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out)
EMU_OP(Amax, DIM_PARAMS, (self, dim, keepDim, out)) { return extreme(plan, 3, dim->values, keepDim, true); }
EMU_OP(Amin, DIM_PARAMS, (self, dim, keepDim, out)) { return extreme(plan, 3, dim->values, keepDim, false); }
EMU_OP(Max, (const aclTensor *self, aclTensor *out), (self, out)) { return extreme(plan, 1, {}, false, true); }
EMU_OP(Min, (const aclTensor *self, aclTensor *out), (self, out)) { return extreme(plan, 1, {}, false, false); }

namespace {
aclnnStatus truth(Plan &plan, const Dims &dims, bool keep, bool all)
{
    return reduce(plan, {3, dims, keep, ACL_BOOL, ACL_BOOL}, [=](Rows &rows) {
        for (int64_t i = 0; i < rows.count; ++i) {
            bool found = false;
            for (int64_t k = 0; k < rows.n && !found; ++k) found = rows.in.get<Bool>(i * rows.n + k) != all;
            rows.out.put<Bool>(i, found != all);
        }
    });
}
} // namespace
EMU_OP(All, DIM_PARAMS, (self, dim, keepDim, out)) { return truth(plan, dim->values, keepDim, true); }
EMU_OP(Any, DIM_PARAMS, (self, dim, keepDim, out)) { return truth(plan, dim->values, keepDim, false); }

namespace {
aclnnStatus product(Plan &plan, int out, const Dims &dims, bool keep, aclDataType dtype)
{
    EMU_REQUIRE(dtype == plan.arg(out).dtype, "dtype is not the output's");
    EMU_REQUIRE(castable(plan.arg(0).dtype, dtype), "self cannot be cast to %s", dtype_name(dtype));
    return reduce(plan, {out, dims, keep, dtype, dtype}, each_row(All(), dtype, [](auto tag, auto read, int64_t n, Array &out, int64_t i) {
        using T = typename decltype(tag)::type;
        ValueOf<T> total = ValueOf<T>(1);
        for (int64_t k = 0; k < n; ++k) total = times(total, read(k));
        out.put<T>(i, total);
    }));
}
} // namespace

EMU_OP(Prod, (const aclTensor *self, const aclDataType dtype, aclTensor *out), (self, dtype, out))
{
    return product(plan, 2, {}, false, dtype);
}

EMU_OP(ProdDim, (const aclTensor *self, int64_t dim, bool keepDim, const aclDataType dtype, aclTensor *out),
       (self, dim, keepDim, dtype, out))
{
    return product(plan, 4, {dim}, keepDim, dtype);
}

namespace {
aclnnStatus variance(Plan &plan, const aclIntArray *dim, int64_t correction, bool keep, bool root)
{
    aclDataType dtype = plan.arg(0).dtype;
    auto kernel = each_row(Floats(), dtype, [=](auto tag, auto read, int64_t n, Array &out, int64_t i) {
        using T = typename decltype(tag)::type;
        using V = ValueOf<T>;
        V mean = sum_of<V>(read, 0, n) / V(n);
        V total = sum_of<V>([&](int64_t k) { return (read(k) - mean) * (read(k) - mean); }, 0, n);
        V made = total / V(std::max<int64_t>(n - correction, 0));
        out.put<T>(i, root ? std::sqrt(made) : made);
    });
    return reduce(plan, {4, dim ? dim->values : Dims(), keep, dtype, dtype}, kernel);
}
} // namespace

EMU_OP(Var, (const aclTensor *self, const aclIntArray *dim, bool unbiased, bool keepdim, aclTensor *out),
       (self, dim, unbiased, keepdim, out))
{
    return variance(plan, dim, unbiased, keepdim, false);
}

EMU_OP(Std, (const aclTensor *self, const aclIntArray *dim, const int64_t correction, bool keepdim, aclTensor *out),
       (self, dim, correction, keepdim, out))
{
    return variance(plan, dim, correction, keepdim, true);
}

/* --- positions of extremes: which of several is open --- */
namespace {
aclnnStatus arg_extreme(Plan &plan, int64_t dim, bool keep, bool largest, aclDataType compute)
{
    EMU_REQUIRE(!reduces_nothing(plan.arg(0), {dim}), "the reduced axis is empty");
    auto kernel = each_row(Reals(), compute, [=](auto, auto read, int64_t n, Array &out, int64_t i) {
        int64_t best = 0;
        bool last = choice("ties of argmax", 2), ignore_nan = choice("NaN in argmax", 2);
        for (int64_t k = 1; k < n; ++k) {
            auto v = read(k), b = read(best);
            if (is_nan(b) || is_nan(v)) {
                if (ignore_nan ? is_nan(b) && !is_nan(v) : is_nan(v) && !is_nan(b)) best = k;
                continue;
            }
            if ((largest ? v > b : v < b) || (last && v == b)) best = k;
        }
        out.put<int64_t>(i, best);
    });
    return reduce(plan, {3, {dim}, keep, compute, ACL_INT64}, kernel);
}
} // namespace

EMU_OP(ArgMax, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out), (self, dim, keepdim, out))
{
    return arg_extreme(plan, dim, keepdim, true, plan.arg(0).dtype);
}

EMU_OP(ArgMin, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out), (self, dim, keepdim, out))
{
    return arg_extreme(plan, dim, keepdim, false, is_int(plan.arg(0).dtype) ? ACL_INT64 : plan.arg(0).dtype);
}

/* --- scans --- */
namespace {

struct ScanForm { bool product, exclusive, reverse; };

void scan(Array &a, ScanForm form)
{
    int64_t n = a.dims.empty() ? 1 : a.dims.back(), rows = n ? a.count() / n : 0;
    with(Numbers(), a.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        using V = ValueOf<T>;
        for (int64_t r = 0; r < rows; ++r) {
            V total = V(form.product);
            for (int64_t k = 0; k < n; ++k) {
                int64_t at = r * n + (form.reverse ? n - 1 - k : k);
                V v = a.get<T>(at), next = form.product ? times(total, v) : plus(total, v);
                a.put<T>(at, form.exclusive ? total : next);
                total = next;
            }
        }
    });
}

aclnnStatus scan_axis(Plan &plan, int out, int64_t dim, ScanForm form)
{
    const Layout &self = plan.arg(0);
    aclDataType dtype = plan.arg(out).dtype;
    int64_t axis = normal_axis(dim, self.rank());
    EMU_REQUIRE(axis >= 0, "axis %ld is out of range", long(dim));
    EMU_REQUIRE(same_dims(plan, 0, out), "the shapes differ");
    EMU_REQUIRE(castable(self.dtype, dtype), "self cannot be cast to %s", dtype_name(dtype));
    Dims order;
    for (int i = 0; i < self.rank(); ++i)
        if (i != axis) order.push_back(i);
    if (self.rank()) order.push_back(axis);
    plan.workspace(512);
    plan.run([=](Frame &f) {
        if (f.arg(out).count() == 0) return;
        Array a = load(permuted(f.arg(0), order), dtype);
        scan(a, form);
        convert(a.view(), permuted(f.arg(out), order));
    });
    return ACLNN_SUCCESS;
}

} // namespace

EMU_OP(Cumsum, (const aclTensor *self, int64_t dim, aclDataType dtype, aclTensor *out), (self, dim, dtype, out))
{
    EMU_REQUIRE(dtype == plan.arg(3).dtype, "dtype is not the output's");
    return scan_axis(plan, 3, dim, {false, false, false});
}

EMU_OP(CumsumV2, (const aclTensor *self, int64_t dim, bool exclusive, bool reverse, aclTensor *out), (self, dim, exclusive, reverse, out))
{
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(4).dtype, "the dtypes differ");
    return scan_axis(plan, 4, dim, {false, exclusive, reverse});
}

EMU_OP(Cumprod, (const aclTensor *input, const aclScalar *dim, const aclDataType dtype, aclTensor *out), (input, dim, dtype, out))
{
    EMU_REQUIRE(dtype == plan.arg(3).dtype, "dtype is not the output's");
    return scan_axis(plan, 3, dim->integer(), {true, false, false});
}
