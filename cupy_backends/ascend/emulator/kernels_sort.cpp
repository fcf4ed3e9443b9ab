/* Sorting, searching, and outputs whose length depends on data. */
#include "kernels.h"

#include <algorithm>
#include <numeric>

using namespace emu;

namespace {

/* The facts leave open where NaN goes and whether -0 comes before +0; several orders, one of them by the seed. */
struct Order {
    bool nan_last = choice("NaN in sort", 2) == 0;
    bool zeros_differ = choice("zeros in sort", 2);
    template <class V> bool operator()(V a, V b) const
    {
        if constexpr (is_floating<V>) {
            if (std::isnan(a) || std::isnan(b)) return nan_last ? !std::isnan(a) && std::isnan(b) : std::isnan(a) && !std::isnan(b);
            if (zeros_differ && a == 0 && b == 0) return std::signbit(a) && !std::signbit(b);
        }
        return a < b;
    }
};

/* Positions in sorted order. */
template <class T> std::vector<int64_t> sorted_positions(const Array &a, int64_t start, int64_t n, bool stable, bool descending)
{
    std::vector<int64_t> at(static_cast<size_t>(n));
    std::iota(at.begin(), at.end(), start);
    if (!stable && choice("ties in sort", 2)) std::reverse(at.begin(), at.end());
    Order order;
    std::stable_sort(at.begin(), at.end(), [&](int64_t i, int64_t k) {
        auto x = a.get<T>(i), y = a.get<T>(k);
        return descending ? order(y, x) : order(x, y);
    });
    return at;
}

Dims axis_last(int rank, int64_t axis)
{
    Dims order;
    for (int i = 0; i < rank; ++i)
        if (i != axis) order.push_back(i);
    if (rank) order.push_back(axis);
    return order;
}

} // namespace

EMU_OP(Sort, (const aclTensor *self, bool stable, int64_t dim, bool descending, aclTensor *valuesOut, aclTensor *indicesOut),
       (self, stable, dim, descending, valuesOut, indicesOut))
{
    const Layout &in = plan.arg(0);
    int64_t axis = normal_axis(dim, in.rank());
    EMU_REQUIRE(axis >= 0, "axis %ld is out of range", long(dim));
    EMU_REQUIRE(same_dims(plan, 0, 4) && same_dims(plan, 0, 5), "the outputs have another shape");
    EMU_REQUIRE(castable(in.dtype, plan.arg(4).dtype), "%s cannot be cast to the output", dtype_name(in.dtype));
    EMU_REQUIRE(!(in.dtype == ACL_BF16 && in.rank() > 0 && in.dims[size_t(axis)] == 1), "BF16 with an axis of length 1");
    plan.workspace(uint64_t(in.count()) * 16 + 512);
    Dims order = axis_last(in.rank(), axis);
    plan.run([=](Frame &f) {
        if (f.arg(0).count() == 0) return;
        Array a = load(permuted(f.arg(0), order), f.arg(0).dtype), values(a.dtype, a.dims), indices(ACL_INT64, a.dims);
        int64_t n = a.dims.empty() ? 1 : a.dims.back();
        with(Comparables(), a.dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (int64_t start = 0; start < a.count(); start += n) {
                std::vector<int64_t> at = sorted_positions<T>(a, start, n, stable, descending);
                for (int64_t k = 0; k < n; ++k) {
                    values.as<T>()[start + k] = a.as<T>()[at[size_t(k)]];
                    indices.as<int64_t>()[start + k] = at[size_t(k)] - start;
                }
            }
        });
        convert(values.view(), permuted(f.arg(4), order));
        convert(indices.view(), permuted(f.arg(5), order));
    });
    return ACLNN_SUCCESS;
}

