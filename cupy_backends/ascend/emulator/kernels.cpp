/* Casts, views and the plans of elementwise operators. */
#include "kernels.h"

#include <algorithm>

namespace emu {
namespace {

/* Out of range or NaN: the facts promise 0 for NaN and leave the rest open. */
template <class To, class From> To float_to_int(From v)
{
    if (std::isnan(v)) return 0;
    const double low = double(std::numeric_limits<To>::min()), high = std::ldexp(1.0, std::numeric_limits<To>::digits);
    double t = std::trunc(double(v));
    if (t >= low && t < high) return To(t);
    if (choice("float to int out of range", 2)) return std::numeric_limits<To>::min();
    return t < low ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
}

/* Only reliable inside (-2048, 1920). */
inline int8_t int32_to_int8(int32_t v)
{
    if ((v > -2048 && v < 1920) || choice("INT32 to INT8 out of range", 2)) return int8_t(v);
    return v < 0 ? -128 : 127;
}

template <class To, class From> To cast_value(From v)
{
    if constexpr (std::is_same_v<To, bool>) return v != From(0);
    else if constexpr (is_complex<From> && is_complex<To>) return To(typename To::value_type(v.real()), typename To::value_type(v.imag()));
    else if constexpr (is_complex<From>) return cast_value<To>(v.real());
    else if constexpr (is_complex<To>) return To(cast_value<typename To::value_type>(v), 0);
    else if constexpr (is_floating<From> && std::is_integral_v<To>) return float_to_int<To>(v);
    else if constexpr (std::is_same_v<From, int32_t> && std::is_same_v<To, int8_t>) return int32_to_int8(v);
    else return To(v);
}

template <class From, class To> To cast_element(From v)
{
    if constexpr (std::is_same_v<From, double> && std::is_same_v<To, Half>) return Half{double_to_half(v)};
    else return Element<To>::put(cast_value<ValueOf<To>>(Element<From>::get(v)));
}

struct Sixteen { uint64_t half[2]; };

template <class T> void copy_elements(const View &from, const View &to)
{
    const Dims *const strides[] = {&from.strides, &to.strides};
    const T *source = from.as<T>();
    T *target = to.as<T>();
    for_each(to.dims, strides, [=](const int64_t (&at)[2]) { target[at[1]] = source[at[0]]; });
}

void copy(const View &from, const View &to)
{
    switch (item_size(from.dtype)) {
    case 1: return copy_elements<uint8_t>(from, to);
    case 2: return copy_elements<uint16_t>(from, to);
    case 4: return copy_elements<uint32_t>(from, to);
    case 8: return copy_elements<uint64_t>(from, to);
    default: return copy_elements<Sixteen>(from, to);
    }
}

} // namespace

void convert(const View &from, const View &to)
{
    if (to.count() == 0) return;
    if (from.dtype == to.dtype) return copy(from, to);
    const Dims *const strides[] = {&from.strides, &to.strides};
    with(All(), from.dtype, [&](auto a) {
        using From = typename decltype(a)::type;
        with(All(), to.dtype, [&](auto b) {
            using To = typename decltype(b)::type;
            const From *source = from.as<From>();
            To *target = to.as<To>();
            for_each(to.dims, strides, [=](const int64_t (&at)[2]) { target[at[1]] = cast_element<From, To>(source[at[0]]); });
        });
    });
}

Array load(const View &view, aclDataType dtype)
{
    Array made(dtype, view.dims);
    convert(view, made.view());
    return made;
}

Array load(const View &view, aclDataType dtype, const Dims &dims) { return load(broadcast_to(view, dims), dtype); }

void store(Array &from, const View &to)
{
    View v = from.view();
    v.dims = to.dims;
    v.strides = contiguous_strides(to.dims);
    convert(v, to);
}

View scalar_view(const Scalar &scalar)
{
    View v;
    v.dtype = scalar.dtype;
    v.data = reinterpret_cast<char *>(const_cast<unsigned char *>(scalar.bytes));
    return v;
}

View permuted(const View &view, const Dims &axes)
{
    View v = view;
    for (size_t i = 0; i < axes.size(); ++i) {
        v.dims[i] = view.dims[size_t(axes[i])];
        v.strides[i] = view.strides[size_t(axes[i])];
    }
    return v;
}

View part(const View &view, int64_t axis, int64_t start, int64_t length)
{
    View v = view;
    v.dims[size_t(axis)] = length;
    if (v.data) v.data += start * view.strides[size_t(axis)] * int64_t(item_size(view.dtype));
    return v;
}

View fixed(const View &view, int64_t axis, int64_t index)
{
    View v = part(view, axis, index, 1);
    v.dims.erase(v.dims.begin() + axis);
    v.strides.erase(v.strides.begin() + axis);
    return v;
}

std::vector<int64_t> load_indices(const View &view)
{
    Array a = load(view, ACL_INT64);
    return std::vector<int64_t>(a.as<int64_t>(), a.as<int64_t>() + a.count());
}

/* --- plans --- */

aclnnStatus not_supported(Plan &plan, const char *what, aclDataType dtype)
{
    return plan.refuse(ACLNN_ERR_PARAM_INVALID, "%s %s is not supported", what, dtype_name(dtype));
}

/* For these dtypes fewer than 6 axes may remain after merging neighbours that broadcast alike. */
bool rank_fits_broadcast(aclDataType dtype, const std::vector<const Dims *> &shapes, const Dims &out)
{
    const uint64_t limited = bits_of(Types<Complex64, Complex128, double, int16_t, uint16_t, uint64_t>());
    if (!(limited & bit(dtype))) return true;
    bool broadcasts = false;
    int groups = 0;
    std::vector<bool> last;
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] == 1) continue;
        std::vector<bool> repeats;
        for (const Dims *shape : shapes) {
            size_t skip = out.size() - shape->size();
            repeats.push_back(i < skip || (*shape)[i - skip] != out[i]);
            broadcasts = broadcasts || repeats.back();
        }
        if (groups == 0 || repeats != last) ++groups;
        last = repeats;
    }
    return !broadcasts || groups < 6;
}

