/* The two-phase call: checks, executors, their addresses, queuing. */
#include <cstdarg>
#include <cstdio>

#include "internal.h"

struct aclOpExecutor : EmuObject {
    std::shared_ptr<emu::Program> program;
    std::vector<void *> addresses;       /* one for each slot */
    std::vector<EmuObject *> held, tensors;
    std::thread::id owner;
    int device = 0;
    bool may_repeat = true, repeatable = false, ran = false;
};

namespace emu {

struct PlanAccess {
    static void start(Plan &plan, std::shared_ptr<Program> program)
    {
        plan.program_ = program;
        plan.deterministic_ = program->deterministic;
    }
    static void finish(Plan &plan, Program &program)
    {
        program.kernel = std::move(plan.kernel_);
        program.workspace = plan.workspace_;
    }
    static bool repeatable(const Plan &plan) { return plan.repeatable_; }
};

struct FrameAccess {
    static Frame make(std::shared_ptr<Program> program, Task *task)
    {
        Frame f;
        f.program_ = std::move(program);
        f.task_ = task;
        return f;
    }
    static void add(Frame &f, View view) { f.views_.push_back(std::move(view)); }
    static void workspace(Frame &f, char *memory, uint64_t size) { f.workspace_ = memory, f.workspace_size_ = size; }
};

const Slot *Program::slot(int position, int k) const
{
    auto found = where.find(position);
    return found == where.end() || k >= found->second.second ? nullptr : &slots[found->second.first + k];
}

/* --- Plan --- */

bool Plan::given(int position) const
{
    const Slot *slot = program_->slot(position, 0);
    return slot && (slot->tensor || slot->item >= 0);
}

const Layout &Plan::arg(int position) const { return program_->slot(position, 0)->layout; }
const Layout &Plan::item(int position, int k) const { return program_->slot(position, k)->layout; }

int Plan::length(int position) const
{
    auto found = program_->where.find(position);
    return found == program_->where.end() ? 0 : found->second.second;
}

aclnnStatus Plan::refuse(aclnnStatus code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    set_error("aclnn%s: %s", program_->op.c_str(), text);
    return code;
}

/* --- Frame --- */

View Frame::arg(int position) const { return item(position, 0); }

View Frame::item(int position, int k) const
{
    auto found = program_->where.find(position);
    return found == program_->where.end() || k >= found->second.second ? View() : views_[found->second.first + k];
}

int Frame::length(int position) const
{
    auto found = program_->where.find(position);
    return found == program_->where.end() ? 0 : found->second.second;
}

void Frame::set_view_shape(int position, const Dims &dims)
{
    const Slot *slot = program_->slot(position, 0);
    if (!slot || !slot->tensor || !is_live(slot->tensor)) {
        violation("lifetime: the output of aclnn%s was destroyed before its shape was known", program_->op.c_str());
        return;
    }
    aclTensor *tensor = const_cast<aclTensor *>(slot->tensor);
    tensor->layout.dims = dims;
    tensor->layout.strides = contiguous_strides(dims);
}

namespace {
void break_device(Task *task, const char *format, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    Lock lock(g.lock);
    mark_lost(*task->device, ACL_ERROR_RT_AICORE_EXCEPTION, task->what + ": " + text);
}
} // namespace

void Frame::fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    break_device(task_, format, args);
    va_end(args);
}

void Work::fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    break_device(task_, format, args);
    va_end(args);
}

namespace {

/* --- checks of single arguments --- */

struct Checker {
    const char *op;
    int device;
    Program &program;
    std::vector<EmuObject *> held, tensors;