/* The last axis of the sequences is searched; a sequence of rank 1 serves all of self. */
EMU_OP(SearchSorted,
       (const aclTensor *sortedSequence, const aclTensor *self, const bool outInt32, const bool right, const aclTensor *sorter,
        aclTensor *out),
       (sortedSequence, self, outInt32, right, sorter, out))
{
    const Layout &sequence = plan.arg(0), &in = plan.arg(1);
    aclDataType dtype = promoted(plan, 0, 1);
    EMU_REQUIRE(dtype != ACL_DT_UNDEFINED, "the dtypes do not promote");
    EMU_REQUIRE(plan.arg(5).dtype == (outInt32 ? ACL_INT32 : ACL_INT64), "the output has another dtype than outInt32 says");
    EMU_REQUIRE(same_dims(plan, 1, 5), "the output has another shape than self");
    EMU_REQUIRE(sequence.rank() >= 1, "a 0-d sequence");
    bool rows = sequence.rank() > 1;
    if (rows) {
        EMU_REQUIRE(sequence.rank() == in.rank(), "the ranks differ");
        for (size_t i = 0; i + 1 < in.dims.size(); ++i)
            EMU_REQUIRE(sequence.dims[i] == in.dims[i], "the shapes differ before the last axis");
    }
    bool given = plan.given(4);
    EMU_REQUIRE(!given || same_dims(plan, 0, 4), "sorter has another shape");
    plan.run([=](Frame &f) {
        Array s = load(f.arg(0), dtype), x = load(f.arg(1), dtype), made(ACL_INT64, x.dims);
        if (x.count() == 0) return;
        int64_t n = s.dims.back(), m = rows ? x.dims.back() : x.count();
        std::vector<int64_t> order;
        if (given) order = load_indices(f.arg(4));
        for (int64_t i : order)
            if (i < 0 || i >= n) return f.fault("an index of the sorter is out of range");
        with(Reals(), dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            for (int64_t i = 0; i < x.count(); ++i) {
                int64_t start = rows ? i / m * n : 0, low = 0, high = n;
                auto v = x.get<T>(i);
                while (low < high) {
                    int64_t middle = (low + high) / 2;
                    auto at = s.get<T>(start + (given ? order[size_t(start + middle)] : middle));
                    bool less = right ? !(at > v) : !(at >= v);
                    less ? low = middle + 1 : high = middle;
                }
                made.put<int64_t>(i, low);
            }
        });
        store(made, f.arg(5));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Histc, (const aclTensor *self, int64_t bins, const aclScalar *min, const aclScalar *max, aclTensor *out),
       (self, bins, min, max, out))
{
    EMU_REQUIRE(bins > 0, "bins is not positive");
    EMU_REQUIRE((plan.arg(4).dims == Dims{bins}), "the output has not bins elements");
    double first = min->real(), last = max->real();
    EMU_REQUIRE(first <= last, "min is above max");
    plan.workspace(uint64_t(bins) * 4 + 512);
    plan.run([=](Frame &f) {
        Array x = load(f.arg(0), ACL_FLOAT), made(ACL_INT64, {bins});
        float low = float(first), high = float(last);
        if (low == high && x.count()) {
            low = *std::min_element(x.as<float>(), x.as<float>() + x.count());
            high = *std::max_element(x.as<float>(), x.as<float>() + x.count());
        }
        if (low == high) low -= 1, high += 1;
        for (int64_t i = 0; i < x.count(); ++i) {
            float v = x.get<float>(i);
            if (!(v >= low && v <= high)) continue;
            int64_t k = std::min(int64_t((v - low) / (high - low) * float(bins)), bins - 1);
            ++made.as<int64_t>()[k];
        }
        store(made, f.arg(4));
    });
    return ACLNN_SUCCESS;
}

/* --- data-dependent lengths --- */
namespace {

/* The first rows of an output are written; then its shape is set. */
void give(Frame &f, int position, Array &made)
{
    View v = f.arg(position);
    v.dims = made.dims;
    v.strides = contiguous_strides(made.dims);
    convert(made.view(), v);
    f.set_view_shape(position, made.dims);
}

std::vector<int64_t> true_places(const View &view)
{
    Array a = load(view, ACL_BOOL);
    std::vector<int64_t> at;
    for (int64_t i = 0; i < a.count(); ++i)
        if (a.get<Bool>(i)) at.push_back(i);
    return at;
}

aclnnStatus nonzero(Plan &plan, bool transposed)
{
    const Layout &in = plan.arg(0), &out = plan.arg(1);
    int64_t rank = in.rank();
    Dims worst = transposed ? Dims{rank, in.count()} : Dims{in.count(), rank};
    EMU_REQUIRE(out.dims == worst, "the output has not the worst-case shape");
    EMU_REQUIRE(out.count() * 8 < (int64_t(1) << 31), "the output reaches 2 GiB");
    plan.workspace(uint64_t(in.count()) * 8 + 4096);
    plan.not_repeatable();
    plan.output_follows_device(1);
    plan.run([=](Frame &f) {
        View in = f.arg(0);
        std::vector<int64_t> at = true_places(in);
        int64_t n = int64_t(at.size());
        Array made(ACL_INT64, transposed ? Dims{rank, n} : Dims{n, rank});
        Dims strides = contiguous_strides(in.dims);
        for (int64_t i = 0; i < n; ++i)
            for (int64_t d = 0; d < rank; ++d)
                made.put<int64_t>(transposed ? d * n + i : i * rank + d, at[size_t(i)] / strides[size_t(d)] % in.dims[size_t(d)]);
        give(f, 1, made);
    });
    return ACLNN_SUCCESS;
}

} // namespace

EMU_OP(Nonzero, (const aclTensor *self, aclTensor *out), (self, out)) { return nonzero(plan, false); }
EMU_OP(NonzeroV2, (const aclTensor *self, aclTensor *out), (self, out)) { return nonzero(plan, true); }

EMU_OP(MaskedSelect, (const aclTensor *self, const aclTensor *mask, aclTensor *out), (self, mask, out))
{
    Dims dims;
    EMU_REQUIRE(broadcast(plan.arg(0).dims, plan.arg(1).dims, &dims), "the shapes do not broadcast");
    EMU_REQUIRE((plan.arg(2).dims == Dims{count_of(dims)}), "the output has not the worst-case length");
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "the output has another dtype");
    plan.workspace(uint64_t(count_of(dims)) * 4 + 1024);
    plan.not_repeatable();
    plan.output_follows_device(2);
    plan.run([=](Frame &f) {
        std::vector<int64_t> at = true_places(broadcast_to(f.arg(1), dims));
        Array a = load(f.arg(0), f.arg(0).dtype, dims), made(a.dtype, {int64_t(at.size())});
        size_t size = item_size(a.dtype);
        for (size_t i = 0; i < at.size(); ++i) memcpy(&made.bytes[i * size], &a.bytes[size_t(at[i]) * size], size);
        give(f, 2, made);
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Unique2,
       (const aclTensor *self, bool sorted, bool returnInverse, bool returnCounts, aclTensor *valueOut, aclTensor *inverseOut,
        aclTensor *countsOut),
       (self, sorted, returnInverse, returnCounts, valueOut, inverseOut, countsOut))
{
    const Layout &in = plan.arg(0);
    int64_t n = in.count();
    EMU_REQUIRE(plan.arg(4).dtype == in.dtype && plan.arg(4).count() >= n, "valueOut has another dtype or is too short");
    EMU_REQUIRE(!(returnInverse || returnCounts) || plan.arg(5).dims == in.dims, "inverseOut has another shape than self");
    EMU_REQUIRE(!returnCounts || plan.arg(6).count() >= n, "countsOut is too short");
    plan.workspace(uint64_t(n) * 16 + 4096);
    plan.not_repeatable();
    for (int position : {4, 6}) plan.output_follows_device(position);
    plan.run([=](Frame &f) {
        Array a = load(f.arg(0), f.arg(0).dtype), inverse(ACL_INT64, a.dims);
        std::vector<int64_t> firsts, counts;
        with(Comparables(), a.dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            Order order;
            int64_t before = -1;
            for (int64_t i : sorted_positions<T>(a, 0, a.count(), true, !sorted && choice("order of unique", 2))) {
                auto v = a.get<T>(i);
                bool same = before >= 0 && !is_nan(v) && !order(a.get<T>(before), v) && !order(v, a.get<T>(before));
                if (!same) firsts.push_back(i), counts.push_back(0);
                ++counts.back();
                inverse.put<int64_t>(i, int64_t(firsts.size()) - 1);
                before = i;
            }
        });
        Dims dims = {int64_t(firsts.size())};
        Array values(a.dtype, dims), numbers(ACL_INT64, dims);
        size_t size = item_size(a.dtype);
        for (size_t i = 0; i < firsts.size(); ++i) {
            memcpy(&values.bytes[i * size], &a.bytes[size_t(firsts[i]) * size], size);
            numbers.put<int64_t>(int64_t(i), counts[i]);
        }
        give(f, 4, values);
        if (returnInverse) store(inverse, f.arg(5));
        if (returnCounts) give(f, 6, numbers);
    });
    return ACLNN_SUCCESS;
}
