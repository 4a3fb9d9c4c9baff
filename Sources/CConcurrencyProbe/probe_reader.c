// Finds the place where the runtime takes the value of an ended task, if the runtime's file has no symbol for that place.
//
// The hook for hand-overs reports such a read, and the return address distinguishes it from others. Distributions strip the runtime's
// symbol table. The probe then makes the runtime read the value of a made-up task that has ended, and keeps the return address that the
// hook sees.

#include "probe_reader.h"

#include "probe_routes.h"
#include "probe_runtime.h"
#include "probe_state.h"
#include "runtime_code.h"
#include "swift_abi.h"

#include <pthread.h>
#include <string.h>

typedef SWIFT_ASYNC_CC void continue_function(SWIFT_ASYNC_CONTEXT swift_async_context *context);

/// An entry point of the runtime that waits for a task's value. `result` has room for the value. The runtime calls `resume` if the task has
/// ended.
typedef SWIFT_ASYNC_CC void wait_function(
    void *result, SWIFT_ASYNC_CONTEXT swift_async_context *caller, swift_task *task, continue_function *resume,
    swift_async_context *context);

SWIFT_RUNTIME SWIFT_ASYNC_CC void swift_task_future_wait(
    void *result, SWIFT_ASYNC_CONTEXT swift_async_context *caller, swift_task *task, continue_function *resume,
    swift_async_context *context);
SWIFT_RUNTIME SWIFT_ASYNC_CC void swift_task_future_wait_throwing(
    void *result, SWIFT_ASYNC_CONTEXT swift_async_context *caller, swift_task *task, continue_function *resume,
    swift_async_context *context);

/// The metadata of the type `Int`.
extern __attribute__((weak)) char swift_int_metadata[] __asm__("$sSiN");

enum { IS_FUTURE = 1 << 25, HAS_SUCCEEDED = 1, LARGEST_TASK = 1024 };

/// The part of a task that follows the runtime's own part, if other tasks can wait for it.
typedef struct ended_future {
    uintptr_t state;
    const void *type;
    void *error;
    uintptr_t value;
} ended_future;

typedef struct made_up_task {
    _Alignas(16) swift_task head;
    char rest[LARGEST_TASK + sizeof(ended_future)];
} made_up_task;

static made_up_task ended_task;

static void (*usual_acquire)(const void *);
static const void *seen;

static void on_trial(const void *object) {
    if (object != &ended_task) usual_acquire(object);
    else seen = __builtin_return_address(0);
}

static SWIFT_ASYNC_CC void do_nothing(SWIFT_ASYNC_CONTEXT swift_async_context *context) {
    (void)context;
}

/// The return address that the hook sees while `wait` takes the value of the made-up task; NULL if the hook is not called.
static const void *place_of_read(wait_function *wait, swift_task *current) {
    swift_async_context caller = {.parent = NULL}, called[4] = {{.parent = NULL}};
    uintptr_t result = 0;
    // The runtime writes to the waiting task. These fields are restored, so that the task continues as if it had not waited.
    void *resume_task = current->resume_task;
    swift_async_context *resume_context = current->resume_context;
    seen = NULL;
    wait(&result, &caller, &ended_task.head, do_nothing, called);
    current->resume_task = resume_task;
    current->resume_context = resume_context;
    return seen;
}

static bool can_be_tried(void) {
    return layout_is_known() && _swift_concurrency_debug_asyncTaskSize <= LARGEST_TASK && swift_task_future_wait != NULL
        && swift_task_future_wait_throwing != NULL && &swift_int_metadata[0] != NULL && &_swift_tsan_acquire != NULL
        && _swift_tsan_acquire != NULL;
}

static void find(void) {
    if (code_is_found(probe_code.wait_for_future) || !probe_has(TRACE_ROUTE_READ)) return;
    swift_task *current = swift_task_getCurrent();
    const void *place = NULL, *throwing = NULL;
    if (current != NULL && reader_can_be_tried()) {
        ended_task.head.flags = IS_FUTURE;
        ended_future future = {.state = HAS_SUCCEEDED, .type = swift_int_metadata};
        memcpy((char *)&ended_task + _swift_concurrency_debug_asyncTaskSize, &future, sizeof future);
        usual_acquire = _swift_tsan_acquire;
        _swift_tsan_acquire = on_trial;
        place = place_of_read(swift_task_future_wait, current);
        throwing = place_of_read(swift_task_future_wait_throwing, current);
        _swift_tsan_acquire = usual_acquire;
    }
    if (place != NULL && place == throwing && is_in(probe_code.module, place))
        probe_code.wait_for_future = (code_range){.first = (uintptr_t)place, .end = (uintptr_t)place + 1};
    else
        routes_lose(TRACE_ROUTE_READ);
}

bool reader_can_be_tried(void) {
    return !probe_has_hooks_only && can_be_tried();
}

void reader_find(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
}
