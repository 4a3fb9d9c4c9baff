// The runtime of this process, and its layout.

#ifndef PROBE_RUNTIME_H
#define PROBE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

/// True if the runtime has everything that the probe relies on. If not, writes a sentence with the reason. `missing` is the name of an
/// interposed function that the runtime does not have, NULL if it has all.
bool runtime_is_known(const char *missing, char *reason, size_t room);

/// Writes the runtime's properties to a file, one on each line.
void runtime_describe(int file);

#pragma GCC visibility pop

#endif
