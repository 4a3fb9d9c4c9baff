// Interposed functions: the program's calls of the runtime, and calls between the runtime's libraries, pass through the probe.
//
// Each function passes its calls on to the next function with the same name in the process. If the runtime is linked into the program,
// the program's functions win over these, and the probe has only the hooks.

#define _GNU_SOURCE
#include "interposition.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const libraries[] = {"libswift_Concurrency.so", "libswiftCore.so", "libdispatch.so", "libXCTest.so"};

static void *find_next(const char *name) {
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
    void *function = find_next(name);
    if (function == NULL) {
        // The caller cannot continue without the function.
        fprintf(stderr, "hopscope: the Swift runtime of this program has no %s.\n", name);
        abort();
    }
    return function;
}

/// The target of a frequently called function. At first it is a function that looks the runtime's function up, then the runtime's function
/// itself, and once events are recorded a function that observes the call. Without a recording, a call costs only a jump.
#define ROUTE(name, type, first) static type *name##_route = first
#define ROUTED(name) __atomic_load_n(&name##_route, __ATOMIC_ACQUIRE)
#define SET_ROUTE(name, from, to)                                                                                       \
    ({                                                                                                                  \
        __typeof__(name##_route) expected = from;                                                                       \
        __atomic_compare_exchange_n(&name##_route, &expected, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);           \
    })

// MARK: - Slices

/// The offset in a task of the state that the enter and exit functions receive; 0 until the first call reveals it.
static size_t state_offset;

typedef void context_function(char *state);

static void learn_offset(const char *state, const swift_task *task) {
    size_t offset = (size_t)(state - (const char *)task);
    bool is_inside = &_swift_concurrency_debug_asyncTaskSize == NULL || offset < _swift_concurrency_debug_asyncTaskSize;
    if (offset >= sizeof(swift_task) && offset < 4096 && is_inside) __atomic_store_n(&state_offset, offset, __ATOMIC_RELEASE);
}

static void watch_enter(char *state) {
    NEXT(swift_task_enterThreadLocalContext, context_function)(state);
    if (!is_watched()) {
        probe_forget_slice();
        return;
    }
    swift_task *task = swift_task_getCurrent();
    if (task == NULL) return;
    // Acquire: a slice that sees the offset also sees what `reader_find` found before the offset was stored.
    if (__builtin_expect(__atomic_load_n(&state_offset, __ATOMIC_ACQUIRE) == 0, 0)) {
        reader_find();
        learn_offset(state, task);
    }
    probe_this.is_busy = true;
    task_slice_began(task);
    probe_this.is_busy = false;
}

static void find_enter(char *state);
ROUTE(enter, context_function, find_enter);

static void find_enter(char *state) {
    context_function *found = NEXT(swift_task_enterThreadLocalContext, context_function);
    SET_ROUTE(enter, find_enter, found);
    found(state);
}

static void probe_enter(char *state) {
    ROUTED(enter)(state);
}
STANDS_BEFORE(swift_task_enterThreadLocalContext, probe_enter);

static void watch_exit(char *state) {
    // The task is no longer the current one, and no other thread can run it before this call is passed on.
    if (is_watched() && state_offset != 0) {
        probe_this.is_busy = true;
        task_was_suspended((swift_task *)(state - state_offset));
        probe_this.is_busy = false;
    } else {
        probe_forget_slice();
    }
    NEXT(swift_task_exitThreadLocalContext, context_function)(state);
}

static void find_exit(char *state);
ROUTE(exit, context_function, find_exit);

static void find_exit(char *state) {
    context_function *found = NEXT(swift_task_exitThreadLocalContext, context_function);
    SET_ROUTE(exit, find_exit, found);
    found(state);
}

static void probe_exit(char *state) {
    ROUTED(exit)(state);
}
STANDS_BEFORE(swift_task_exitThreadLocalContext, probe_exit);

// MARK: - Creation

typedef SWIFT_CC swift_task_and_context create_function(
    uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context);
typedef SWIFT_CC void async_let_function(
    void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result);

static uint8_t kind_of(uintptr_t flags, swift_option *options, const char **name) {
    uint8_t kind = (flags & SWIFT_CREATE_INHERITS) != 0 ? TRACE_TASK_UNSTRUCTURED : TRACE_TASK_DETACHED;
    for (swift_option *option = options; option != NULL; option = option->next) {
        switch (option->flags & SWIFT_OPTION_KIND_MASK) {
        case SWIFT_OPTION_GROUP: kind = TRACE_TASK_GROUP_CHILD; break;
        case SWIFT_OPTION_NAME: *name = option->value; break;
        case SWIFT_OPTION_TASK_EXECUTOR:
        case SWIFT_OPTION_OWNED_TASK_EXECUTOR: __atomic_store_n(&executors_are_preferred, true, __ATOMIC_RELAXED); break;
        default: break;
        }
    }
    return kind;
}

static void begin_creation(task_creation *creation) {
    creation->outer = probe_this.creation;
    probe_this.creation = creation;
}

static SWIFT_CC swift_task_and_context probe_create(
    uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context
) {
    create_function *next = NEXT(swift_task_create, create_function);
    if (!is_watched()) return next(flags, options, type, function, context);
    task_creation creation = {.name = NULL};
    creation.kind = kind_of(flags, options, &creation.name);
    creation.is_unqueued = (flags & SWIFT_CREATE_ENQUEUES) == 0;
    creation.depth = probe_callers(PROBE_FRAME, creation.returns, SITE_DEPTH);
    if (__builtin_expect(probe_this.test != NULL, 0) && creation.name == NULL && creation.depth > 0)
        creation.name = test_name(creation.returns[0]);
    begin_creation(&creation);
    swift_task_and_context made = next(flags, options, type, function, context);
    // The probe has already seen a task that was enqueued; that task may even have been destroyed.
    if (creation.is_unqueued && task_is_new(made.task)) {
        probe_this.is_busy = true;
        task_was_created(made.task, NULL);
        probe_this.unqueued = made.task;
        probe_this.is_busy = false;
    }
    probe_this.creation = creation.outer;
    return made;
}
STANDS_BEFORE(swift_task_create, probe_create);

static SWIFT_CC void probe_async_let(
    void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result
) {
    async_let_function *next = NEXT(swift_asyncLet_begin, async_let_function);
    if (!is_watched()) {
        next(async_let, options, type, function, context, result);
        return;
    }
    task_creation creation = {.kind = TRACE_TASK_ASYNC_LET};
    const char *name = NULL;
    kind_of(0, options, &name);
    creation.depth = probe_callers(PROBE_FRAME, creation.returns, SITE_DEPTH);
    begin_creation(&creation);
    next(async_let, options, type, function, context, result);
    probe_this.creation = creation.outer;
}
STANDS_BEFORE(swift_asyncLet_begin, probe_async_let);

// MARK: - Hops

typedef SWIFT_ASYNC_CC void switch_function(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation);

static SWIFT_ASYNC_CC void watch_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation
) {
    if (is_watched()) hop_began(identity, implementation, resume);
    SWIFT_TAIL_CALL return NEXT(swift_task_switch, switch_function)(context, resume, identity, implementation);
}

static switch_function find_switch;
ROUTE(switch, switch_function, find_switch);

static SWIFT_ASYNC_CC void find_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation
) {
    switch_function *found = NEXT(swift_task_switch, switch_function);
    SET_ROUTE(switch, find_switch, found);
    SWIFT_TAIL_CALL return found(context, resume, identity, implementation);
}

