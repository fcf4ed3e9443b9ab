/* Gathering and scattering by indices. An index out of range breaks the device. */
#include "kernels.h"

#include <algorithm>

using namespace emu;

namespace {

/* False, with the device broken, when an index is out of [low, n). */
bool check_indices(Frame &f, std::vector<int64_t> &indices, int64_t n, bool negative)
{
    for (int64_t &i : indices) {
        if (negative && i < 0) i += n;
        if (i < 0 || i >= n) return f.fault("an index is out of range"), false;
    }
    return true;
}

int64_t product(const Dims &dims, size_t first, size_t last)
{
    int64_t n = 1;
    for (size_t i = first; i < last; ++i) n *= dims[i];
    return n;
}

/* Which of several writers to one place comes last. */
std::vector<int64_t> writing_order(int64_t n, bool fixed)
{
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) order[size_t(i)] = i;
    if (!fixed && choice("order of writers", 2)) std::reverse(order.begin(), order.end());
    return order;
}

/* target[at] = or += source[i], where both have one dtype. */
enum Reduce { kSet, kAdd, kMultiply };
struct Writer {
    Reduce how;
    Array &target;
    const Array &source;
    void operator()(int64_t at, int64_t i) const
    {
        size_t size = item_size(target.dtype);
        if (how == kSet) {
            memcpy(&target.bytes[size_t(at) * size], &source.bytes[size_t(i) * size], size);
            return;
        }
        with(All(), target.dtype, [&](auto tag) {
            using T = typename decltype(tag)::type;
            auto a = target.get<T>(at), b = source.get<T>(i);
            target.put<T>(at, how == kAdd ? plus(a, b) : times(a, b));
        });
    }
};

/* self[:axis] + index + self[axis + 1:] */
aclnnStatus take_axis(Plan &plan, int64_t dim)
{
    const Layout &self = plan.arg(0), &index = plan.arg(2), &out = plan.arg(3);
    int64_t axis = normal_axis(dim, self.rank());
    EMU_REQUIRE(axis >= 0, "axis %ld is out of range", long(dim));
    EMU_REQUIRE(self.dtype == out.dtype, "the output has another dtype");
    Dims dims = self.dims;
    if (self.rank() > 0) dims.erase(dims.begin() + axis);
    else EMU_REQUIRE(index.count() == 1, "a 0-d self needs one index");
    if (self.rank() > 0) dims.insert(dims.begin() + axis, index.dims.begin(), index.dims.end());
    EMU_REQUIRE(dims == out.dims, "the output has the wrong shape");
    plan.run([=](Frame &f) {
        Array from = load(f.arg(0), f.arg(0).dtype), made(from.dtype, f.arg(3).dims);
        if (made.count() == 0) return;
        std::vector<int64_t> indices = load_indices(f.arg(2));
        if (from.dims.empty()) from.dims = {1};
        int64_t n = from.dims[size_t(axis)], m = int64_t(indices.size());
        int64_t outer = product(from.dims, 0, size_t(axis));
        size_t block = size_t(product(from.dims, size_t(axis) + 1, from.dims.size())) * item_size(from.dtype);
        if (!check_indices(f, indices, n, false)) return;
        for (int64_t i = 0; i < outer; ++i)
            for (int64_t k = 0; k < m; ++k)
                memcpy(&made.bytes[size_t(i * m + k) * block], &from.bytes[size_t(i * n + indices[size_t(k)]) * block], block);
        store(made, f.arg(3));
    });
    return ACLNN_SUCCESS;
}

} // namespace

EMU_OP(IndexSelect, (const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out), (self, dim, index, out))
{
    EMU_REQUIRE(plan.arg(2).rank() <= 1, "index is no vector");
    return take_axis(plan, dim);
}

EMU_OP(GatherV2, (const aclTensor *self, int64_t dim, const aclTensor *index, aclTensor *out), (self, dim, index, out))
{
    return take_axis(plan, dim);
}

