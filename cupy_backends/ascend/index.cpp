/* gather, scatter, mask_get, mask_set, nonzero. No index reaches an operator unchecked: it would poison the context. */
#include <algorithm>
#include <vector>

#include "layout.h"

namespace ascend {

namespace {

/* The index tensors of a call, checked, non-negative and flattened over their common shape B. */
class Places {
  public:
    xpu_status prepare(const Context &ctx, xpu_call *call, const xpu_tensor *indexed);
    int count() const { return n_; }
    int64_t size() const { return size_; } /* of B */
    const xpu_tensor *one(int k) const { return flat_[k]; }
    xpu_status linear(const Context &ctx); /* makes all(): positions in the indexed axes taken as one in C order */
    const xpu_tensor *all() const { return n_ == 1 ? flat_[0] : linear_; }
    int axis(int k) const { return axes_[k]; }

  private:
    xpu_status check(const Context &ctx, xpu_call *call, int64_t *least);
    xpu_status find_bad(const Context &ctx, xpu_call *call, int k);
    xpu_status normalize(const Context &ctx, int k, int mode);
    xpu_status expand(const Context &ctx, int k);

    int n_ = 0;
    int64_t size_ = 0;
    int axes_[XPU_MAX_NDIM];
    int64_t length_[XPU_MAX_NDIM];
    std::vector<View> b_;          /* the index tensors, of shape B */
    std::vector<Ready> ready_;     /* each without its repeated axes */
    std::vector<View> core_;       /* the same, normalized */
    std::vector<View> flat_;
    std::vector<std::unique_ptr<Temp>> temps_;
    View linear_;

