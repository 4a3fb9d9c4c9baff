#ifndef HOPSCOPE_PROBE_INJECTION_H
#define HOPSCOPE_PROBE_INJECTION_H

#include "trace_injection.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Loads the probe into a running process. This is the only code of Hopscope that stops a thread of another process or writes to one.
//
// A thread that sleeps in a system call is stopped twice: it makes memory for the loading code, then a thread that runs the code. Between and
// afterwards it sleeps again. All other threads run on.

/// The addresses of the C library's functions in the process.
struct injection_functions {
    uint64_t pthread_create, pthread_self, pthread_detach, dlopen, dlsym, dlerror, munmap, usleep, mprotect;
};

enum injection_problem {
    injection_fine,
    /// This processor's threads cannot be led to a call.
    injection_unsupported,
    /// The C library has no code to return to, or the process cannot be read.
    injection_unreadable,
    /// No thread slept where it can be stopped without harm.
    injection_no_safe_thread,
    /// The kernel refuses to let this process stop the other: `error` is its reason.
    injection_refused,
    /// The process could not make memory or a thread: `error` is its reason.
    injection_no_room,
    /// The process ended meanwhile.
    injection_ended,
};

struct injection_result {
    enum injection_problem problem;
    int error;
    /// The longest time in nanoseconds for which a thread was stopped. 0 if none was.
    uint64_t stop;
    /// The address of the record in the process.
    uint64_t record;
};

/// The longest search for a thread that may be stopped, in nanoseconds.
enum { injection_search = 20000000 };

/// Loads the library at `path`. Returns as soon as no thread is stopped any more; the loading goes on in the process's own time.
///
/// All signals are blocked in the calling thread meanwhile.
struct injection_result injection_begin(pid_t pid, const char *path, const struct injection_functions *functions);

/// Reads the record. False if the process has ended, or if the record is gone.
bool injection_read(pid_t pid, uint64_t record, trace_injection *into);

/// Hands tasks to the thread, at most TRACE_ADOPTED_TASKS, as batch number `batch`. The batch before must have been taken.
bool injection_give(pid_t pid, uint64_t record, const trace_adopted_task *tasks, size_t count, uint32_t batch);

/// Whether the thread has recorded the batch. `*has_ended` becomes true if the process has ended.
bool injection_took(pid_t pid, uint64_t record, uint32_t batch, bool *has_ended);

/// Gives an order to the thread that the injection has made.
bool injection_order(pid_t pid, uint64_t record, uint32_t order);

#endif
