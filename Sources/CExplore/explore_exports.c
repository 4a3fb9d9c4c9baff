// The library exports each function of the table. The exported function asks whether an order is chosen.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_state.h"
#include "system_call.h"

// A jump leaves the caller's return address, by which an ordered function tells whose call it is.
#define EXPORT(name, result, parameters, arguments)                       \
    EXPORTED result name parameters;                                      \
    result name parameters {                                              \
        if (explore.is_on && !is_recorders(CALLER)) SWIFT_TAIL_CALL return ordered_##name arguments; \
        SWIFT_TAIL_CALL return recorded_##name arguments;                 \
    }
SHARED_FUNCTIONS(EXPORT)

static long exported_syscall(SYSTEM_CALL_PARAMETERS) {
    SWIFT_TAIL_CALL return ((system_call *)(explore.is_on ? (void *)ordered_syscall : (void *)recorded_syscall))(SYSTEM_CALL_ARGUMENTS);
}
extern __attribute__((visibility("default"), alias("exported_syscall"))) long syscall(long number, ...);