    aclnnStatus refuse(aclnnStatus code, int position, const std::string &why)
    {
        set_error("aclnn%s: argument %d: %s", op, position, why.c_str());
        return code;
    }
    aclnnStatus broken(int position, const std::string &why)
    {
        violation("tensor: aclnn%s: argument %d: %s", op, position, why.c_str());
        return ACLNN_ERR_PARAM_INVALID;
    }
    aclnnStatus check_memory(int position, const Layout &l, void *base);
    aclnnStatus check_tensor(int position, int item, const aclTensor *tensor, const ParamRule *rule, Direction direction);
    aclnnStatus check(int position, const Argument &argument);
};

aclnnStatus Checker::check_memory(int position, const Layout &l, void *base)
{
    if (l.count() == 0) return 0;
    if (!base) return refuse(ACLNN_ERR_PARAM_NULLPTR, position, "no data");
    if (uintptr_t(base) % 32) return broken(position, "its base is not aligned to 32 bytes");
    Lock lock(g.lock);
    Device *d = device_of(base);
    if (!d) return broken(position, "its base is no device memory");
    if (d->id != device) return broken(position, "its base is memory of device " + std::to_string(d->id));
    return 0;
}

aclnnStatus Checker::check_tensor(int position, int item, const aclTensor *tensor, const ParamRule *rule, Direction direction)
{
    if (!check_object(tensor, "an argument of an operator")) return ACLNN_ERR_PARAM_INVALID;
    const Layout &l = tensor->layout;
    held.push_back(const_cast<aclTensor *>(tensor));
    tensors.push_back(const_cast<aclTensor *>(tensor));
    program.slots.push_back({position, item, direction, tensor, l});
    if (rule && rule->dtypes && !(rule->dtypes & bit(l.dtype)))
        return refuse(ACLNN_ERR_PARAM_INVALID, position, std::string(dtype_name(l.dtype)) + " is not supported");
    if (l.dtype == ACL_BF16 && soc_is("Ascend910") && !soc_is("Ascend910B") && !soc_is("Ascend910_"))
        return refuse(ACLNN_ERR_PARAM_INVALID, position, "BF16 is not supported on " + g.soc);
    if (l.rank() > (rule ? rule->max_rank : 8)) return refuse(ACLNN_ERR_PARAM_INVALID, position, "rank " + std::to_string(l.rank()));
    if (l.format != ACL_FORMAT_ND) return refuse(ACLNN_ERR_PARAM_INVALID, position, "its format is not ND");
    if (l.offset < 0) return broken(position, "a negative offset");
    for (int64_t stride : l.strides)
        if (stride < 0) return broken(position, "a negative stride");
    if (rule && !rule->strided && !l.contiguous()) return refuse(ACLNN_ERR_PARAM_INVALID, position, "is not contiguous");
    if (!covered(l)) return broken(position, "its storage is smaller than its view " + describe(l));
    if (direction != IN && overlaps_itself(l)) return broken(position, "an output whose elements overlap " + describe(l));
    return check_memory(position, l, tensor->base);
}

aclnnStatus Checker::check(int position, const Argument &argument)
{
    if (argument.kind == Argument::VALUE) return 0;
    const ParamRule *rule = find_rule(op, position);
    Direction direction = rule ? rule->direction : argument.constant ? IN : OUT;
    int first = int(program.slots.size());
    aclnnStatus status = 0;
    if (!argument.object) {
        if (!rule || !rule->optional) return refuse(ACLNN_ERR_PARAM_NULLPTR, position, "null pointer");
        if (argument.kind == Argument::TENSOR) program.slots.push_back({position, -1, direction, nullptr, {}});
    } else if (argument.kind == Argument::TENSOR) {
        status = check_tensor(position, -1, static_cast<const aclTensor *>(argument.object), rule, direction);
    } else {
        if (!check_object(argument.object, "an argument of an operator")) return ACLNN_ERR_PARAM_INVALID;
        /* all objects begin with EmuObject; the list's pointer is that of the derived struct, which starts with it */
        held.push_back(static_cast<EmuObject *>(const_cast<void *>(argument.object)));
        if (argument.kind == Argument::TENSOR_LIST) {
            int k = 0;
            for (const aclTensor *tensor : static_cast<const aclTensorList *>(argument.object)->values) {
                if (!tensor) return refuse(ACLNN_ERR_PARAM_NULLPTR, position, "a null tensor in the list");
                if ((status = check_tensor(position, k++, tensor, rule, direction))) return status;
            }
        } else if (argument.kind == Argument::SCALAR && rule && rule->dtypes) {
            aclDataType dtype = static_cast<const aclScalar *>(argument.object)->dtype;
            if (!(rule->dtypes & bit(dtype))) return refuse(ACLNN_ERR_PARAM_INVALID, position, std::string(dtype_name(dtype)) + " scalar");
        }
    }
    if (argument.kind == Argument::TENSOR || argument.kind == Argument::TENSOR_LIST)
        program.where[position] = {first, int(program.slots.size()) - first};
    return status;
}

/* Outputs share no element with other tensors; what is changed in place may also be an input, as the very same view. */
bool apart(const Program &program, const std::vector<void *> &addresses)
{
    for (size_t i = 0; i < program.slots.size(); ++i) {
        const Slot &a = program.slots[i];
        if (a.direction == IN || !a.tensor) continue;
        for (size_t k = 0; k < program.slots.size(); ++k) {
            const Slot &b = program.slots[k];
            if (k == i || !b.tensor || (b.direction != IN && k < i)) continue;
            bool same = addresses[i] == addresses[k] && a.layout.dims == b.layout.dims && a.layout.strides == b.layout.strides &&
                        a.layout.offset == b.layout.offset && a.layout.dtype == b.layout.dtype;
            if (a.direction == INOUT && b.direction == IN && same) continue;
            if (!overlap({&a.layout, static_cast<char *>(addresses[i])}, {&b.layout, static_cast<char *>(addresses[k])})) continue;
            violation("aliasing: aclnn%s: arguments %d and %d share memory", program.op.c_str(), a.position, b.position);
            return false;
        }
    }
    return true;
}

uint64_t copies_of_views(const Program &program)
{
    uint64_t bytes = 0;
    for (const Slot &slot : program.slots)
        if (slot.tensor && !slot.layout.contiguous()) bytes += round_up(size_t(slot.layout.count()) * item_size(slot.layout.dtype), 512);
    return bytes;
}

void trace_program(const Program &program, bool repeatable)
{
    std::string text = program.op;
    for (const Slot &slot : program.slots) text += " " + (slot.tensor ? describe(slot.layout) : std::string("null"));
    if (program.workspace) text += " workspace " + std::to_string(program.workspace);
    trace_detail(text + (repeatable ? "" : " once") + (program.aicpu ? " AICPU" : ""));
}

void release(aclOpExecutor *executor)
{
    if (!executor->ran) {
        hold_objects(executor->held, -1, 0);
    } else if (executor->repeatable) {
        hold_objects(executor->tensors, 0, -1);
    }
    retire_object(executor);
}

/* --- phase two --- */

struct Launch {
    aclOpExecutor *executor;
    const char *symbol;
    void *workspace;
    uint64_t size;

