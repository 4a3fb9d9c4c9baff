// The Swift Concurrency probe: it tells the trace what a Swift program's tasks do, and the program needs no change for it.
//
// It is at work wherever it is loaded (preloaded, or linked without being imported) and HOPSCOPE in the environment, or a recording of the
// process's own, asks for events. It works on its own; there is nothing to call.

#ifndef CONCURRENCY_PROBE_H
#define CONCURRENCY_PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

/// How the probe gets at the runtime.
typedef enum hopscope_probe_state {
    HOPSCOPE_PROBE_IDLE = 0,        ///< nothing is recorded, or the program has no Swift Concurrency
    HOPSCOPE_PROBE_COMPLETE = 1,    ///< calls of the runtime pass through the probe, and the runtime's hooks call it
    HOPSCOPE_PROBE_HOOKS_ONLY = 2,  ///< the runtime is part of the program: only its hooks call the probe
} hopscope_probe_state;

hopscope_probe_state hopscope_probe_current_state(void);

/// What of the runtime the probe did not find or does not know, as a sentence; empty if it sees everything. The trace says the same.
const char *hopscope_probe_missing(void);

#ifdef __cplusplus
}
#endif

#endif