    xpu_status temp(const Context &ctx, const xpu_tensor *like, View *result) {
        temps_.emplace_back(new Temp(ctx, XPU_INT64, like));
        if (!temps_.back()->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for indices");
        *result = temps_.back()->tensor;
        return XPU_OK;
    }
};

xpu_status Places::prepare(const Context &ctx, xpu_call *call, const xpu_tensor *indexed) {
    const xpu_params *p = call->params;
    n_ = call->nin - 1;
    b_.reserve(n_);
    for (int k = 0; k < n_; ++k) {
        const xpu_tensor *t = call->in[k + 1];
        if (is_scalar(t) || t->dtype != XPU_INT64) return fail(XPU_NOT_SUPPORTED, "indices that are no int64 tensors");
        axes_[k] = static_cast<int>(p->axes[k]);
        length_[k] = indexed->shape[axes_[k]];
        b_.emplace_back(t);
    }
    size_ = b_[0].t.size;
    if (size_ == 0) return XPU_OK;
    collapse(b_.data(), n_);
    if (b_[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "indices over %d axes that do not collapse", b_[0].t.ndim);
    ready_.resize(n_);
    core_.resize(n_);
    flat_.resize(n_);
    for (int k = 0; k < n_; ++k) {
        if (b_[k].t.ndim == 0) insert_axis(&b_[k], 0);
        View core(b_[k]);
        unbroadcast(&core);
        XPU_TRY(ready_[k].prepare(ctx, core));
        core_[k] = *static_cast<const xpu_tensor *>(ready_[k]);
    }
    std::vector<int64_t> least(n_, -1);
    int mode = static_cast<int>(p->i[0]);
    if (mode == XPU_MODE_RAISE) XPU_TRY(check(ctx, call, least.data()));
    for (int k = 0; k < n_; ++k) {
        if (length_[k] == 0) {
            call->result[0] = 0, call->result[1] = axes_[k], call->result[2] = 0;
            return fail(XPU_INDEX_ERROR, "an index into an axis of length 0");
        }
        if (mode != XPU_MODE_RAISE || least[k] < 0) XPU_TRY(normalize(ctx, k, mode));
        XPU_TRY(expand(ctx, k));
    }
    return XPU_OK;
}

/* The least and the greatest of each index tensor, brought to the host at once. */
xpu_status Places::check(const Context &ctx, xpu_call *call, int64_t *least) {
    int64_t n = 2 * n_, axes[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7};
    TEMP(extremes, XPU_INT64, 1, &n);
    for (int k = 0; k < n_; ++k) {
        View ends[2] = {View(&extremes.tensor), View(&extremes.tensor)};
        for (int i = 0; i < 2; ++i) {
            ends[i].t.ndim = 0;
            ends[i].t.offset += (2 * k + i) * 8;
            ends[i].update();
            XPU_TRY(run(ctx, i ? Op::Amax : Op::Amin, {in(core_[k]), ints(axes, core_[k].t.ndim), flag(false), out(ends[i])}));
        }
    }
    std::vector<int64_t> found(n);
    XPU_TRY(read_back(ctx, found.data(), extremes));
    for (int k = 0; k < n_; ++k) {
        least[k] = found[2 * k];
        if (least[k] < -length_[k] || found[2 * k + 1] >= length_[k]) return find_bad(ctx, call, k);
    }
    return XPU_OK;
}

/* The first index out of bounds in C order, for the message. */
xpu_status Places::find_bad(const Context &ctx, xpu_call *call, int k) {
    Packed packed;
    XPU_TRY(packed.prepare(ctx, core_[k]));
    std::vector<int64_t> values(packed.view().t.size);
    XPU_TRY(read_back(ctx, values.data(), packed));
    int64_t n = length_[k];
    auto bad = std::find_if(values.begin(), values.end(), [n](int64_t v) { return v < -n || v >= n; });
    call->result[0] = bad == values.end() ? n : *bad;
    call->result[1] = axes_[k];
    call->result[2] = n;
    return fail(XPU_INDEX_ERROR, "index out of bounds");
}

xpu_status Places::normalize(const Context &ctx, int k, int mode) {
    View index(core_[k]), result;
    XPU_TRY(temp(ctx, index, &result));
    core_[k] = result;
    NUMBER(zero, 0);
    NUMBER(length, length_[k]);
    xpu_scalar one = scalar_of_int(XPU_INT64, 1);
    TEMP(first, XPU_INT64, &index.t);
    if (mode == XPU_MODE_CLIP) {
        NUMBER(last, length_[k] - 1);
        XPU_TRY(run(ctx, Op::Maximum, {in(index), in(zero), out(first)}));
        return run(ctx, Op::Minimum, {in(first), in(last), out(result)});
    }
    if (mode == XPU_MODE_WRAP) { /* index - floor(index / length) * length, exact for int64 */
        TEMP(product, XPU_INT64, &index.t);
        XPU_TRY(run(ctx, Op::FloorDivide, {in(index), in(length), out(first)}));
        XPU_TRY(run(ctx, Op::Mul, {in(first), in(length), out(product)}));
        return run(ctx, Op::Sub, {in(index), in(product), scalar(one), out(result)});
    }
    TEMP(negative, XPU_BOOL, &index.t);
    XPU_TRY(run(ctx, Op::LtTensor, {in(index), in(zero), out(negative)}));
    XPU_TRY(run(ctx, Op::Add, {in(index), in(length), scalar(one), out(first)}));
    return run(ctx, Op::SWhere, {in(negative), in(first), in(index), out(result)});
}

/* One axis with all positions of B. */
xpu_status Places::expand(const Context &ctx, int k) {
    const View &core = core_[k];
    if (core.t.size == size_ && is_contiguous(core)) {
        flat_[k] = flat(core);
        return XPU_OK;
    }
    View full, from(core);
    XPU_TRY(temp(ctx, b_[k], &full));
    for (int i = 0; i < from.t.ndim; ++i)
        if (from.shape[i] == 1) from.shape[i] = b_[k].shape[i], from.strides[i] = 0;
    from.update();
    flat_[k] = flat(full);
    return copy_view(ctx, full, from);
}

xpu_status Places::linear(const Context &ctx) {
    if (n_ == 1) return XPU_OK;
    linear_ = flat_[0];
    for (int k = 1; k < n_; ++k) {
        View sum;
        NUMBER(length, length_[k]);
        TEMP(product, XPU_INT64, &linear_.t);
        XPU_TRY(temp(ctx, linear_, &sum));
        XPU_TRY(run(ctx, Op::Mul, {in(linear_), in(length), out(product)}));
        XPU_TRY(run(ctx, Op::Add, {in(product), in(flat_[k]), scalar(scalar_of_int(XPU_INT64, 1)), out(sum)}));
        linear_ = sum;
    }
    return XPU_OK;
}

/* The axes without indices, in order; returns how many. */
int other_axes(const Places &places, int ndim, int *order) {
    bool indexed[XPU_MAX_NDIM] = {};
    int n = 0;
    for (int k = 0; k < places.count(); ++k) indexed[places.axis(k)] = true;
    for (int i = 0; i < ndim; ++i)
        if (!indexed[i]) order[n++] = i;
    return n;
}

/* source[..., index, ...] along an axis into `to`, whose axes are the source's with B in the place of that axis. */
xpu_status take_along(const Context &ctx, const xpu_tensor *to, const View &source, int axis, const Places &places) {
    Ready ready;
    Target target;
    XPU_TRY(ready.prepare(ctx, source));
    XPU_TRY(target.prepare(ctx, to, true, false));
    int64_t shape[XPU_MAX_NDIM];
    std::copy(source.shape, source.shape + source.t.ndim, shape);
    shape[axis] = places.size();
    View result = reshaped(target, source.t.ndim, shape);
    XPU_TRY(run(ctx, Op::GatherV2, {in(ready), integer(axis), in(places.all()), out(result)}));
    return target.finish(ctx);
}

/* One index tensor: the source as it lies, the output with B in the place of the axis. */
xpu_status gather_one(const Context &ctx, const View &source, const View &to, int nb, const Places &places) {
    int axis = places.axis(0), order[XPU_MAX_NDIM], group[XPU_MAX_NDIM], n = 0;
    for (int i = 0; i < axis; ++i) order[n++] = nb + i;
    for (int i = 0; i < nb; ++i) order[n++] = i;
    for (int i = nb + axis; i < to.t.ndim; ++i) order[n++] = i;
    View result = permuted(to, order, n), merged(source);
    for (int i = 0; i < source.t.ndim; ++i) group[i] = i < axis ? 0 : i == axis ? kKept : 1;
    merge_axes(&merged, 1, group);
    if (merged.t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "gather from %d axes that do not merge", merged.t.ndim);
    int at = 0;
    while (group[at] != kKept) ++at;
    return take_along(ctx, result, merged, at, places);
}

/* Several: the indexed axes in front as one, copied when they cannot be seen as one. */
xpu_status gather_many(const Context &ctx, const View &source, const View &to, Places &places) {
    int order[XPU_MAX_NDIM], group[XPU_MAX_NDIM], n = places.count();
    for (int k = 0; k < n; ++k) order[k] = places.axis(k);
    int ndim = n + other_axes(places, source.t.ndim, order + n);
    for (int i = 0; i < ndim; ++i) group[i] = i < n ? 0 : 1;
    View front = permuted(source, order, ndim);
    Packed packed;
    auto merge = [&]() {
        merge_axes(&front, 1, group);
        int indexed = 0;
        while (indexed < front.t.ndim && group[indexed] == 0) ++indexed;
        if (indexed == 0) insert_axis(&front, 0);
        return indexed <= 1;
    };
    View original(front);
    if (!merge()) {
        XPU_TRY(packed.prepare(ctx, original));
        front = packed.view();
        for (int i = 0; i < ndim; ++i) group[i] = i < n ? 0 : 1;
        merge();
    }
    if (front.t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "gather from %d axes that do not merge", front.t.ndim);
    XPU_TRY(places.linear(ctx));
    return take_along(ctx, to, front, 0, places);
}

} // namespace

ASCEND_FORM(gather) {
    (void)row;
    View source(call->in[0]), to(call->out[0]);
    int32_t moved = moved_as(source.t.dtype);
    if (is_scalar(source) || to.t.dtype != source.t.dtype || moved < 0) return XPU_NOT_SUPPORTED;
    source.t.dtype = to.t.dtype = moved;
    Places places;
    XPU_TRY(places.prepare(ctx, call, source));
    if (to.t.size == 0) return XPU_OK;
    if (places.count() == 1) return gather_one(ctx, source, to, call->in[1]->ndim, places);
    return gather_many(ctx, source, to, places);
}

namespace {

/* The values of a scatter as aclnn takes them: (positions, other axes...), or with 1 position for all. */
class Values {
  public:
    xpu_status prepare(const Context &ctx, const xpu_tensor *source, int32_t dtype, int nb);
    xpu_status rows(const Context &ctx); /* B as one axis; call after the other axes are merged */
    bool varies = false;                 /* along B */
    bool by_value = false;
    View view;                           /* B's axes, then the others */
    int nb = 0;

