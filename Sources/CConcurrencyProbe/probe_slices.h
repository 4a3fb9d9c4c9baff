// The slices of a task: the times during which a thread runs it.

#ifndef PROBE_SLICES_H
#define PROBE_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Begins a slice of a task whose creation is recorded on the calling thread.
void slice_began(swift_task *task);

/// Ends the slice of `task` on the calling thread. With hooks only, the probe may not have seen that slice begin.
///
/// Returns the executor that the task ran on at the end, 0 if it is not known.
uint16_t slice_ended(swift_task *task, uint64_t number);

void task_was_suspended(swift_task *task);

/// Called when a continuation that the task awaits, or is about to await, is resumed with an error. `frame` is that of the caller. Returns
/// the error; NULL if there is none.
void *task_is_resumed_with_error(swift_task *task, const void *frame);

/// Called when the calling thread begins to block inside the task's slice, and when it continues.
/// `frame` is the frame of the blocking function; `gave_up` is true if the wait timed out.
void task_blocks(uint64_t task, uint64_t awaited, const void *frame);
void task_goes_on(uint64_t task, uint64_t awaited, bool gave_up);

#pragma GCC visibility pop

#endif
