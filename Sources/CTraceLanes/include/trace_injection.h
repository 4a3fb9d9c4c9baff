// The record by which `hopscope attach --inject` and the probe in the process talk. The command loads the probe while the process runs. The
// record lies in the process's memory: the command writes it before the probe's thread begins, then reads and answers it from outside.

#ifndef TRACE_INJECTION_H
#define TRACE_INJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The function of the probe that the new thread calls with the record. It returns when the recording is over.
#define TRACE_INJECTION_ENTRY "hopscope_probe_serve"

/// How far the thread has come. Only the thread writes it.
enum trace_injection_state {
    TRACE_INJECTION_LOADING = 0,
    TRACE_INJECTION_NOT_LOADED = 1,  ///< the loader refused the library; `sentence` has its reason
    TRACE_INJECTION_NOT_RECORDED = 2,  ///< the probe records nothing; `sentence` has the reason
    TRACE_INJECTION_RECORDING = 3,  ///< `region` has the path of the trace
};

/// The command's order to the thread. Only the command writes it.
enum trace_injection_order {
    TRACE_INJECTION_WAIT = 0,
    TRACE_INJECTION_LEAVE = 1,  ///< ends what has begun
    TRACE_INJECTION_SERVE = 2,  ///< records until the command's process ends
};

/// A task that was there before the probe was loaded, as the command has found it from outside.
enum trace_adopted_state {
    TRACE_ADOPTED_UNSTATED = 0,  ///< the trace has events of the task already, which tell its state
    TRACE_ADOPTED_QUEUED = 1,
    TRACE_ADOPTED_QUEUED_GLOBALLY = 2,  ///< on the global executor
    TRACE_ADOPTED_SUSPENDED = 3,
};

enum { TRACE_ADOPTED_PLACES = 8, TRACE_ADOPTED_NAME = 100, TRACE_ADOPTED_TASKS = 64 };

typedef struct trace_adopted_task {
    uint64_t task, parent, awaited;
    uint64_t places[TRACE_ADOPTED_PLACES];  ///< the places at which it goes on, the innermost first; 0 after the last one
    uint8_t kind;                           ///< a trace_task_kind
    uint8_t state;                          ///< a trace_adopted_state
    uint8_t reason;                         ///< the trace_suspension_reason of a suspended task
    bool is_cancelled;
    char name[TRACE_ADOPTED_NAME];          ///< ended by a zero
} trace_adopted_task;

/// The machine code that loads the library uses the members up to `path` by their offsets.
typedef struct trace_injection {
    uint64_t dlopen, dlsym, dlerror, pthread_self, pthread_detach, munmap, usleep, mprotect;  ///< addresses of functions
    uint64_t mapping, mapping_size;  ///< the memory that holds the code and this record. The thread releases it at its end
    uint32_t state;
    uint32_t order;
    uint64_t thread;
    char entry[64];
    char sentence[512];
    char path[4096];    ///< of the library
    char region[4096];  ///< the path of the trace
    int32_t command;         ///< the process whose end ends the recording
    uint64_t command_start;  ///< its start, as trace_process_start states it
    uint32_t given;          ///< how many batches of tasks the command has written. Only the command writes it
    uint32_t taken;          ///< how many of them the thread has recorded. Only the thread writes it
    uint64_t adopted_count;  ///< the number of tasks in this batch
    trace_adopted_task adopted[TRACE_ADOPTED_TASKS];
} trace_injection;

_Static_assert(offsetof(trace_injection, mapping) == 64 && offsetof(trace_injection, state) == 80 && offsetof(trace_injection, order) == 84
    && offsetof(trace_injection, entry) == 96 && offsetof(trace_injection, sentence) == 160 && offsetof(trace_injection, path) == 672,
    "the offsets that the loading code uses");

#ifdef __cplusplus
}
#endif

#endif
