// What the library exports of the table: each function asks whether an order is chosen.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_state.h"

// A jump leaves the caller's return address, by which an ordered function tells whose call it is.
#define EXPORT(name, result, parameters, arguments)                       \
    EXPORTED result name parameters;                                      \
    result name parameters {                                              \
        if (explore.is_on && !is_recorders(CALLER)) SWIFT_TAIL_CALL return ordered_##name arguments; \
        SWIFT_TAIL_CALL return recorded_##name arguments;                 \
    }
SHARED_FUNCTIONS(EXPORT)

// The arguments of a system call that are in registers, as in the probe. On x86-64 the sixth one stays on the caller's stack.
#if defined(__x86_64__)
#define SYSTEM_CALL_PARAMETERS long number, long a, long b, long c, long d, long e
#define SYSTEM_CALL_ARGUMENTS number, a, b, c, d, e
#else
#define SYSTEM_CALL_PARAMETERS long number, long a, long b, long c, long d, long e, long f
#define SYSTEM_CALL_ARGUMENTS number, a, b, c, d, e, f
#endif

typedef long system_call(SYSTEM_CALL_PARAMETERS);

static long exported_syscall(SYSTEM_CALL_PARAMETERS) {
    SWIFT_TAIL_CALL return ((system_call *)(explore.is_on ? (void *)ordered_syscall : (void *)recorded_syscall))(SYSTEM_CALL_ARGUMENTS);
}
extern __attribute__((visibility("default"), alias("exported_syscall"))) long syscall(long number, ...);
