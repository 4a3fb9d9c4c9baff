// The addresses of the runtime's code.

#ifndef RUNTIME_CODE_H
#define RUNTIME_CODE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The address range of a function's machine code. Both members are 0 if the function was not found.
typedef struct code_range {
    uintptr_t first;
    uintptr_t end;
} code_range;

/// The runtime's functions that the probe recognizes as callers of a hook, and other symbols of the runtime that the probe uses.
typedef struct runtime_code {
    code_range enqueue;
    code_range switch_executor;
    code_range cancel;
    code_range cancel_child;    ///< the part of cancel that visits a task's children
    code_range cancel_group;
    code_range run_job;         ///< runs a job: the calls outside of it are no calls of the job
    code_range wait_for_future;
    code_range add_status_record;
    code_range resume_with_error;  ///< a continuation is resumed with an error
    code_range group_next;       ///< a task takes the outcome of a child that has ended
    code_range group_hand_over;  ///< a child that ends gives its outcome to the task that waits
    code_range group_scope[2];   ///< where the end of a throwing group's scope takes the outcomes that no code took
    code_range future_adapter, non_future_adapter;  ///< where a task begins that has a value, and one that has none
    code_range destroy_continuation_guard;
    code_range continuation_guard;  ///< metadata, not code: the class that detects unresumed continuations
    code_range module;          ///< the whole runtime library
} runtime_code;

extern runtime_code probe_code;

/// Fills `probe_code` with the symbols that the runtime's file has.
void runtime_code_find(void);

struct dl_phdr_info;

/// The range of all machine code of a loaded file.
code_range code_of_file(const struct dl_phdr_info *info);

/// The first instruction of the function in which a call returns to an address, NULL if it is not known. The search does not take the lock
/// that the loader holds while it runs the constructors of a library: a constructor may be waiting for a lock of the calling thread.
const uint8_t *code_start_of_function(const void *returns);

static inline bool code_is_found(code_range range) {
    return range.end > range.first;
}

static inline bool is_in(code_range range, const void *address) {
    return (uintptr_t)address - range.first < range.end - range.first;
}

#pragma GCC visibility pop

#endif
