/* The emulator's state: devices and their memory, contexts, streams of deferred work, events. One lock guards all of it;
 * kernels and callbacks run without it. */
#ifndef EMU_INTERNAL_H
#define EMU_INTERNAL_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "core.h"

namespace emu {

using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;

struct Stream;
struct Device;

/* --- order (order.cpp): for each stream, the last task that something comes after --- */
using Clocks = std::map<uint64_t, uint64_t>;

struct Access {                          /* a use of memory by queued work */
    uint64_t stream, seq;
    size_t offset, bytes;
    bool write, dense;
    std::string what;
};

/* --- memory --- */
struct Allocation {
    int device;                          /* -1: page-locked host memory */
    size_t start, bytes, occupied;       /* start: in the device's address range; occupied: with padding and rounding */
    size_t hole = 0;                     /* where the taken part of the range begins */
    char *address;                       /* handed out */
    char *readable;
    bool live = true;
    int pending = 0;                     /* queued tasks that name it */
    std::vector<Access> history;
    size_t usable() const;               /* with the 32 bytes of padding */
};
using AllocationPtr = std::shared_ptr<Allocation>;

struct Touch {
    AllocationPtr allocation;
    size_t offset, bytes;
    bool write;
    bool dense = true;                   /* false: a view that leaves gaps */
    char *readable() const { return allocation->readable + offset; }
};

struct Device {
    int id;
    size_t capacity, span;               /* the address range is wider than the memory: addresses are seldom reused */
    char *address = nullptr;             /* PROT_NONE */
    char *readable = nullptr;
    int memfd = -1;
    size_t used = 0, peak = 0, next = 0;
    std::map<size_t, AllocationPtr> live;
    std::map<size_t, size_t> holes;      /* start -> length */
    aclError fault = 0;
    std::string fault_text;
    struct Context *default_context = nullptr;
    int references = 0, streams = 0;
    std::set<int> peers;
    uint64_t running = 0;
};

AllocationPtr find_allocation(const void *address);           /* live, of any device or page-locked; under the lock */
Device *device_of(const void *address);                       /* whose address range it is in, live or not */
bool resolve(const void *address, size_t bytes, bool write, const char *what, Touch *out); /* violation when it is not live */
void release_if_idle(const AllocationPtr &a);
void report_leftovers(Device &d);

/* --- contexts --- */
struct Context {
    Device *device;
    bool live = true, is_default = false;
    Stream *stream = nullptr;            /* the default stream */
    std::set<Stream *> streams;
    int64_t deterministic = 0;
};

/* --- streams --- */
struct Marker {                          /* a point in a stream that an event stands for */
    bool done = false;
    Clock::time_point time;
    Clocks clocks;
};
using MarkerPtr = std::shared_ptr<Marker>;

struct Task {
    std::string what;
    std::vector<Touch> touches;
    std::function<void(Task &)> body;    /* without the lock */
    MarkerPtr wait_for, marker;
    Stream *stream = nullptr;
    Device *device = nullptr;
    Clock::time_point due;
    void *event = nullptr;
    bool host = false;                   /* runs a host function */
    Clocks clocks;                       /* of a host function: what the host knows afterwards */
};
using TaskPtr = std::shared_ptr<Task>;

struct Stream {
    Context *context;
    Device *device;
    bool live = true, is_default = false, stop = false, urgent = false, running = false;
    bool host_functions = false, callbacks = false;
    uint64_t id, queued = 0, completed = 0;
    Clocks clocks;
    uint64_t subscriber = 0;             /* the thread that takes its callbacks */
    std::deque<TaskPtr> tasks;
    std::condition_variable work;
    std::thread thread;
    Clock::time_point last_due;
};

struct Event {
    bool live = true, extended = false, waited = false, recorded = false;
    uint32_t flags = 0;
    MarkerPtr marker;
};

struct Report {                          /* a callback that waits for its thread */
    aclrtCallback call;
    void *data;
    MarkerPtr done;
};

struct State {
    std::mutex lock;
    std::condition_variable progress;
    bool initialised = false, aclnn = false;
    std::string soc = "Ascend910B3";
    int device_count = 1;
    size_t memory = size_t(1) << 30;
    std::vector<int> visible;            /* client's number -> device */
    std::vector<std::unique_ptr<Device>> devices;
    std::unordered_map<void *, std::unique_ptr<Context>> contexts;
    std::unordered_map<void *, std::unique_ptr<Stream>> streams;
    std::unordered_map<void *, std::unique_ptr<Event>> events;
    std::map<char *, AllocationPtr> host;
    std::map<uint64_t, std::deque<Report>> reports;
    uint64_t stream_ids = 0;
    Clocks seen;                         /* what the host has waited for */
    int waiters = 0;                     /* threads that wait for streams: work starts at once */
    int64_t delay_us = 200;              /* negative: work starts only when it is waited for */
    std::atomic<uint64_t> seed{0};
    int64_t process_deterministic = 0;
};
extern State &g;

struct Thread {
    Context *context = nullptr;
    std::string error, returned;
    bool in_callback = false;
    bool refused = false;                /* the last call did nothing: forked or not initialised. An injected failure is none */
};
extern thread_local Thread t;

/* The calling thread's context; null with *code set: none (107002) or its device is lost. Under the lock. */
Context *current_context(aclError *code);
Stream *find_stream(aclrtStream handle, Context *context, aclError *code);

void merge(Clocks &into, const Clocks &from);
void order_task(Task &task);             /* reports races with earlier work */
const Access *not_seen(const Touch &touch); /* a conflicting use that the host did not wait for */

void push(Lock &, Stream *stream, TaskPtr task);
bool wait_until(Lock &lock, int timeout_ms, const std::function<bool()> &done); /* hurries all streams */
aclError drain(Lock &lock, Stream *stream, int timeout_ms, aclError timeout_code);
void mark_lost(Device &d, aclError code, const std::string &text);
Stream *make_stream(Context *context, bool is_default);
void end_stream(Lock &lock, Stream *stream);
size_t round_up(size_t value, size_t to);
void read_environment();
void count_object(const char *kind, int change); /* live objects, for leaks */
void count_host_copy();
void count_aicpu(const std::string &op);
void trace_detail(const std::string &text);

/* --- the client's objects: known while they live, not freed at once so that stale pointers are seen --- */
void add_object(EmuObject *object, const char *kind);
bool is_live(const void *object);
void retire_object(EmuObject *object);
void hold_objects(const std::vector<EmuObject *> &objects, int holders, int keepers); /* changes of the counters */
template <class T> T *make_object(const char *kind)
{
    T *made = new T;
    add_object(made, kind);
    return made;
}

/* --- programs: what phase one made --- */
struct Slot {                            /* a tensor of the call */
    int position, item;                  /* item: in a tensor list, else -1 */
    Direction direction;
    const aclTensor *tensor;             /* may be null */
    Layout layout;
};
struct Program {
    std::string op;
    std::vector<Slot> slots;
    std::map<int, std::pair<int, int>> where; /* position -> first slot, number */
    Kernel kernel;
    uint64_t workspace = 0;
    bool deterministic = false;
    bool aicpu = false;                  /* a part of it runs there: slow */
    const Slot *slot(int position, int k) const;
};
bool on_aicpu(const Program &program);   /* by its tensors (rules.cpp) */

/* --- checks of one tensor and between tensors (layout.cpp) --- */
struct Placed {
    const Layout *layout;
    const char *base;
};
int64_t extent(const Layout &layout);    /* the last element's index from the first; -1 when empty */
bool covered(const Layout &layout);      /* the storage holds the view */
bool overlaps_itself(const Layout &layout);
bool overlap(const Placed &a, const Placed &b);
std::string describe(const Layout &layout);

/* A call that needs a context: locks, finds it. Use: Entered e("name"); if (e.code) return e.code; */
struct Entered {
    explicit Entered(const char *name);
    Lock lock;
    Context *context = nullptr;
    aclError code = 0;
};

} // namespace emu

#endif