EMU_OP(Take, (const aclTensor *self, const aclTensor *index, aclTensor *out), (self, index, out))
{
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype && same_dims(plan, 1, 2), "the output has another dtype or shape");
    plan.run([](Frame &f) {
        Array from = load(f.arg(0), f.arg(0).dtype), made(from.dtype, f.arg(2).dims);
        std::vector<int64_t> indices = load_indices(f.arg(1));
        if (!check_indices(f, indices, from.count(), false)) return;
        Writer write{kSet, made, from};
        for (size_t i = 0; i < indices.size(); ++i) write(int64_t(i), indices[i]);
        store(made, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

/* --- one index for each element, along an axis --- */
namespace {

/* For each place of `index`: its place in `self` with the axis replaced. */
std::vector<int64_t> places(const Dims &self, const Dims &index, const std::vector<int64_t> &values, int64_t axis)
{
    std::vector<int64_t> made;
    made.reserve(values.size());
    Dims strides = contiguous_strides(self), own = strides;
    if (!self.empty()) strides[size_t(axis)] = 0;
    int64_t step = self.empty() ? 0 : own[size_t(axis)];
    const Dims *const all[] = {&strides};
    size_t k = 0;
    for_each(index, all, [&](const int64_t (&at)[1]) { made.push_back(at[0] + values[k++] * step); });
    return made;
}

aclnnStatus check_along(Plan &plan, int64_t axis, int index, int other, bool gather)
{
    const Layout &self = plan.arg(0), &at = plan.arg(index);
    EMU_REQUIRE(axis >= 0, "the axis is out of range");
    EMU_REQUIRE(std::max(self.rank(), 1) == std::max(at.rank(), 1), "the ranks of self and index differ");
    for (size_t i = 0; i < std::min(self.dims.size(), at.dims.size()); ++i)
        EMU_REQUIRE(int64_t(i) == axis || at.dims[i] <= self.dims[i], "index is longer than self on axis %zu", i);
    const Layout &o = plan.arg(other);
    if (gather) {
        EMU_REQUIRE(o.dims == at.dims && o.dtype == self.dtype, "the output has another dtype or shape");
        return ACLNN_SUCCESS;
    }
    EMU_REQUIRE(o.dtype == self.dtype && std::max(o.rank(), 1) == std::max(at.rank(), 1), "src has another dtype or rank");
    for (size_t i = 0; i < std::min(o.dims.size(), at.dims.size()); ++i)
        EMU_REQUIRE(at.dims[i] <= o.dims[i], "index is longer than src on axis %zu", i);
    return ACLNN_SUCCESS;
}

aclnnStatus scatter(Plan &plan, int64_t dim, int out, int64_t reduce)
{
    int64_t axis = normal_axis(dim, plan.arg(0).rank());
    if (aclnnStatus status = check_along(plan, axis, 2, 3, false)) return status;
    EMU_REQUIRE(reduce >= 0 && reduce <= 2, "reduce %ld", long(reduce));
    EMU_REQUIRE(plan.arg(out).dtype == plan.arg(0).dtype && same_dims(plan, 0, out), "the output is not like self");
    bool fixed = plan.deterministic();
    plan.workspace(256);
    plan.run([=](Frame &f) {
        Array target = load(f.arg(0), f.arg(0).dtype);
        View index = f.arg(2), src = f.arg(3);
        src.dims = index.dims;               /* the part of src that index covers */
        src.strides.resize(index.dims.size(), 0);
        Array source = load(src, src.dtype);
        std::vector<int64_t> values = load_indices(index);
        if (!check_indices(f, values, target.dims.empty() ? 1 : target.dims[size_t(axis)], false)) return;
        std::vector<int64_t> to = places(target.dims, index.dims, values, axis);
        Writer write{Reduce(reduce), target, source};
        for (int64_t i : writing_order(int64_t(to.size()), fixed)) write(to[size_t(i)], i);
        store(target, f.arg(out));
    });
    return ACLNN_SUCCESS;
}

} // namespace

EMU_OP(Gather, (const aclTensor *self, const int64_t dim, const aclTensor *index, aclTensor *out), (self, dim, index, out))
{
    int64_t axis = normal_axis(dim, plan.arg(0).rank());
    if (aclnnStatus status = check_along(plan, axis, 2, 3, true)) return status;
    plan.run([=](Frame &f) {
        Array from = load(f.arg(0), f.arg(0).dtype), made(from.dtype, f.arg(3).dims);
        std::vector<int64_t> values = load_indices(f.arg(2));
        if (!check_indices(f, values, from.dims.empty() ? 1 : from.dims[size_t(axis)], true)) return;
        std::vector<int64_t> at = places(from.dims, f.arg(2).dims, values, axis);
        Writer write{kSet, made, from};
        for (size_t i = 0; i < at.size(); ++i) write(int64_t(i), at[i]);
        store(made, f.arg(3));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(Scatter, (const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src, int64_t reduce, aclTensor *out),
       (self, dim, index, src, reduce, out))
{
    return scatter(plan, dim, 5, reduce);
}

EMU_OP(InplaceScatter, (aclTensor * selfRef, int64_t dim, const aclTensor *index, const aclTensor *src, int64_t reduce),
       (selfRef, dim, index, src, reduce))
{
    return scatter(plan, dim, 0, reduce);
}

EMU_OP(ScatterAdd, (const aclTensor *self, int64_t dim, const aclTensor *index, const aclTensor *src, aclTensor *out),
       (self, dim, index, src, out))
{
    return scatter(plan, dim, 4, kAdd);
}

EMU_OP(InplacePut, (aclTensor * selfRef, const aclTensor *index, const aclTensor *source, bool accumulate),
       (selfRef, index, source, accumulate))
{
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "source has another dtype");
    EMU_REQUIRE(plan.arg(1).count() == plan.arg(2).count(), "source and index differ in length");
    bool fixed = plan.deterministic();
    plan.run([=](Frame &f) {
        Array target = load(f.arg(0), f.arg(0).dtype), source = load(f.arg(2), target.dtype);
        std::vector<int64_t> to = load_indices(f.arg(1));
        if (!check_indices(f, to, target.count(), false)) return;
        Writer write{accumulate ? kAdd : kSet, target, source};
        for (int64_t i : writing_order(int64_t(to.size()), fixed)) write(to[size_t(i)], i);
        store(target, f.arg(0));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(IndexAdd,
       (const aclTensor *self, const int64_t dim, const aclTensor *index, const aclTensor *source, const aclScalar *alpha, aclTensor *out),
       (self, dim, index, source, alpha, out))
{
    const Layout &in = plan.arg(0), &at = plan.arg(2), &src = plan.arg(3);
    int64_t axis = normal_axis(dim, in.rank());
    EMU_REQUIRE(axis >= 0, "the axis is out of range");
    EMU_REQUIRE(in.dtype == src.dtype && in.dtype == plan.arg(5).dtype && same_dims(plan, 0, 5), "the dtypes or shapes differ");
    EMU_REQUIRE(src.rank() == in.rank(), "source has another rank");
    for (size_t i = 0; i < in.dims.size(); ++i)
        EMU_REQUIRE(src.dims[i] == (int64_t(i) == axis ? at.count() : in.dims[i]), "source has the wrong shape");
    bool fixed = plan.deterministic();
    Scalar a = *alpha;
    plan.run([=](Frame &f) {
        Array target = load(f.arg(0), f.arg(0).dtype), source = load(f.arg(3), target.dtype);
        Array scale = load(scalar_view(a), target.dtype, source.dims);
        Writer multiply{kMultiply, source, scale};
        for (int64_t i = 0; i < source.count(); ++i) multiply(i, i);
        std::vector<int64_t> indices = load_indices(f.arg(2));
        int64_t n = target.dims.empty() ? 1 : target.dims[size_t(axis)], m = int64_t(indices.size());
        if (!check_indices(f, indices, n, false)) return;
        int64_t inner = target.dims.empty() ? 1 : product(target.dims, size_t(axis) + 1, target.dims.size());
        Writer add{kAdd, target, source};
        for (int64_t i : writing_order(source.count(), fixed)) {
            int64_t outer = i / (inner * m), k = i / inner % m;
            add((outer * n + indices[size_t(k)]) * inner + i % inner, i);
        }
        store(target, f.arg(5));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(InplaceMaskedScatter, (aclTensor * selfRef, const aclTensor *mask, const aclTensor *source), (selfRef, mask, source))
{
    Dims dims;
    EMU_REQUIRE(broadcast(plan.arg(0).dims, plan.arg(1).dims, &dims) && dims == plan.arg(0).dims, "mask does not broadcast to selfRef");
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "source has another dtype");
    plan.workspace(1024);
    plan.run([](Frame &f) {
        Array target = load(f.arg(0), f.arg(0).dtype), mask = load(f.arg(1), ACL_BOOL, target.dims), source = load(f.arg(2), target.dtype);
        Writer write{kSet, target, source};
        int64_t k = 0;
        for (int64_t i = 0; i < target.count(); ++i) {
            if (!mask.get<Bool>(i)) continue;
            if (k == source.count()) return f.fault("source has fewer elements than the mask");
            write(i, k++);
        }
        store(target, f.arg(0));
    });
    return ACLNN_SUCCESS;
}

/* --- lists of index tensors, one for each of the first axes; shape {0} of self's dtype stands for a full axis --- */
namespace {

bool full_axis(const Dims &dims, aclDataType dtype, aclDataType self) { return dims == Dims{0} && (dtype == self || dtype == ACL_BOOL); }

struct Selection {                       /* which elements of self, in the order of the result */
    Dims dims;
    std::vector<int64_t> at;
};

struct Indexer {
    Dims shape;
    std::vector<View> indices;
    aclDataType dtype;

    /* Masks become index vectors; full axes are left null. */
    bool gather(Frame &f, std::vector<std::vector<int64_t>> *values, Dims *common, std::vector<Dims> *shapes) const;
    bool select(Frame &f, Selection *made) const;
};

bool Indexer::gather(Frame &f, std::vector<std::vector<int64_t>> *values, Dims *common, std::vector<Dims> *shapes) const
{
    size_t axis = 0;
    for (const View &v : indices) {
        if (full_axis(v.dims, v.dtype, dtype)) {
            values->emplace_back(), shapes->push_back({-1}), ++axis;
            continue;
        }
        if (v.dtype != ACL_BOOL) {
            values->push_back(load_indices(v)), shapes->push_back(v.dims);
            if (axis >= shape.size() || !check_indices(f, values->back(), shape[axis], true)) return false;
            ++axis;
        } else {
            Array mask = load(v, ACL_BOOL);
            Dims strides = contiguous_strides(v.dims);
            size_t first = values->size(), rank = v.dims.size();
            for (size_t d = 0; d < rank; ++d) values->emplace_back();
            for (int64_t i = 0; i < mask.count(); ++i)
                for (size_t d = 0; mask.get<Bool>(i) && d < rank; ++d) (*values)[first + d].push_back(i / strides[d] % v.dims[d]);
            for (size_t d = 0; d < rank; ++d) shapes->push_back({int64_t((*values)[first].size())});
            axis += rank;
        }
        if (!broadcast(*common, shapes->back(), common)) return f.fault("the indices do not broadcast"), false;
    }
    return true;
}

/* The indexed axes stay in place when they are neighbours, else they come first. */
bool Indexer::select(Frame &f, Selection *made) const
{
    std::vector<std::vector<int64_t>> values;
    std::vector<Dims> shapes;
    Dims common;
    if (!gather(f, &values, &common, &shapes)) return false;
    Dims own = contiguous_strides(shape), rest, rest_strides;
    size_t before = 0, first = shape.size(), last = 0;
    std::vector<int64_t> offsets(size_t(count_of(common)), 0);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis >= values.size() || shapes[axis] == Dims{-1}) {
            rest.push_back(shape[axis]), rest_strides.push_back(own[axis]);
            continue;
        }
        first = std::min(first, axis), last = axis;
        View v{ACL_INT64, shapes[axis], contiguous_strides(shapes[axis]), reinterpret_cast<char *>(values[axis].data())};
        Array wide = load(v, ACL_INT64, common);
        for (size_t i = 0; i < offsets.size(); ++i) offsets[i] += wide.as<int64_t>()[i] * own[axis];
    }
    bool neighbours = true;
    for (size_t axis = first; axis < last; ++axis) neighbours = neighbours && axis < shapes.size() && shapes[axis] != Dims{-1};
    before = neighbours && first < shape.size() ? first : 0;
    made->dims.assign(rest.begin(), rest.begin() + before);
    made->dims.insert(made->dims.end(), common.begin(), common.end());
    made->dims.insert(made->dims.end(), rest.begin() + before, rest.end());
    Dims outer(rest.begin(), rest.begin() + before), inner(rest.begin() + before, rest.end());
    Dims outer_strides(rest_strides.begin(), rest_strides.begin() + before);
    Dims inner_strides(rest_strides.begin() + before, rest_strides.end());
    const Dims *const a[] = {&outer_strides}, *const b[] = {&inner_strides};
    for_each(outer, a, [&](const int64_t (&x)[1]) {
        for (int64_t offset : offsets) for_each(inner, b, [&](const int64_t (&y)[1]) { made->at.push_back(x[0] + offset + y[0]); });
    });
    return true;
}

Indexer indexer(const Frame &f, int self, int list)
{
    Indexer made{f.arg(self).dims, {}, f.arg(self).dtype};
    for (int k = 0; k < f.length(list); ++k) made.indices.push_back(f.item(list, k));
    return made;
}

aclnnStatus check_list(Plan &plan)
{
    const Layout &self = plan.arg(0);
    int axes = 0;
    EMU_REQUIRE(plan.length(1) > 0, "no indices");
    for (int k = 0; k < plan.length(1); ++k) {
        const Layout &index = plan.item(1, k);
        if (full_axis(index.dims, index.dtype, self.dtype)) {
            ++axes;
            continue;
        }
        EMU_REQUIRE(bits_of(Types<int32_t, int64_t, Bool>()) & bit(index.dtype), "an index of %s", dtype_name(index.dtype));
        EMU_REQUIRE(index.count() <= 60000000, "an index of %ld elements", long(index.count()));
        int rank = index.dtype == ACL_BOOL ? index.rank() : 1;
        for (int d = 0; index.dtype == ACL_BOOL && d < rank; ++d)
            EMU_REQUIRE(axes + d < self.rank() && index.dims[size_t(d)] == self.dims[size_t(axes + d)], "a mask unlike self");
        axes += rank;
    }
    EMU_REQUIRE(axes <= self.rank(), "more indices than axes");
    return ACLNN_SUCCESS;
}

} // namespace

EMU_OP(Index, (const aclTensor *self, const aclTensorList *indices, aclTensor *out), (self, indices, out))
{
    if (aclnnStatus status = check_list(plan)) return status;
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "the output has another dtype");
    plan.workspace(512);
    plan.run([](Frame &f) {
        Selection s;
        if (f.arg(2).count() == 0 || !indexer(f, 0, 1).select(f, &s)) return;
        if (s.dims != f.arg(2).dims) return f.fault("the output has not the indexed shape");
        Array from = load(f.arg(0), f.arg(0).dtype), made(from.dtype, s.dims);
        Writer write{kSet, made, from};
        for (size_t i = 0; i < s.at.size(); ++i) write(int64_t(i), s.at[i]);
        store(made, f.arg(2));
    });
    return ACLNN_SUCCESS;
}

EMU_OP(IndexPutImpl, (aclTensor * selfRef, const aclTensorList *indices, const aclTensor *values, const bool accumulate, const bool unsafe),
       (selfRef, indices, values, accumulate, unsafe))
{
    if (aclnnStatus status = check_list(plan)) return status;
    EMU_REQUIRE(plan.arg(0).dtype == plan.arg(2).dtype, "values has another dtype");
    bool fixed = plan.deterministic();
    plan.workspace(1024);
    plan.run([=](Frame &f) {
        Selection s;
        if (f.arg(0).count() == 0 || !indexer(f, 0, 1).select(f, &s)) return;
        Dims dims;
        if (!broadcast(s.dims, f.arg(2).dims, &dims) || dims != s.dims) return f.fault("values do not broadcast to the indexed shape");
        Array target = load(f.arg(0), f.arg(0).dtype), source = load(f.arg(2), target.dtype, s.dims);
        Writer write{accumulate ? kAdd : kSet, target, source};
        for (int64_t i : writing_order(int64_t(s.at.size()), fixed)) write(s.at[size_t(i)], i);
        store(target, f.arg(0));
    });
    return ACLNN_SUCCESS;
}
