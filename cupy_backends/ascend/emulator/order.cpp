/* Who comes after whom. Work is ordered by its stream, by events, and by what the host has waited for; two uses of the same memory, one
 * of them writing, must be ordered. This is checked from the calls alone, so a race is reported also when the timing was lucky. */
#include <algorithm>

#include "internal.h"

namespace emu {
namespace {

constexpr size_t kHistory = 512;

bool knows(const Clocks &clocks, const Access &a)
{
    auto found = clocks.find(a.stream);
    return found != clocks.end() && found->second >= a.seq;
}

bool meets(const Access &a, const Touch &touch)
{
    return a.offset < touch.offset + touch.bytes && touch.offset < a.offset + a.bytes;
}

/* What the new use makes unneeded: what the host has seen, and what it covers and comes after. */
void forget(std::vector<Access> &history, const Clocks &clocks, const Touch &touch)
{
    history.erase(std::remove_if(history.begin(), history.end(),
                                 [&](const Access &a) {
                                     bool covers = touch.offset <= a.offset && a.offset + a.bytes <= touch.offset + touch.bytes;
                                     return knows(g.seen, a) || (covers && touch.write && touch.dense && knows(clocks, a));
                                 }),
                  history.end());
    if (history.size() >= kHistory) history.erase(history.begin());
}

} // namespace

void merge(Clocks &into, const Clocks &from)
{
    for (auto [stream, seq] : from) {
        uint64_t &mine = into[stream];
        mine = std::max(mine, seq);
    }
}

void order_task(Task &task)
{
    Stream &s = *task.stream;
    merge(s.clocks, g.seen);
    if (task.wait_for) merge(s.clocks, task.wait_for->clocks);
    s.clocks[s.id] = s.queued;
    if (task.marker) task.marker->clocks = s.clocks;
    if (task.host) task.clocks = s.clocks;
    for (const Touch &touch : task.touches) {
        std::vector<Access> &history = touch.allocation->history;
        for (const Access &a : history)
            if ((a.write || touch.write) && a.dense && touch.dense && meets(a, touch) && !knows(s.clocks, a)) {
                violation("race: %s uses memory of %s on another stream without waiting for it", task.what.c_str(), a.what.c_str());
                break;
            }
        forget(history, s.clocks, touch);
        Access made{s.id, s.queued, touch.offset, touch.bytes, touch.write, touch.dense, task.what};
        for (Access &a : history)
            if (a.stream == made.stream && a.offset == made.offset && a.bytes == made.bytes && a.write == made.write) {
                a.seq = made.seq;
                made.bytes = 0;
            }
        if (made.bytes) history.push_back(made);
    }
}

const Access *not_seen(const Touch &touch)
{
    int device = touch.allocation->device;
    if (device >= 0 && g.devices[device]->fault) return nullptr; /* nothing runs there any more */
    for (const Access &a : touch.allocation->history)
        if ((a.write || touch.write) && meets(a, touch) && !knows(g.seen, a)) return &a;
    return nullptr;
}

} // namespace emu
