/* Views in memory: what they cover and whether they share elements. */
#include <algorithm>
#include <unordered_set>

#include "internal.h"

namespace emu {

int64_t extent(const Layout &layout)
{
    int64_t last = 0;
    for (size_t i = 0; i < layout.dims.size(); ++i) {
        if (layout.dims[i] == 0) return -1;
        last += (layout.dims[i] - 1) * layout.strides[i];
    }
    return last;
}

bool covered(const Layout &layout)
{
    int64_t last = extent(layout);
    return last < 0 || layout.offset + last < count_of(layout.storage);
}

namespace {

/* Calls visit(index of the element from the base) for each element. */
template <class Visit> bool each_element(const Layout &layout, Visit visit)
{
    bool going = true;
    const Dims *const strides[] = {&layout.strides};
    for_each(layout.dims, strides, [&](const int64_t (&at)[1]) { going = going && visit(layout.offset + at[0]); });
    return going;
}

/* With strides in growing order each axis must step over all that the smaller ones reach. */
bool surely_apart(const Layout &layout)
{
    std::vector<std::pair<int64_t, int64_t>> axes;
    for (size_t i = 0; i < layout.dims.size(); ++i)
        if (layout.dims[i] > 1) axes.push_back({layout.strides[i], layout.dims[i]});
    std::sort(axes.begin(), axes.end());
    int64_t reach = 0;
    for (auto [stride, n] : axes) {
        if (stride <= reach) return false;
        reach += stride * (n - 1);
    }
    return true;
}

} // namespace

bool overlaps_itself(const Layout &layout)
{
    if (layout.count() <= 1 || surely_apart(layout)) return false;
    std::unordered_set<int64_t> seen;
    return !each_element(layout, [&](int64_t at) { return seen.insert(at).second; });
}

bool overlap(const Placed &a, const Placed &b)
{
    int64_t last_a = extent(*a.layout), last_b = extent(*b.layout);
    if (last_a < 0 || last_b < 0) return false;
    int64_t size_a = int64_t(item_size(a.layout->dtype)), size_b = int64_t(item_size(b.layout->dtype));
    const char *first_a = a.base + a.layout->offset * size_a, *end_a = first_a + (last_a + 1) * size_a;
    const char *first_b = b.base + b.layout->offset * size_b, *end_b = first_b + (last_b + 1) * size_b;
    if (end_a <= first_b || end_b <= first_a) return false;
    if (a.layout->contiguous() || b.layout->contiguous()) {
        bool a_whole = a.layout->contiguous();
        const Placed &other = a_whole ? b : a;
        const char *first = a_whole ? first_a : first_b, *end = a_whole ? end_a : end_b;
        int64_t size = a_whole ? size_b : size_a;
        return !each_element(*other.layout, [&](int64_t at) {
            const char *p = other.base + at * size;
            return p + size <= first || p >= end;
        });
    }
    std::unordered_set<int64_t> bytes;
    each_element(*a.layout, [&](int64_t at) {
        for (int64_t k = 0; k < size_a; ++k) bytes.insert(int64_t(a.base - b.base) + at * size_a + k);
        return true;
    });
    return !each_element(*b.layout, [&](int64_t at) {
        for (int64_t k = 0; k < size_b; ++k)
            if (bytes.count(at * size_b + k)) return false;
        return true;
    });
}

std::string describe(const Layout &layout)
{
    std::string text = std::string(dtype_name(layout.dtype)) + "[";
    for (size_t i = 0; i < layout.dims.size(); ++i) text += (i ? "," : "") + std::to_string(layout.dims[i]);
    text += "]";
    if (!layout.contiguous()) {
        text += "/";
        for (size_t i = 0; i < layout.strides.size(); ++i) text += (i ? "," : "") + std::to_string(layout.strides[i]);
    }
    if (layout.offset) text += "+" + std::to_string(layout.offset);
    return text;
}

} // namespace emu
