// The functions of other libraries that the probe stands before, and the macros for standing before one.

#ifndef INTERPOSITION_H
#define INTERPOSITION_H

#include "dispatch_abi.h"
#include "probe_state.h"
#include "probe_thread.h"
#include "process_symbol.h"
#include "run_loops.h"
#include "swift_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// MARK: - The runtime's functions

/// The table of the runtime's functions that the probe stands before. Each row has the probe's name for the function, the runtime's name,
/// whether the probe sees no task without it, its convention and result, its parameters, and its arguments.
///
/// A program's call jumps to the row's target. At first that is a function that looks the runtime's one up, then the runtime's own, and
/// once a part of the probe takes the row, that part's. Without a recording, a call costs only a jump.
#define INTERPOSED_FUNCTIONS(ROW) RUNTIME_FUNCTIONS(ROW) LIBRARY_FUNCTIONS(ROW)

/// The preloaded library stands before functions of Dispatch and of Foundation in any program. A probe that is linked into a program, with
/// a Dispatch of its own, stands before those that the program was linked with by the linker's `--wrap`. It must not define functions with
/// these names, because they would replace the real ones.
#define LIBRARY_FUNCTIONS(ROW) DISPATCH_FUNCTIONS(ROW) DISPATCH_ITEM_FUNCTIONS(ROW) RUN_LOOP_FUNCTIONS(ROW)

/// True if the linker has led all of the program's calls of these functions to a probe that is part of the program.
bool interposed_wraps_library_functions(void);

/// The names of these functions. NULL behind the last one.
const char *interposed_library_function(size_t index);

#define RUNTIME_FUNCTIONS(ROW)                                                                                                          \
    ROW(enter, swift_task_enterThreadLocalContext, true, void, (char *state), (state))                                                 \
    ROW(exit, swift_task_exitThreadLocalContext, true, void, (char *state), (state))                                                   \
    ROW(create, swift_task_create, true, SWIFT_CC swift_task_and_context,                                                              \
        (uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context),                            \
        (flags, options, type, function, context))                                                                                     \
    ROW(async_let, swift_asyncLet_begin, true, SWIFT_CC void,                                                                          \
        (void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result),              \
        (async_let, options, type, function, context, result))                                                                         \
    ROW(switch, swift_task_switch, true, SWIFT_ASYNC_CC void,                                                                          \
        (SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation),                    \
        (context, resume, identity, implementation))                                                                                   \
    ROW(is_cancelled, $sScTss5NeverORszABRs_rlE11isCancelledSbvgZ, false, SWIFT_CC uintptr_t, (void), ())                                 \
    ROW(current_is_cancelled, $sSct11isCancelledSbvg, false, SWIFT_CC uintptr_t, (SWIFT_CONTEXT swift_task **task), (task))             \
    ROW(error_in_main, swift_errorInMain, false, SWIFT_CC void, (void *error), (error))                                                 \
    ROW(shield_push, swift_task_cancellationShieldPush, false, SWIFT_CC uintptr_t, (void), ())                                         \
    ROW(shield_pop, swift_task_cancellationShieldPop, false, SWIFT_CC void, (void), ())                                                \
    ROW(deinit, swift_task_deinitOnExecutor, false, SWIFT_CC void,                                                                     \
        (void *object, isolated_deinit *deinit, void *identity, uintptr_t implementation, uintptr_t flags),                            \
        (object, deinit, identity, implementation, flags))                                                                             \
    ROW(continuation_dropped, $ss12ContinuationVsRi_zrlEfD, false, SWIFT_CC void,                                                      \
        (swift_task *awaiting, const void *value, const void *error, const void *conformance), (awaiting, value, error, conformance))

/// Of each row the function's type, its target, and the runtime's function, NULL until it is looked up.
#define INTERPOSED_DECLARATION(row, symbol, is_needed, result, parameters, arguments) \
    typedef result row##_function parameters;                                         \
    extern row##_function *row##_target, *row##_next;
INTERPOSED_FUNCTIONS(INTERPOSED_DECLARATION)

/// Lets the program's calls of a row's function go to `function`, which passes them on to `RUNTIMES(row)`.
#define TAKE_CALLS(row, function) __atomic_store_n(&row##_target, function, __ATOMIC_RELEASE)

/// The runtime's function of a row.
#define RUNTIMES(row) ((row##_function *)interposed_found((void **)&row##_next, INTERPOSED_##row))

/// The numbers of the rows.
#define INTERPOSED_NUMBER(row, symbol, is_needed, result, parameters, arguments) INTERPOSED_##row,
typedef enum interposed_row { INTERPOSED_FUNCTIONS(INTERPOSED_NUMBER) INTERPOSED_ROWS } interposed_row;

/// Looks a row's function up. Aborts the process if the runtime has none.
PROBE_RARE void *interposed_find(void **place, interposed_row row);

static inline void *interposed_found(void **place, interposed_row row) {
    void *function = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    return __builtin_expect(function != NULL, 1) ? function : interposed_find(place, row);
}

/// True if the process has the row's function, besides the probe's. `linked` is the function of this name in the file that the probe is a part
/// of: the runtime's, if it is a part of that file too.
bool interposed_is_there(interposed_row row, const void *linked);

/// True if the runtime's own calls reach the probe's functions.
bool interposed_is_reached(void);

/// The name of a needed function that the runtime does not have, NULL if it has all.
const char *interposed_missing(void);

// MARK: - Functions of other libraries

/// Exports a function of the probe under the name of the function that it interposes. The export is weak: the library of `hopscope explore`
/// has the probe in it, and exports functions of its own under some of the names. Those call the probe's by `recorded_` of the name.
#define STANDS_BEFORE(name, function)                                                                                \
    extern __attribute__((weak, visibility("default"), alias(#function))) __typeof__(function) name;                 \
    RECORDS(name, function)

#ifdef HOPSCOPE_EXPLORES
#define RECORDS(name, function) extern __attribute__((alias(#function))) __typeof__(function) recorded_##name
#else
#define RECORDS(name, function) _Static_assert(true, "")
#endif

/// The other library's function with that name, NULL if there is none.
void *interposed_next(const char *name);

/// The other library's function with that name. Aborts the process if there is none.
PROBE_RARE void *interposed_find_next(const char *name);

/// A use of `NEXT`: the function's name, and where it is kept.
typedef struct next_use {
    const char *name;
    void **place;
} next_use;

/// The next function with that name in the process. It is looked up when the probe is loaded, else by the first call. A lookup takes the
/// loader's lock, and a thread may be loading a library that waits for a lock of the caller's.
#define NEXT(name, type)                                                                  \
    ({                                                                                    \
        static void *next;                                                                \
        static __attribute__((section("next_uses"), used)) next_use use = {#name, &next}; \
        void *function = __atomic_load_n(&next, __ATOMIC_ACQUIRE);                        \
        if (__builtin_expect(function == NULL, 0)) {                                      \
            function = interposed_find_next(#name);                                       \
            __atomic_store_n(&next, function, __ATOMIC_RELEASE);                          \
        }                                                                                 \
        (type *)function;                                                                 \
    })

/// True if the calling thread's actions are recorded: a recording runs, and the thread is not inside the probe.
static inline bool is_watched(void) {
    return probe_is_recording() && !probe_this.is_busy;
}

#pragma GCC visibility pop

#endif
