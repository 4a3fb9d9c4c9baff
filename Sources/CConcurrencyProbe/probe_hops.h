// Hops of tasks between executors.

#ifndef PROBE_HOPS_H
#define PROBE_HOPS_H

#include <stdbool.h>
#include <stdint.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// The current task is about to continue at `resume` on the given executor.
void hop_began(void *identity, uintptr_t implementation, const void *resume);

/// True if the task suspends because of the hop that it began.
bool hop_is_dispatched(const swift_task *task);

/// The hopping task took the actor without suspending.
void hop_was_inline(void);
/// The same in the common case, in which the hop is only counted. False, with nothing done, in other cases.
bool hop_was_inline_quickly(void);

/// The runtime put the hopping task into the executor's queue.
void hop_was_dispatched(uint64_t task);

/// Takes over the clock of a recording that begins.
void hops_set_clock(void);

/// A slice begins. `time` is in ticks, 0 if it is not known.
void hops_begin(uint64_t time);

/// Writes the hops that are still only counted to the trace. Called when the slice ends.
void hops_flush(uint64_t task);

#pragma GCC visibility pop

#endif