    aclnnStatus check_executor() const;
    aclnnStatus resolve_tensors(Task &task, std::vector<char *> *bases) const;
    aclnnStatus resolve_workspace(Task &task) const;
    aclnnStatus queue(aclrtStream stream) const;
};

aclnnStatus Launch::check_executor() const
{
    const Program &p = *executor->program;
    std::string expected = (strncmp(symbol, "aclnn", 5) ? "" : "aclnn") + p.op;
    if (expected != symbol) {
        violation("executor: phase two %s with an executor of %s", symbol, p.op.c_str());
        return ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR;
    }
    if (executor->owner != std::this_thread::get_id()) {
        violation("executor: %s in another thread than its phase one", symbol);
        return ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR;
    }
    for (EmuObject *object : executor->ran ? executor->tensors : executor->held)
        if (!is_live(object)) return violation("lifetime: %s after an argument was destroyed", symbol), ACLNN_ERR_PARAM_INVALID;
    if (p.workspace > 0 && !workspace) {
        set_error("%s: no workspace, %zu bytes are needed", symbol, size_t(p.workspace));
        return ACLNN_ERR_PARAM_NULLPTR;
    }
    if (size < p.workspace) {
        violation("workspace: %s with %zu bytes, phase one asked for %zu", symbol, size_t(size), size_t(p.workspace));
        return ACLNN_ERR_PARAM_INVALID;
    }
    return 0;
}

/* The whole storage must lie in live memory; the work is said to use the part that its view spans. */
aclnnStatus Launch::resolve_tensors(Task &task, std::vector<char *> *bases) const
{
    const Program &p = *executor->program;
    for (size_t i = 0; i < p.slots.size(); ++i) {
        const Slot &slot = p.slots[i];
        bases->push_back(nullptr);
        if (!slot.tensor || slot.layout.count() == 0) continue;
        size_t item = item_size(slot.layout.dtype);
        Touch touch;
        if (!resolve(executor->addresses[i], size_t(count_of(slot.layout.storage)) * item, slot.direction != IN, symbol, &touch))
            return ACLNN_ERR_PARAM_INVALID;
        bases->back() = touch.readable();
        touch.offset += size_t(slot.layout.offset) * item;
        touch.bytes = size_t(extent(slot.layout) + 1) * item;
        touch.dense = extent(slot.layout) + 1 == slot.layout.count();
        task.touches.push_back(touch);
    }
    return apart(p, executor->addresses) ? 0 : ACLNN_ERR_PARAM_INVALID;
}

aclnnStatus Launch::resolve_workspace(Task &task) const
{
    if (executor->program->workspace == 0) return 0;
    Touch touch;
    if (!resolve(workspace, size, true, symbol, &touch)) return ACLNN_ERR_PARAM_INVALID;
    if (touch.allocation->device != executor->device) {
        violation("workspace: %s: memory of another device", symbol);
        return ACLNN_ERR_PARAM_INVALID;
    }
    for (const Touch &other : task.touches)
        if (other.allocation == touch.allocation && other.offset < touch.offset + touch.bytes && touch.offset < other.offset + other.bytes)
            return violation("workspace: %s: it overlaps a tensor", symbol), ACLNN_ERR_PARAM_INVALID;
    task.touches.push_back(touch);
    return 0;
}

aclnnStatus Launch::queue(aclrtStream stream) const
{
    if (aclnnStatus status = check_executor()) return status;
    Lock lock(g.lock);
    aclError code = 0;
    Context *context = current_context(&code);
    Stream *s = context ? find_stream(stream, context, &code) : nullptr;
    if (!s) return ACLNN_ERR_RUNTIME_ERROR;
    if (executor->device != context->device->id) {
        violation("executor: %s on device %d, phase one was on device %d", symbol, context->device->id, executor->device);
        return ACLNN_ERR_PARAM_INVALID;
    }
    auto task = std::make_shared<Task>();
    task->what = symbol;
    std::vector<char *> bases;
    if (aclnnStatus status = resolve_tensors(*task, &bases)) return status;
    if (aclnnStatus status = resolve_workspace(*task)) return status;
    char *scratch = executor->program->workspace ? task->touches.back().readable() : nullptr;
    task->body = [program = executor->program, bases, scratch](Task &running) {
        Frame frame = FrameAccess::make(program, &running);
        for (size_t i = 0; i < bases.size(); ++i) {
            const Slot &slot = program->slots[i];
            FrameAccess::add(frame, slot.tensor ? view_of(slot.layout, bases[i]) : View());
        }
        if (scratch) {
            memset(scratch, 0xA7, program->workspace);
            FrameAccess::workspace(frame, scratch, program->workspace);
        }
        if (program->kernel) program->kernel(frame);
    };
    push(lock, s, task);
    if (executor->program->aicpu) count_aicpu(executor->program->op);
    return ACLNN_SUCCESS;
}

} // namespace

