// The Swift Concurrency probe. It records a Swift program's tasks in the trace; the program needs no change.
//
// The probe works wherever it is loaded: preloaded, or linked without an import. It starts when the environment variable HOPSCOPE or a
// recording in the process asks for events. The program calls nothing to start it.

#ifndef CONCURRENCY_PROBE_H
#define CONCURRENCY_PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

/// The ways in which the probe can reach the Swift runtime.
typedef enum hopscope_probe_state {
    HOPSCOPE_PROBE_IDLE = 0,        ///< nothing is recorded, or the program has no Swift Concurrency
    HOPSCOPE_PROBE_COMPLETE = 1,    ///< the runtime's calls pass through the probe, and its hooks call the probe
    HOPSCOPE_PROBE_HOOKS_ONLY = 2,  ///< the runtime is linked into the program, so only its hooks call the probe
} hopscope_probe_state;

hopscope_probe_state hopscope_probe_current_state(void);

#ifdef __cplusplus
}
#endif

#endif