  private:
    std::unique_ptr<Temp> cast_;
    Packed packed_;
    Ready ready_;
};

xpu_status Values::prepare(const Context &ctx, const xpu_tensor *source, int32_t dtype, int axes) {
    nb = axes;
    int32_t moved = moved_as(dtype);
    if (is_scalar(source)) {
        if (source->dtype != dtype) return fail(XPU_NOT_SUPPORTED, "a value of another dtype");
        by_value = true;
        xpu_scalar s{source->value, moved};
        XPU_TRY(constant(ctx, s, &view));
        insert_axis(&view, 0);
        return XPU_OK;
    }
    view = *source;
    if (source->dtype != dtype) { /* each element that there really is, once */
        View core(source);
        unbroadcast(&core);
        cast_.reset(new Temp(ctx, dtype, &core.t));
        if (!cast_->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a cast of the values");
        XPU_TRY(cast(ctx, *cast_, core) & XPU_CODE_MASK);
        view.t.base = cast_->tensor.base;
        view.t.offset = 0;
        view.t.nbytes = cast_->tensor.nbytes;
        for (int i = 0; i < view.t.ndim; ++i) view.strides[i] = view.strides[i] == 0 ? 0 : cast_->tensor.strides[i];
    }
    view.t.dtype = moved;
    for (int i = 0; i < nb; ++i) varies = varies || (view.shape[i] > 1 && view.strides[i] != 0);
    return XPU_OK;
}

xpu_status Values::rows(const Context &ctx) {
    if (by_value) return XPU_OK;
    int group[XPU_MAX_NDIM], b = 0;
    for (int i = 0; i < view.t.ndim; ++i) {
        group[i] = i < nb ? 0 : kKept;
        if (i < nb && !varies) view.shape[i] = 1;
    }
    view.update();
    View merged(view);
    merge_axes(&merged, 1, group);
    while (b < merged.t.ndim && group[b] == 0) ++b;
    if (b > 1) {
        XPU_TRY(packed_.prepare(ctx, view));
        int64_t shape[XPU_MAX_NDIM] = {1};
        for (int i = 0; i < nb; ++i) shape[0] *= view.shape[i];
        std::copy(view.shape + nb, view.shape + view.t.ndim, shape + 1);
        view = reshaped(packed_, view.t.ndim - nb + 1, shape);
        return XPU_OK;
    }
    if (b == 0) insert_axis(&merged, 0);
    merged.update();
    XPU_TRY(ready_.prepare(ctx, merged));
    view = *static_cast<const xpu_tensor *>(ready_);
    return XPU_OK;
}

/* Which of several equal indices writes last is open on the hardware: all of them write the value of the last one. In the order of
 * sorted indices, the last of each run is where a search from the right ends. */
struct Winners {
    std::unique_ptr<Temp> sorted, order, winner, values;
    std::vector<std::unique_ptr<Temp>> indices;

    xpu_status find(const Context &ctx, Places &places, const View &rows) {
        int64_t n = places.size();
        XPU_TRY(places.linear(ctx));
        for (auto *t : {&sorted, &order, &winner}) {
            t->reset(new Temp(ctx, XPU_INT64, 1, &n));
            if (!(*t)->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for sorted indices");
        }
        TEMP(end, XPU_INT64, 1, &n);
        TEMP(last, XPU_INT64, 1, &n);
        NUMBER(one, 1);
        XPU_TRY(run(ctx, Op::Sort, {in(places.all()), flag(true), integer(0), flag(false), out(*sorted), out(*order)}));
        XPU_TRY(run(ctx, Op::SearchSorted, {in(*sorted), in(*sorted), flag(false), flag(true), null(), out(end)}));
        XPU_TRY(run(ctx, Op::Sub, {in(end), in(one), scalar(scalar_of_int(XPU_INT64, 1)), out(last)}));
        XPU_TRY(run(ctx, Op::GatherV2, {in(*order), integer(0), in(last), out(*winner)}));
        values.reset(new Temp(ctx, rows.t.dtype, &rows.t));
        if (!values->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for the values that win");
        XPU_TRY(run(ctx, Op::GatherV2, {in(rows), integer(0), in(*winner), out(*values)}));
        for (int k = 0; k < places.count() && places.count() > 1; ++k) {
            indices.emplace_back(new Temp(ctx, XPU_INT64, 1, &n));
            if (!indices.back()->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for sorted indices");
            XPU_TRY(run(ctx, Op::GatherV2, {in(places.one(k)), integer(0), in(*order), out(*indices.back())}));
        }
        return XPU_OK;
    }
    const xpu_tensor *index(int k) const { return indices.empty() ? *sorted : *indices[k]; }
};

/* Destination and values with the indexed axes and B in front, their other axes merged together. */
xpu_status arrange(const Places &places, View *destination, Values *values) {
    int order[XPU_MAX_NDIM], group[XPU_MAX_NDIM], n = places.count();
    for (int k = 0; k < n; ++k) order[k] = places.axis(k);
    int others = other_axes(places, destination->t.ndim, order + n);
    *destination = permuted(*destination, order, n + others);
    View rest[2] = {*destination, values->view}; /* the other axes alone */
    rest[0].t.ndim = rest[1].t.ndim = others;
    for (int i = 0; i < others; ++i) {
        group[i] = 0;
        rest[0].shape[i] = rest[1].shape[i] = destination->shape[n + i];
        rest[0].strides[i] = destination->strides[n + i];
        rest[1].strides[i] = values->by_value ? 0 : values->view.strides[values->nb + i];
    }
    merge_axes(rest, 2, group);
    int left = rest[0].t.ndim;
    if (n + left > kMaxRank) return fail(XPU_NOT_SUPPORTED, "scatter into %d axes that do not merge", n + left);
    for (int i = 0; i < left; ++i) {
        destination->shape[n + i] = rest[0].shape[i];
        destination->strides[n + i] = rest[0].strides[i];
        if (values->by_value) continue;
        values->view.shape[values->nb + i] = rest[1].shape[i];
        values->view.strides[values->nb + i] = rest[1].strides[i];
    }
    destination->t.ndim = n + left;
    destination->update();
    if (!values->by_value) values->view.t.ndim = values->nb + left;
    values->view.update();
    return XPU_OK;
}

} // namespace

ASCEND_FORM(scatter) {
    (void)row;
    View destination(call->out[0]);
    int32_t moved = moved_as(destination.t.dtype);
    if (moved < 0) return XPU_NOT_SUPPORTED;
    Places places;
    XPU_TRY(places.prepare(ctx, call, destination));
    if (call->in[0]->size == 0 || places.size() == 0) return XPU_OK;
    Values values;
    XPU_TRY(values.prepare(ctx, call->in[0], destination.t.dtype, call->in[1]->ndim));
    destination.t.dtype = moved;
    XPU_TRY(arrange(places, &destination, &values));
    XPU_TRY(values.rows(ctx));
    const xpu_tensor *rows = values.view, *indices[XPU_MAX_NDIM];
    Winners winners;
    bool sorted = values.varies && places.size() > 1;
    if (sorted) {
        XPU_TRY(winners.find(ctx, places, values.view));
        rows = *winners.values;
    }
    for (int k = 0; k < places.count(); ++k) indices[k] = sorted ? winners.index(k) : places.one(k);
    Target target;
    XPU_TRY(target.prepare(ctx, destination, false, true));
    XPU_TRY(run(ctx, Op::IndexPutImpl, {out(target), tensors(indices, places.count()), in(rows), flag(false), flag(false)}));
    return target.finish(ctx);
}

/* --- masks --- */

ASCEND_FORM(mask_get) {
    const xpu_tensor *source = call->in[0], *mask = call->in[1], *to = call->out[0];
    int32_t moved = moved_as(source->dtype);
    if (is_scalar(source) || is_scalar(mask) || to->dtype != source->dtype || moved < 0) return XPU_NOT_SUPPORTED;
    View views[2] = {View(source), View(mask)};
    collapse(views, 2);
    if (views[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a mask over %d axes that do not collapse", views[0].t.ndim);
    for (View &v : views)
        if (v.t.ndim == 0) insert_axis(&v, 0);
    views[0].t.dtype = moved;
    Ready x, m;
    XPU_TRY(x.prepare(ctx, views[0]));
    XPU_TRY(m.prepare(ctx, views[1]));
    View into(to);
    into.t.dtype = moved;
    Target target;
    XPU_TRY(target.prepare(ctx, into, true, false));
    int64_t shape[XPU_MAX_NDIM];
    int ndim = 0;
    XPU_TRY(run_dynamic(ctx, row.fn, {in(x), in(m), out(target)}, 2, shape, &ndim));
    if (ndim != 1 || shape[0] > to->size) return fail(XPU_INTERNAL_ERROR, "aclnnMaskedSelect gave a shape that is not possible");
    call->result[0] = shape[0];
    return target.finish(ctx);
}

namespace {

xpu_status count_true(const Context &ctx, const xpu_tensor *contiguous_mask, int64_t *count) {
    int64_t axis = 0;
    View all = flat(contiguous_mask);
    TEMP(total, XPU_INT64, 0, nullptr);
    XPU_TRY(run(ctx, Op::ReduceSum, {in(all), ints(&axis, 1), flag(false), dtype(XPU_INT64), out(total)}));
    return read_back(ctx, count, total);
}

/* One value where the mask is true: in place where AI Core does that, else chosen into a temporary. */
xpu_status mask_fill(const Context &ctx, const View &to, const xpu_tensor *mask, const xpu_tensor *value) {
    int32_t d = to.t.dtype;
    bool in_place = d == XPU_FLOAT32 || d == XPU_FLOAT16 || d == XPU_BOOL || d == XPU_INT8 || d == XPU_INT32;
    if (in_place) {
        Target target;
        XPU_TRY(target.prepare(ctx, to, false, true));
        XPU_TRY(run(ctx, Op::InplaceMaskedFillTensor, {out(target), in(mask), in(value)}));
        return target.finish(ctx);
    }
    Ready old;
    XPU_TRY(old.prepare(ctx, to));
    TEMP(result, d, &to.t);
    XPU_TRY(run(ctx, Op::SWhere, {in(mask), in(value), in(old), out(result)}));
    XPU_TRY(copy_view(ctx, to, result));
    return d == XPU_INT16 ? XPU_OK | XPU_NOTE_SLOW : XPU_OK;
}

} // namespace

ASCEND_FORM(mask_set) {
    const xpu_tensor *values = call->in[0], *mask = call->in[1];
    View views[2] = {View(call->out[0]), View(mask)};
    int32_t moved = moved_as(views[0].t.dtype);
    if (is_scalar(mask) || values->dtype != views[0].t.dtype || moved < 0) return XPU_NOT_SUPPORTED;
    if (moved == XPU_UINT8) moved = XPU_INT8;
    views[0].t.dtype = moved;
    collapse(views, 2);
    if (views[0].t.ndim > kMaxRank) return fail(XPU_NOT_SUPPORTED, "a mask over %d axes that do not collapse", views[0].t.ndim);
    for (View &v : views)
        if (v.t.ndim == 0) insert_axis(&v, 0);
    if (is_scalar(values) || values->ndim == 0) {
        View value(values);
        Ready m;
        XPU_TRY(m.prepare(ctx, views[1]));
        value.t.dtype = moved;
        value.t.ndim = 0;
        value.t.size = 1;
        if (is_scalar(values)) XPU_TRY(constant(ctx, xpu_scalar{values->value, moved}, &value));
        return mask_fill(ctx, views[0], m, value);
    }
    Packed m, v;
    XPU_TRY(m.prepare(ctx, views[1]));
    XPU_TRY(count_true(ctx, m, &call->result[0]));
    if (call->result[0] != values->size)
        return fail(XPU_INVALID_ARGUMENT, "%lld values for %lld places", static_cast<long long>(values->size),
                    static_cast<long long>(call->result[0]));
    if (values->size == 0) return XPU_OK;
    if (moved == XPU_BOOL) moved = XPU_INT8; /* the same bytes, on AI Core */
    View source(values);
    source.t.dtype = views[0].t.dtype = moved;
    XPU_TRY(v.prepare(ctx, source));
    Target target;
    XPU_TRY(target.prepare(ctx, views[0], false, true));
    XPU_TRY(run(ctx, row.fn, {out(target), in(m), in(v)}));
    return target.finish(ctx);
}

/* What is not zero, as booleans, unless aclnnNonzero itself takes the dtype on AI Core. Its rows are the coordinates. */
ASCEND_FORM(nonzero) {
    View x(call->in[0]);
    int ndim = x.t.ndim;
    if (is_scalar(x) || ndim == 0 || ndim != call->nout || ndim > kMaxRank) return XPU_NOT_SUPPORTED;
    for (int i = 0; i < ndim; ++i)
        if (x.shape[i] > INT32_MAX) return fail(XPU_NOT_SUPPORTED, "nonzero along an axis of over 2**31 elements");
    if (x.t.size * ndim > (INT64_C(1) << 28)) return fail(XPU_NOT_SUPPORTED, "nonzero with more than 2 GiB of coordinates");
    x.t.dtype = run_as(x.t.dtype);
    Ready ready;
    XPU_TRY(ready.prepare(ctx, x));
    const xpu_tensor *source = ready;
    std::unique_ptr<Temp> truth;
    int32_t d = x.t.dtype;
    if (d != XPU_BOOL && d != XPU_INT8 && d != XPU_UINT8 && d != XPU_FLOAT16 && d != XPU_FLOAT32) {
        CONSTANT(zero, d, 0);
        truth.reset(new Temp(ctx, XPU_BOOL, source));
        if (!truth->ok()) return fail(XPU_OUT_OF_MEMORY, "no device memory for a mask");
        XPU_TRY(run(ctx, Op::NeTensor, {in(source), in(zero), out(*truth)}));
        source = *truth;
    }
    int64_t shape[XPU_MAX_NDIM], most[2] = {x.t.size, ndim};
    int rank = 0;
    TEMP(places, XPU_INT64, 2, most);
    XPU_TRY(run_dynamic(ctx, row.fn, {in(source), out(places)}, 1, shape, &rank));
    if (rank != 2 || shape[0] > x.t.size) return fail(XPU_INTERNAL_ERROR, "aclnnNonzero gave a shape that is not possible");
    call->result[0] = shape[0];
    for (int k = 0; k < ndim && shape[0]; ++k) {
        View column(&places.tensor), to(call->out[k]);
        column.t.ndim = 1;
        column.t.offset += 8 * k;
        column.shape[0] = to.shape[0] = shape[0];
        column.strides[0] = 8 * ndim;
        column.update();
        to.update();
        XPU_TRY(copy_view(ctx, to, column));
    }
    return XPU_OK;
}

} // namespace ascend
