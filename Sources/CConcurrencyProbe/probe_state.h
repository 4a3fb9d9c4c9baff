// The facts that the installation finds out, for all files of the probe.

#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include <stdbool.h>
#include "trace_lanes.h"

#pragma GCC visibility push(hidden)

/// True once the runtime is found and its hooks call the probe.
/// Before that, and while nothing is recorded, the probe passes every call on unchanged.
extern bool probe_is_installed;

/// True if the trace also has chains. Chains' tasks and Swift's tasks then share one sequence of numbers.
extern bool probe_shares_numbers;

/// True if the probe learns of slices and suspensions from the hooks alone.
extern bool probe_has_hooks_only;

/// True if the probe sees a thread take a job from a queue.
extern bool probe_sees_dequeuing;

/// True if the probe's tests have run on runtimes of this one's layout version. In another runtime, a private fact must be proven first.
extern bool probe_is_in_listed_runtime;

/// True if the probe can miss the end of a slice. Only the runtime then knows which task a thread runs.
extern bool probe_misses_ends;

/// Acquire: an installed probe's hooks, layout and code ranges are visible. A function that a hook reaches before that passes the call on.
static inline bool probe_is_recording(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE) && trace_is_recording();
}

#pragma GCC visibility pop

#endif
