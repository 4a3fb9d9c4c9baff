// Macros for interposing functions of other libraries. A file that includes this header must define _GNU_SOURCE.

#ifndef INTERPOSITION_H
#define INTERPOSITION_H

#include "probe.h"

#include <dlfcn.h>

#pragma GCC visibility push(hidden)

/// Exports a function of the probe under the name of the function that it interposes.
#define STANDS_BEFORE(name, function) \
    extern __attribute__((weak, visibility("default"), alias(#function))) __typeof__(function) name

/// The other library's function with that name. Aborts the process if there is none.
PROBE_RARE void *interposed_find_next(const char *name);

/// The next function with that name in the process. The lookup happens once per use of the macro.
#define NEXT(name, type)                                                            \
    ({                                                                              \
        static void *next;                                                          \
        void *function = __atomic_load_n(&next, __ATOMIC_ACQUIRE);                  \
        if (__builtin_expect(function == NULL, 0)) {                                \
            function = interposed_find_next(#name);                                 \
            __atomic_store_n(&next, function, __ATOMIC_RELEASE);                    \
        }                                                                           \
        (type *)function;                                                           \
    })

/// True if the calling thread's actions are recorded: a recording runs, and the thread is not inside the probe.
static inline bool is_watched(void) {
    return probe_is_recording() && !probe_this.is_busy;
}

#pragma GCC visibility pop

#endif
