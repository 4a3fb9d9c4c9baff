// The runtime of this process, and its layout.

#ifndef PROBE_RUNTIME_H
#define PROBE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The offsets in a task of private fields that the probe reads. They are a guess in every runtime: the code that reads such a field proves
/// it, or takes away the routes that rest on it.
enum {
    TASK_RECORDS = 0x68,     ///< the innermost status record
    TASK_DEPENDENCY = 0xA0,  ///< the dependency record
};

/// True if the probe's tests have run on a runtime of this one's layout version.
bool runtime_is_listed(void);

/// True if the process has Swift Concurrency.
bool runtime_is_there(void);

/// True if the runtime has everything without which the probe sees no task. If not, writes a sentence with the reason. `missing` is the name
/// of an interposed function that the runtime does not have, NULL if it has all.
bool runtime_is_usable(const char *missing, char *reason, size_t room);

/// Writes a sentence that names a symbol without which the probe sees no task.
void runtime_lacks(const char *symbol, char *reason, size_t room);

/// Writes the runtime's properties to a file, one on each line.
void runtime_describe(int file);

#pragma GCC visibility pop

#endif
