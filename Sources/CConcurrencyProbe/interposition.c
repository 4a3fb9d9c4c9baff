// The functions that the dynamic linker resolves to the probe.
//
// Each function passes its calls on to the next function with the same name in the process. If the runtime is linked into the program,
// the program's functions win over these, and the probe has only the hooks.

#define _GNU_SOURCE
#include "interposition.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: - Lookup

static const char *const libraries[] = {
    "libswift_Concurrency.so", "libswiftCore.so", "libswiftSynchronization.so", "libdispatch.so", "libXCTest.so",
};

void *interposed_next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    // A runtime that was loaded with dlopen may be missing from the global scope although it is in the process.
    for (size_t index = 0; function == NULL && index < sizeof libraries / sizeof *libraries; index++) {
        void *library = dlopen(libraries[index], RTLD_LAZY | RTLD_NOLOAD);
        if (library == NULL) continue;
        function = dlsym(library, name);
        dlclose(library);
    }
    return function;
}

PROBE_RARE void *interposed_find_next(const char *name) {
    void *function = interposed_next(name);
    if (function == NULL) {
        // The caller cannot continue without the function.
        fprintf(stderr, "hopscope: the Swift runtime of this program has no %s.\n", name);
        abort();
    }
    return function;
}

#ifdef HOPSCOPE_PRELOADED

// The linker defines both for the section of that name.
extern next_use __start_next_uses[], __stop_next_uses[];

__attribute__((constructor)) static void find_next_functions(void) {
    for (const next_use *use = __start_next_uses; use < __stop_next_uses; use++)
        __atomic_store_n(use->place, dlsym(RTLD_NEXT, use->name), __ATOMIC_RELEASE);
}

#endif

// MARK: - The runtime's functions

typedef struct row_facts {
    const char *symbol;
    bool is_needed;
    void *exported;  ///< the library's function
    void *real;      ///< the function that the linker's --wrap has put aside
    void *called;    ///< the function that the program's calls reach; NULL if the program has none
} row_facts;

#define FUNCTIONS(row, symbol, is_needed, result, parameters, arguments)                                                          \
    static result find_##row parameters;                                                                                          \
    row##_function *row##_next, *row##_target = find_##row;                                                                       \
    static result find_##row parameters {                                                                                         \
        row##_function *expected = find_##row, *found = RUNTIMES(row);                                                            \
        __atomic_compare_exchange_n(&row##_target, &expected, found, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);                  \
        SWIFT_TAIL_CALL return found arguments;                                                                                   \
    }                                                                                                                             \
    static result probe_##row parameters {                                                                                        \
        SWIFT_TAIL_CALL return __atomic_load_n(&row##_target, __ATOMIC_ACQUIRE) arguments;                                        \
    }
INTERPOSED_FUNCTIONS(FUNCTIONS)

#define EXPORTED(row, symbol, is_needed, result, parameters, arguments) STANDS_BEFORE(symbol, probe_##row);
// By its exported name, which may be another function's than the probe's.
#define FACTS(row, symbol, is_needed, result, parameters, arguments) {#symbol, is_needed, (void *)symbol, NULL, NULL},
RUNTIME_FUNCTIONS(EXPORTED)

#ifdef HOPSCOPE_PRELOADED

LIBRARY_FUNCTIONS(EXPORTED)
static const row_facts rows[] = {INTERPOSED_FUNCTIONS(FACTS)};

#else

// With --wrap=NAME, the linker lets each call of NAME reach __wrap_NAME, and each use of __real_NAME the function itself.
#define WRAPPED(row, symbol, is_needed, result, parameters, arguments)             \
    STANDS_BEFORE(__wrap_##symbol, probe_##row);                                   \
    extern __attribute__((weak)) char real_##row[] __asm__("__real_" #symbol);     \
    extern __attribute__((weak)) char called_##row[] __asm__(#symbol);
LIBRARY_FUNCTIONS(WRAPPED)

#define WRAPPED_FACTS(row, symbol, is_needed, result, parameters, arguments) \
    {#symbol, is_needed, (void *)probe_##row, real_##row, called_##row},
static const row_facts rows[] = {RUNTIME_FUNCTIONS(FACTS) LIBRARY_FUNCTIONS(WRAPPED_FACTS)};

bool interposed_wraps_library_functions(void) {
    if (called_dispatch_async != (char *)probe_dispatch_async) return false;
    for (size_t row = 0; row < INTERPOSED_ROWS; row++)
        if (rows[row].called != NULL && rows[row].called != rows[row].exported) return false;
    return true;
}

#endif

const char *interposed_library_function(size_t index) {
#define NAME(row, symbol, is_needed, result, parameters, arguments) #symbol,
    static const char *const names[] = {LIBRARY_FUNCTIONS(NAME)};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

PROBE_RARE void *interposed_find(void **place, interposed_row row) {
    void *function = rows[row].real != NULL ? rows[row].real : interposed_next(rows[row].symbol);
    if (function == NULL && rows[row].called != NULL) function = interposed_find_next(rows[row].symbol);
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
    return function;
}

bool interposed_is_there(interposed_row row, const void *linked) {
    const void *reached = dlsym(RTLD_DEFAULT, rows[row].symbol);
    bool is_other = (linked != NULL && linked != rows[row].exported) || (reached != NULL && reached != rows[row].exported);
    return is_other || interposed_next(rows[row].symbol) != NULL;
}

bool interposed_is_reached(void) {
    static const interposed_row tried[] = {INTERPOSED_enter, INTERPOSED_create};
    for (size_t index = 0; index < sizeof tried / sizeof *tried; index++) {
        const row_facts *row = &rows[tried[index]];
        if (dlsym(RTLD_DEFAULT, row->symbol) != row->exported) return false;
    }
    return true;
}

const char *interposed_missing(void) {
    for (size_t row = 0; row < INTERPOSED_ROWS; row++)
        if (rows[row].is_needed && interposed_next(rows[row].symbol) == NULL) return rows[row].symbol;
    return NULL;
}
