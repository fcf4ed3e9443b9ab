/* An elementwise call, prepared. Operands are ordered outputs, inputs, mask; arguments of a loop inputs, outputs. */
#ifndef HOST_JOB_H
#define HOST_JOB_H

#include "host.h"

namespace host {

struct Operand {
    bool cast = false;     /* goes through a block */
    bool block = false;    /* has one */
    int size = 0;          /* of an item of the loop's dtype */
    CastFn in = nullptr, out = nullptr;
    LoopFn select = nullptr; /* where, for items of this size */
};

struct Job {
    Loop loop;
    int nin, nout, nargs;
    bool masked;
    bool blend = false;    /* elements where the mask is false may be computed too */
    bool blocks = false;
    bool heavy;            /* the loop computes much */
    Operand operand[XPU_MAX_ARGS];
    int64_t grain;
};

/* elementwise.cpp: all of a plan in this thread; false if there is no memory */
bool run_serial(const Job &job, const Plan &plan);
/* slabs.cpp: does the call if inputs are transposed against the plan's rows, else false. types: dtypes of operand and loop */
bool run_slabs(const Job &job, const Plan &plan, const int (*types)[2], xpu_status *status);

} // namespace host
#endif