aclnnStatus phase_one(const char *op, const char *symbol, const std::vector<Argument> &args, uint64_t *size, aclOpExecutor **executor,
                      const std::function<aclnnStatus(Plan &)> &body)
{
    if (int code = enter(symbol)) return code;
    if (!size || !executor) return set_error("%s: null pointer", symbol), ACLNN_ERR_PARAM_NULLPTR;
    auto program = std::make_shared<Program>();
    program->op = op;
    int device;
    {
        Lock lock(g.lock);
        aclError code = 0;
        Context *context = current_context(&code);
        if (!context) return ACLNN_ERR_RUNTIME_ERROR;
        device = context->device->id;
        program->deterministic = context->deterministic != 0;
    }
    Checker checker{op, device, *program, {}, {}};
    for (size_t i = 0; i < args.size(); ++i)
        if (aclnnStatus status = checker.check(int(i), args[i])) return status;
    Plan plan;
    PlanAccess::start(plan, program);
    if (aclnnStatus status = body(plan)) return status;
    PlanAccess::finish(plan, *program);
    program->workspace += copies_of_views(*program);
    std::vector<void *> addresses;
    for (const Slot &slot : program->slots) addresses.push_back(slot.tensor ? slot.tensor->base : nullptr);
    if (!apart(*program, addresses)) return ACLNN_ERR_PARAM_INVALID;
    auto *made = make_object<aclOpExecutor>("executor");
    made->program = program;
    made->addresses = addresses;
    made->held = checker.held;
    made->tensors = checker.tensors;
    made->owner = std::this_thread::get_id();
    made->device = device;
    made->may_repeat = PlanAccess::repeatable(plan);
    hold_objects(made->held, 1, 0);
    program->aicpu = on_aicpu(*program);
    trace_program(*program, made->may_repeat);
    *size = program->workspace;
    *executor = made;
    return ACLNN_SUCCESS;
}