aclDataType promoted(const Plan &plan, int a, int b) { return promote(plan.arg(a).dtype, plan.arg(b).dtype); }
aclDataType float_for(aclDataType dtype) { return is_int(dtype) || dtype == ACL_BOOL ? ACL_FLOAT : dtype; }
bool same_dims(const Plan &plan, int a, int b) { return plan.arg(a).dims == plan.arg(b).dims; }

aclnnStatus elementwise(Plan &plan, const Operands &ins, int out, aclDataType compute, aclDataType result, ArrayKernel kernel)
{
    EMU_REQUIRE(compute != ACL_DT_UNDEFINED, "the dtypes do not promote");
    const Layout &o = plan.arg(out);
    EMU_REQUIRE(castable(result, o.dtype), "%s cannot be cast to the output's %s", dtype_name(result), dtype_name(o.dtype));
    Dims dims;
    std::vector<const Dims *> shapes;
    for (const Operand &in : ins) {
        if (in.position < 0) continue;
        const Dims &shape = plan.arg(in.position).dims;
        EMU_REQUIRE(broadcast(dims, shape, &dims), "the shapes do not broadcast");
        shapes.push_back(&shape);
    }
    EMU_REQUIRE(dims == o.dims, "the output has not the broadcast shape");
    EMU_REQUIRE(rank_fits_broadcast(compute, shapes, dims), "six or more axes remain to be broadcast for %s", dtype_name(compute));
    plan.run([=](Frame &f) {
        View target = f.arg(out);
        if (target.count() == 0) return;
        Arrays arrays;
        for (const Operand &in : ins) {
            View view = in.position < 0 ? scalar_view(in.scalar) : f.arg(in.position);
            arrays.push_back(load(view, compute, target.dims));
        }
        Array made(result, target.dims);
        kernel(arrays, made);
        store(made, target);
    });
    return ACLNN_SUCCESS;
}

} // namespace emu