static SWIFT_ASYNC_CC void probe_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation
) {
    SWIFT_TAIL_CALL return ROUTED(switch)(context, resume, identity, implementation);
}
STANDS_BEFORE(swift_task_switch, probe_switch);

typedef SWIFT_CC void *push_function(void *identity, uintptr_t implementation);

/// Called when the current task begins to prefer an executor.
static SWIFT_CC void *probe_push_preference(void *identity, uintptr_t implementation) {
    __atomic_store_n(&executors_are_preferred, true, __ATOMIC_RELAXED);
    return NEXT(swift_task_pushTaskExecutorPreference, push_function)(identity, implementation);
}
STANDS_BEFORE(swift_task_pushTaskExecutorPreference, probe_push_preference);

bool interposed_is_reached(void) {
    return dlsym(RTLD_DEFAULT, "swift_task_enterThreadLocalContext") == (void *)probe_enter
        && dlsym(RTLD_DEFAULT, "swift_task_create") == (void *)probe_create;
}

const char *interposed_missing(void) {
    static const char *const names[] = {
        "swift_task_enterThreadLocalContext", "swift_task_exitThreadLocalContext", "swift_task_create", "swift_asyncLet_begin",
        "swift_task_switch",
    };
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) if (find_next(names[index]) == NULL) return names[index];
    return NULL;
}

void interposed_watch(void) {
    __atomic_store_n(&enter_route, watch_enter, __ATOMIC_RELEASE);
    __atomic_store_n(&exit_route, watch_exit, __ATOMIC_RELEASE);
    __atomic_store_n(&switch_route, watch_switch, __ATOMIC_RELEASE);
}
