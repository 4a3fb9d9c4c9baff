// Finds the place where the runtime takes the value of an ended task, if the runtime's file has no symbol for that place.
//
// The hook for hand-overs reports such a read, and the return address distinguishes it from others. Distributions strip the runtime's
// symbol table. The probe then makes the runtime read the value of a made-up task that has ended, and keeps the return address that the
// hook sees.

#include "probe_reader.h"

#include "probe_routes.h"
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

enum { IS_FUTURE = 1 << 25, HAS_SUCCEEDED = 1, LARGEST_TASK = 1024 };

// The runtime's own part of a task is followed by the words of its future: the state, the type of the value, the error and the value. A
// runtime may state a false size of its own part. A state that is not "succeeded" would suspend the current task for ever. So each of the
// made-up task's words is both a state and a type: an odd address of a type, whose lowest bits say "succeeded".

typedef struct made_up_task {
    _Alignas(16) swift_task head;
    uintptr_t rest[LARGEST_TASK / sizeof(uintptr_t)];
} made_up_task;

static made_up_task ended_task;

/// A type of empty values. A value witness table begins with functions that copy and destroy; then come sizes and flags, all 0 here.
static void *copy_nothing(void *to, const void *from, const void *type) {
    (void)from, (void)type;
    return to;
}
enum { WITNESSES = 8, SIZES = 8, STRUCT_KIND = 0x200 };
static void *(*const witnesses[WITNESSES + SIZES])(void *, const void *, const void *) = {
    copy_nothing, copy_nothing, copy_nothing, copy_nothing, copy_nothing, copy_nothing, copy_nothing, copy_nothing,
};
static char made_up_type[64];

/// The type's metadata, which follows the address of its table. Its address ends with the bits of a state.
static const void *make_type(void) {
    char *metadata = (char *)(((uintptr_t)made_up_type + 16) & ~(uintptr_t)7) + HAS_SUCCEEDED;
    const void *table = witnesses;
    const uintptr_t kind = STRUCT_KIND;
    memcpy(metadata - sizeof table, &table, sizeof table);
    memcpy(metadata, &kind, sizeof kind);
    return metadata;
}

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

bool reader_can_be_tried(void) {
    return !probe_has_hooks_only && swift_task_future_wait != NULL && swift_task_future_wait_throwing != NULL
        && &_swift_tsan_acquire != NULL
        && _swift_tsan_acquire != NULL;
}

static void find(void) {
    if (code_is_found(probe_code.wait_for_future) || !probe_has(TRACE_ROUTE_READ)) return;
    swift_task *current = swift_task_getCurrent();
    const void *place = NULL, *throwing = NULL;
    if (current != NULL && reader_can_be_tried()) {
        ended_task.head.flags = IS_FUTURE;
        uintptr_t type = (uintptr_t)make_type();
        for (size_t index = 0; index < sizeof ended_task.rest / sizeof *ended_task.rest; index++) ended_task.rest[index] = type;
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

void reader_find(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
}
