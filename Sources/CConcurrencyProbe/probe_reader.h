// The place where a stripped runtime takes the value of an ended task.

#ifndef PROBE_READER_H
#define PROBE_READER_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// True if the probe can find the place where the runtime takes an ended task's value, although its file has no symbol for that place.
bool reader_can_be_tried(void);

/// Finds that place. Called in a task's slice, before the first slice is recorded. Only the first call does the work. Removes the route
/// `read` if the place is not found.
void reader_find(void);

#pragma GCC visibility pop

#endif