/* An executor that is not repeatable is gone afterwards, whatever the status is. */
aclnnStatus phase_two(const char *symbol, void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream)
{
    int injected = enter(symbol);
    if (t.refused) return injected;
    if (!executor) return set_error("%s: no executor", symbol), ACLNN_ERR_INNER_NULLPTR;
    if (!is_live(executor)) {
        violation("executor: %s with an executor that was used or destroyed before", symbol);
        return ACLNN_ERR_INNER_NULLPTR;
    }
    aclnnStatus status = injected ? injected : Launch{executor, symbol, workspace, size}.queue(stream);
    if (!executor->repeatable || (status == ACLNN_ERR_PARAM_NULLPTR && !injected)) {
        release(executor);
    } else if (!executor->ran) {
        hold_objects(executor->held, -1, 0);
        hold_objects(executor->tensors, 0, 1);
        executor->ran = true;
    }
    return status;
}

} // namespace emu

using namespace emu;

EMU_API aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    if (int code = enter("aclSetAclOpExecutorRepeatable", false)) return code;
    if (!executor) return set_error("aclSetAclOpExecutorRepeatable: no executor"), ACLNN_ERR_INNER_NULLPTR;
    if (!check_object(executor, "aclSetAclOpExecutorRepeatable: the executor")) return ACLNN_ERR_INNER_NULLPTR;
    if (!executor->may_repeat) {
        set_error("aclSetAclOpExecutorRepeatable: aclnn%s cannot be repeated", executor->program->op.c_str());
        return ACLNN_ERR_INNER;
    }
    executor->repeatable = true;
    return ACLNN_SUCCESS;
}

EMU_API aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    int injected = enter("aclDestroyAclOpExecutor", false);
    if (t.refused) return injected;
    if (!executor) return set_error("aclDestroyAclOpExecutor: no executor"), ACLNN_ERR_INNER_NULLPTR;
    if (!check_object(executor, "aclDestroyAclOpExecutor: the executor")) return ACLNN_ERR_INNER_NULLPTR;
    release(executor);
    return injected;
}

