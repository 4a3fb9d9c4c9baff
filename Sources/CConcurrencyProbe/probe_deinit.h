// Isolated deinits, which run on the executor of their class.

#ifndef PROBE_DEINIT_H
#define PROBE_DEINIT_H

#pragma GCC visibility push(hidden)

/// Lets the probe stand before the runtime's function that gives a deinit to an executor.
void deinits_watch(void);

#pragma GCC visibility pop

#endif
