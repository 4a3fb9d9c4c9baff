// Recording of the calls that pass through the probe: the program's calls of the runtime, and calls between the runtime's libraries.

#include "probe_interposed.h"

#include "interposition.h"
#include "probe_cancellation.h"
#include "probe_completion.h"
#include "probe_continuations.h"
#include "probe_creation.h"
#include "probe_hops.h"
#include "probe_reader.h"
#include "probe_routes.h"
#include "probe_shields.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_tests.h"
#include "probe_thread.h"
#include "trace_vocabulary.h"

// MARK: - Slices

/// The offset in a task of the state that the enter and exit functions receive; 0 until the first call reveals it.
static size_t state_offset;

static void learn_offset(const char *state, const swift_task *task) {
    size_t offset = (size_t)(state - (const char *)task);
    bool is_inside = &_swift_concurrency_debug_asyncTaskSize == NULL || offset < _swift_concurrency_debug_asyncTaskSize;
    if (offset >= sizeof(swift_task) && offset < 4096 && is_inside) __atomic_store_n(&state_offset, offset, __ATOMIC_RELEASE);
}

static void watch_enter(char *state) {
    RUNTIMES(enter)(state);
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

static void watch_exit(char *state) {
    // The task is no longer the current one, and no other thread can run it before this call is passed on.
    if (is_watched() && state_offset != 0) {
        probe_this.is_busy = true;
        task_was_suspended((swift_task *)(state - state_offset));
        probe_this.is_busy = false;
    } else {
        probe_forget_slice();
    }
    RUNTIMES(exit)(state);
}

// MARK: - Creation

static uint8_t kind_of(uintptr_t flags, swift_option *options, const char **name) {
    uint8_t kind = (flags & SWIFT_CREATE_INHERITS) != 0 ? TRACE_TASK_UNSTRUCTURED : TRACE_TASK_DETACHED;
    for (swift_option *option = options; option != NULL; option = option->next) {
        switch (option->flags & SWIFT_OPTION_KIND_MASK) {
        case SWIFT_OPTION_GROUP: kind = TRACE_TASK_GROUP_CHILD; break;
        case SWIFT_OPTION_NAME: *name = option->value; break;
        default: break;
        }
    }
    return kind;
}

static void begin_creation(task_creation *creation) {
    creation->outer = probe_this.creation;
    probe_this.creation = creation;
}

static SWIFT_CC swift_task_and_context watch_create(
    uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context
) {
    create_function *next = RUNTIMES(create);
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

static SWIFT_CC void watch_async_let(
    void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result
) {
    async_let_function *next = RUNTIMES(async_let);
    if (!is_watched()) {
        next(async_let, options, type, function, context, result);
        return;
    }
    task_creation creation = {.kind = TRACE_TASK_ASYNC_LET};
    creation.depth = probe_callers(PROBE_FRAME, creation.returns, SITE_DEPTH);
    begin_creation(&creation);
    next(async_let, options, type, function, context, result);
    probe_this.creation = creation.outer;
}

// MARK: - Hops

static SWIFT_ASYNC_CC void watch_switch(
    SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation
) {
    if (is_watched()) hop_began(identity, implementation, resume);
    SWIFT_TAIL_CALL return RUNTIMES(switch)(context, resume, identity, implementation);
}

// MARK: - Looks at a cancellation

static SWIFT_CC uintptr_t watch_is_cancelled(void) {
    // A Bool is the lowest bit.
    uintptr_t answer = RUNTIMES(is_cancelled)();
    if (__builtin_expect((answer & 1) != 0, 0) && is_watched()) cancellation_was_seen();
    return answer;
}

/// The same of the task that `withUnsafeCurrentTask` hands out.
static SWIFT_CC uintptr_t watch_current_is_cancelled(SWIFT_CONTEXT swift_task **task) {
    uintptr_t answer = RUNTIMES(current_is_cancelled)(task);
    if (__builtin_expect((answer & 1) != 0, 0) && is_watched() && *task == probe_running()) cancellation_was_seen();
    return answer;
}

bool interposed_sees_looks(void) {
    return interposed_found((void **)&is_cancelled_next, INTERPOSED_is_cancelled) != NULL
        && interposed_found((void **)&current_is_cancelled_next, INTERPOSED_current_is_cancelled) != NULL;
}

// MARK: - Continuations of Swift 6.4

/// The end of a continuation that was not resumed. The runtime's function ends the program.
static SWIFT_CC void watch_continuation_dropped(swift_task *awaiting, const void *value, const void *error, const void *conformance) {
    if (is_watched()) continuation_was_dropped(awaiting, PROBE_FRAME);
    SWIFT_TAIL_CALL return RUNTIMES(continuation_dropped)(awaiting, value, error, conformance);
}

// MARK: - The end of main

static SWIFT_CC void watch_error_in_main(void *error) {
    if (is_watched()) main_failed(error);
    SWIFT_TAIL_CALL return RUNTIMES(error_in_main)(error);
}

void interposed_watch(void) {
    TAKE_CALLS(enter, watch_enter);
    TAKE_CALLS(exit, watch_exit);
    TAKE_CALLS(create, watch_create);
    TAKE_CALLS(async_let, watch_async_let);
    TAKE_CALLS(switch, watch_switch);
    TAKE_CALLS(error_in_main, watch_error_in_main);
    TAKE_CALLS(continuation_dropped, watch_continuation_dropped);
    shields_watch();
    if (probe_has(TRACE_ROUTE_LOOKS)) {
        TAKE_CALLS(is_cancelled, watch_is_cancelled);
        TAKE_CALLS(current_is_cancelled, watch_current_is_cancelled);
    }
}
