// The strands of a program: tasks, blocks and threads, under numbers that are the same in every order.

#ifndef EXPLORE_STRANDS_H
#define EXPLORE_STRANDS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// The first strands.
enum { STRAND_OUTSIDE, STRAND_MAIN, STRAND_FIRST };

void strands_begin(void);

/// A new strand, made by the one that runs on the calling thread.
uint32_t strand_make(uint32_t kind, uintptr_t site);

/// The strand of a task, which is made if the task is not known.
uint32_t strand_of_task(swift_task *task, uintptr_t site);

/// The runtime's number of the strand's task; 0 if it is no task.
uint64_t strand_number_of_task(uint32_t strand);

/// Adds what is known of a strand: from where the function that made it was called, and its name; NULL for none.
void strand_describe(uint32_t strand, uintptr_t caller, const char *name);

/// The strand that runs on the calling thread: its task, or else its block or thread.
uint32_t strand_now(void);

/// An address as an offset in the program; 0 for one elsewhere.
static inline uint64_t program_offset(uintptr_t address) {
    return is_in(explore.program, address) ? address - explore.program.low : 0;
}

#pragma GCC visibility pop

#endif
