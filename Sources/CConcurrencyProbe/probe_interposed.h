// Recording of the calls that pass through the probe.

#ifndef PROBE_INTERPOSED_H
#define PROBE_INTERPOSED_H

#pragma GCC visibility push(hidden)

/// Starts to observe the calls that pass through the probe.
void interposed_watch(void);

#pragma GCC visibility pop

#endif
