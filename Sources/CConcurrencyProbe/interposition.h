// Functions that stand before those of the same name in other libraries. The file that includes this has to define _GNU_SOURCE.

#ifndef INTERPOSITION_H
#define INTERPOSITION_H

#include "probe.h"

#include <dlfcn.h>

#pragma GCC visibility push(hidden)

/// Gives a function of the probe's the name of the one that it stands before.
#define STANDS_BEFORE(name, function) \
    extern __attribute__((weak, visibility("default"), alias(#function))) __typeof__(function) name

/// The other library's function. Ends the process where there is none.
void *interposed_find_next(const char *name);

/// The next function of that name, looked up once.
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

/// Whether the trace is to be told of what the calling thread does.
static inline bool is_watched(void) {
    return probe_is_recording() && !probe_this.is_busy;
}

#pragma GCC visibility pop

#endif