namespace {

enum Which { kInputs, kOutputs, kAll };

/* The argument at an index among inputs, outputs or all. What is changed in place is an output; if `shared`, an input too. */
int position_at(const Program &program, Which which, size_t index, bool shared)
{
    size_t seen = 0;
    for (auto &[position, range] : program.where) {
        Direction d = range.second ? program.slots[range.first].direction : IN;
        bool counts = which == kAll || (which == kInputs && (d == IN || (d == INOUT && shared))) || (which == kOutputs && d != IN);
        if (counts && seen++ == index) return position;
    }
    return -1;
}

aclnnStatus set_slot(const char *name, aclOpExecutor *executor, int slot, void *addr)
{
    const Slot &s = executor->program->slots[slot];
    if (!s.tensor) return set_error("%s: the tensor was null at phase one", name), ACLNN_ERR_PARAM_INVALID;
    Checker checker{executor->program->op.c_str(), executor->device, *executor->program, {}, {}};
    if (aclnnStatus status = checker.check_memory(s.position, s.layout, addr)) return status;
    executor->addresses[slot] = addr;
    return ACLNN_SUCCESS;
}

bool holds(const aclTensor *object, size_t, const aclTensor *tensor) { return object == tensor; }
bool holds(const aclTensorList *list, size_t k, const aclTensor *tensor) { return k < list->values.size() && list->values[k] == tensor; }

/* The object tells which of the two countings is meant. */
template <class Object>
aclnnStatus set_address(const char *name, Which which, aclOpExecutor *executor, size_t index, size_t inner, const Object *object,
                        void *addr, bool list)
{
    if (int code = enter(name, false)) return code;
    if (!executor) return set_error("%s: no executor", name), ACLNN_ERR_INNER_NULLPTR;
    if (!check_object(executor, name)) return ACLNN_ERR_INNER_NULLPTR;
    if (executor->owner != std::this_thread::get_id()) {
        violation("executor: %s in another thread than its phase one", name);
        return ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR;
    }
    if (!object) return set_error("%s: null pointer", name), ACLNN_ERR_PARAM_NULLPTR;
    if (!check_object(object, name)) return ACLNN_ERR_PARAM_INVALID;
    const Program &p = *executor->program;
    bool in_range = false;
    for (bool shared : {true, false}) {
        int position = position_at(p, which, index, shared);
        if (position < 0) continue;
        auto range = p.where.at(position);
        if (inner >= size_t(range.second)) continue;
        const Slot &s = p.slots[range.first + inner];
        in_range = true;
        if ((s.item >= 0) != list) continue;
        if (!s.tensor) return set_slot(name, executor, range.first, addr);
        if (holds(object, inner, s.tensor)) return set_slot(name, executor, range.first + int(inner), addr);
    }
    if (in_range) violation("executor: %s: another tensor than phase one had at index %zu of %s", name, index, p.op.c_str());
    else set_error("%s: index %zu is out of range", name, index);
    return ACLNN_ERR_PARAM_INVALID;
}

} // namespace

#define SET_ADDRESS(NAME, WHICH)                                                                                \
    EMU_API aclnnStatus NAME(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)        \
    {                                                                                                           \
        return set_address(#NAME, WHICH, executor, index, 0, tensor, addr, false);                              \
    }
SET_ADDRESS(aclSetInputTensorAddr, kInputs)
SET_ADDRESS(aclSetOutputTensorAddr, kOutputs)
SET_ADDRESS(aclSetTensorAddr, kAll)

#define SET_DYNAMIC_ADDRESS(NAME, WHICH)                                                                                              \
    EMU_API aclnnStatus NAME(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr) \
    {                                                                                                                                 \
        return set_address(#NAME, WHICH, executor, irIndex, relativeIndex, tensors, addr, true);                                      \
    }
SET_DYNAMIC_ADDRESS(aclSetDynamicInputTensorAddr, kInputs)
SET_DYNAMIC_ADDRESS(aclSetDynamicOutputTensorAddr, kOutputs)
SET_DYNAMIC_ADDRESS(aclSetDynamicTensorAddr, kAll)
