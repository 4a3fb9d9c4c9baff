// Facts about this process's Dispatch, which the probe finds out before it records the first block.

#ifndef DISPATCH_LIBRARY_H
#define DISPATCH_LIBRARY_H

#include "dispatch_abi.h"
#include "dispatch_linked.h"
#include "queue_layout.h"
#include "runtime_code.h"
#include "swift_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The libraries whose frames lie between a block's call and the program's code.
enum { DISPATCH_LIBRARIES = 8 };

typedef enum dispatch_state { DISPATCH_UNSEEN = 0, DISPATCH_KNOWN = 1, DISPATCH_UNKNOWN = 2 } dispatch_state;

typedef struct dispatch_library {
    uint32_t state;        ///< a dispatch_state; the other members are valid once it is known
    void *(*copy)(const void *block);
    void (*release)(const void *block);
    const char *(*label)(void *queue);
    void *main_queue;
    void *stack_block;     ///< the class of blocks on the stack
    void *item_invoke;     ///< the `invoke` of blocks that dispatch_block_create made
    ptrdiff_t item_inner;  ///< the offset in such a block of the block that it was made of; 0 if it is not known
    queue_layout queue;
    code_range code;       ///< Dispatch's own
    code_range probe;      ///< the probe's
    code_range between[DISPATCH_LIBRARIES];
    size_t between_count;
} dispatch_library;

extern dispatch_library dispatch;

/// Looks the library up, and returns true if the probe can record blocks.
PROBE_RARE bool dispatch_learn(void);

/// Finds the libraries that the process has loaded.
void dispatch_find_libraries(void);

/// True if the probe can record blocks. The first call comes from a thread that uses the library.
static inline bool dispatch_is_known(void) {
    return __builtin_expect(__atomic_load_n(&dispatch.state, __ATOMIC_ACQUIRE) == DISPATCH_KNOWN, 1) || dispatch_learn();
}

#ifdef HOPSCOPE_PRELOADED

/// True if the address is in a library between a block's call and the program's code.
static inline bool dispatch_is_between(const void *address) {
    size_t count = __atomic_load_n(&dispatch.between_count, __ATOMIC_ACQUIRE);
    for (size_t index = 0; index < count; index++)
        if (is_in(dispatch.between[index], address)) return true;
    return false;
}

/// True for the probe's own code.
static inline bool dispatch_is_probe(const void *address) { return is_in(dispatch.probe, address); }

/// True for a call by Dispatch itself, or by the Swift runtime, whose jobs the probe records as tasks. A function of Dispatch that the probe
/// has called may end with a jump to another one, which then returns to the probe.
static inline bool dispatch_is_internal_call(const void *caller) {
    return is_in(dispatch.code, caller) || is_in(probe_code.module, caller) || is_in(dispatch.probe, caller);
}

#else

// The same where all of these are in the program's file.
static inline bool dispatch_is_between(const void *address) {
    code_owner owner = linked_code_owner(address);
    return owner == CODE_OF_LIBRARY || owner == CODE_OF_DISPATCH;
}

static inline bool dispatch_is_probe(const void *address) { return linked_code_owner(address) == CODE_OF_PROBE; }

static inline bool dispatch_is_internal_call(const void *caller) {
    code_owner owner = linked_code_owner(caller);
    return owner == CODE_OF_DISPATCH || owner == CODE_OF_PROBE;
}

#endif

#pragma GCC visibility pop

#endif
