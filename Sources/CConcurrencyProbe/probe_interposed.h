// Recording of the calls that pass through the probe.

#ifndef PROBE_INTERPOSED_H
#define PROBE_INTERPOSED_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Starts to observe the calls that pass through the probe.
void interposed_watch(void);

/// True if the runtime has the functions by which code looks at its task's cancellation.
bool interposed_sees_looks(void);

#pragma GCC visibility pop

#endif
