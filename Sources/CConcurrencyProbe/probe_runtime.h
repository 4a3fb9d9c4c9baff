// The runtime of this process: its layout, and the addresses of its code.

#ifndef PROBE_RUNTIME_H
#define PROBE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// MARK: - Known runtimes (probe_runtime.c)

/// The offsets of the runtime's fields that the probe reads, in the layout of this process's runtime.
typedef struct runtime_layout {
    size_t dependency;  ///< the offset in a task of the pointer to its dependency record
} runtime_layout;

/// The layout of this process's runtime, NULL if the probe does not know it. Written by `runtime_find_layout`, before the first hook is set.
extern const runtime_layout *runtime_known_layout;
void runtime_find_layout(void);

/// True if the probe knows the layout of the runtime's tasks.
static inline bool layout_is_known(void) {
    return runtime_known_layout != NULL;
}

/// True if the process has Swift Concurrency.
bool runtime_is_there(void);

/// True if the runtime has everything that the probe relies on. If not, writes a sentence with the reason. `is_alone` is true if the
/// runtime's calls do not pass through the interposed symbols.
bool runtime_is_known(bool is_alone, char *reason, size_t room);

/// Writes the runtime's properties to a file, one on each line.
void runtime_describe(int file);

/// True if both addresses belong to one library, or to the program.
bool probe_are_of_one_file(const void *first, const void *second);

/// The size of a page of memory: 4 KiB on x86-64, up to 64 KiB on aarch64.
uintptr_t probe_page_size(void);

// MARK: - Reads of ended tasks in a stripped runtime (probe_reader.c)

/// True if the probe can find the place where the runtime takes an ended task's value, although its file has no symbol for that place.
bool reader_can_be_tried(void);

/// Finds that place. Called in a task's slice, before the first slice is recorded. Only the first call does the work. Removes the route
/// `read` if the place is not found.
void reader_find(void);

// MARK: - Addresses of the runtime's code (runtime_code.c)

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
    code_range wait_for_future;
    code_range add_status_record;
    code_range destroy_continuation_guard;
    code_range continuation_guard;  ///< metadata, not code: the class that detects unresumed continuations
    code_range module;          ///< the whole runtime library
} runtime_code;

extern runtime_code probe_code;

/// Fills `probe_code` with the symbols that the runtime's file has.
void runtime_code_find(void);

static inline bool code_is_found(code_range range) {
    return range.end > range.first;
}

static inline bool is_in(code_range range, const void *address) {
    return (uintptr_t)address - range.first < range.end - range.first;
}

#pragma GCC visibility pop

#endif
