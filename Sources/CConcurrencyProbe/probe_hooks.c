// The runtime's own hooks. The thread sanitizer's hooks report every hand-over between threads; the return address tells its kind.
// The throw hook reports every throw. The probe also replaces the destructor of tasks.

#define _GNU_SOURCE
#include "probe_hooks.h"

#include "dispatch_library.h"
#include "probe_cancellation.h"
#include "probe_continuations.h"
#include "probe_creation.h"
#include "probe_dependency.h"
#include "probe_errors.h"
#include "probe_hops.h"
#include "probe_memory.h"
#include "probe_outcome.h"
#include "probe_routes.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "runtime_code.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

// MARK: - Hand-overs

static void (*next_acquire)(const void *);
static void (*next_release)(const void *);

/// The return address of the hook's call when the runtime begins to run a job. The probe finds it by running a job that does nothing.
static const void *run_begins;
static const void *trial_job;

/// Called in the place of a hook, whose return address it has. So PROBE_FRAME leads to the runtime.
static __attribute__((noinline)) void release(const void *object) {
    const void *caller = __builtin_return_address(0);
    if (next_release != NULL) next_release(object);
    bool is_enqueue = is_in(probe_code.enqueue, caller), is_error = is_in(probe_code.resume_with_error, caller);
    if (!is_enqueue && !is_error && !probe_has_hooks_only) return;
    if (probe_this.is_busy || !probe_is_recording()) return;
    swift_task *task = (swift_task *)object;
    if (is_enqueue) {
        probe_this.is_busy = true;
        if (is_task(task)) task_was_enqueued(task, PROBE_FRAME);
        probe_this.is_busy = false;
    } else if (is_error) {
        probe_this.is_busy = true;
        void *error = is_task(task) && probe_has(TRACE_ROUTE_THROWN) ? task_is_resumed_with_error(task, PROBE_FRAME) : NULL;
        if (error != NULL && probe_has(TRACE_ROUTE_LOOKS)) cancellation_arrives(task, error);
        probe_this.is_busy = false;
    } else if (is_in(probe_code.add_status_record, caller)) {
        // The runtime also adds status records of other kinds. Only a suspending task has a dependency record.
        probe_this.is_busy = true;
        if (task == swift_task_getCurrent() && dependency_of(task).kind != DEPENDENCY_NONE) task_was_suspended(task);
        probe_this.is_busy = false;
    }
}

/// The runtime hands `object` over: from here on another thread may take it. Most calls come from an actor that is left.
static void on_release(const void *object) {
    const void *caller = __builtin_return_address(0);
    bool is_wanted = is_in(probe_code.enqueue, caller) || is_in(probe_code.resume_with_error, caller);
    if (__builtin_expect(!is_wanted && !probe_has_hooks_only && next_release == NULL, 1)) return;
    SWIFT_TAIL_CALL return release(object);
}

/// Called in the place of a hook, whose return address it has.
static __attribute__((noinline)) void acquire(const void *object) {
    const void *caller = __builtin_return_address(0);
    if (object == trial_job && trial_job != NULL) {
        run_begins = caller;
        return;
    }
    if (next_acquire != NULL) next_acquire(object);
    if (probe_this.is_busy || !probe_is_recording()) return;
    swift_task *task = (swift_task *)object;
    if (is_in(probe_code.switch_executor, caller)) {
        if (probe_has(TRACE_ROUTE_HOPS)) hop_was_inline();
        return;
    }
    if (caller == run_begins) {
        probe_this.dequeued = object;
        if (!probe_has_hooks_only || !is_task(task)) return;
    }
    probe_this.is_busy = true;
    if (is_in(probe_code.cancel, caller) || is_in(probe_code.cancel_child, caller) || is_in(probe_code.cancel_group, caller)) {
        if (probe_has(TRACE_ROUTE_CANCELLATION)) task_was_cancelled(task, PROBE_FRAME);
    } else if (is_in(probe_code.wait_for_future, caller)) {
        if (probe_has(TRACE_ROUTE_READ)) task_was_read(task);
    } else if (caller == run_begins) {
        task_slice_began(task);
    } else {
        probe_this.acquired = object;
        if (is_in(probe_code.group_next, caller)) child_was_taken(task);
        else if (is_in(probe_code.group_hand_over, caller)) child_was_handed_over(task);
    }
    probe_this.is_busy = false;
}

/// The runtime takes `object`, which another thread may have handed over. Most calls come from an actor that a task takes.
static void on_acquire(const void *object) {
    bool is_actor = is_in(probe_code.switch_executor, __builtin_return_address(0));
    if (__builtin_expect(is_actor && next_acquire == NULL && hop_was_inline_quickly(), 1)) return;
    SWIFT_TAIL_CALL return acquire(object);
}

static SWIFT_ASYNC_CC void do_nothing(void *job) {
    (void)job;
}

static void find_run_begin(void) {
    enum { NO_TASK = 200 };
    static struct {
        swift_task job;
        char room[256];
    } trial = {.job = {.flags = NO_TASK, .resume_task = (void *)do_nothing}};
    if (swift_job_run == NULL) return;
    trial_job = &trial;
    swift_job_run(&trial.job, NULL, 0);
    trial_job = NULL;
    // With hooks only, no call of the runtime tells whether this is the place where tasks begin to run too.
    if (probe_has_hooks_only && !is_in(probe_code.module, run_begins)) run_begins = NULL;
}

static bool set_hand_overs(void) {
    // A program built with the thread sanitizer needs these hooks itself.
    if (&_swift_tsan_acquire == NULL || &_swift_tsan_release == NULL) return false;
    if (&_swift_tsan_enabled != NULL && _swift_tsan_enabled) return false;
    next_acquire = _swift_tsan_acquire;
    next_release = _swift_tsan_release;
    _swift_tsan_acquire = on_acquire;
    find_run_begin();
    probe_sees_dequeuing = run_begins != NULL;
    _swift_tsan_release = on_release;
    return true;
}

// MARK: - Throwing

/// Foundation throws many errors several calls below the program's own code. The calls between are left out where they are too many.
enum { THROW_DEPTH = TRACE_CODE_DEPTH };

static void (*next_throw)(void *);

/// Stores the innermost calls in Swift's libraries, then those of the program that led to them, and returns their number.
static size_t calls_around_libraries(const void *first, const void **returns, size_t room) {
    enum { LIBRARY_CALLS = 2, LONGEST_WALK = 32 };
    frame_walk walk = frames_from(first);
    size_t count = 0;
    for (int steps = 0; count < room && steps < LONGEST_WALK; steps++) {
        const void *address = next_return(&walk);
        // Beyond the runtime's frames lies no code of this task.
        if (address == NULL || (steps > 0 && is_in(probe_code.module, address))) break;
        if (count < LIBRARY_CALLS || !dispatch_is_between(address)) returns[count++] = address;
    }
    return count;
}

/// `*is_runtime` becomes true if the runtime's own code throws.
static uint32_t throwing_code(const void *frame, bool *is_runtime) {
    const void *returns[THROW_DEPTH];
    size_t count = probe_callers(frame, returns, THROW_DEPTH);
    // The walk ends at the runtime: what is left is the function that calls the hook.
    *is_runtime = count <= 1 && !probe_has_hooks_only;
    if (count == THROW_DEPTH && !probe_has_hooks_only) count = calls_around_libraries(frame, returns, THROW_DEPTH);
    return trace_code(TRACE_CODE_CALLS, returns, count);
}

/// True if the runtime calls the hook for a typed error. The box then holds a copy of the error, made for the hook only.
static bool is_for_typed_error(const void *caller) {
    enum { LONGEST = 128 };
    return (uintptr_t)caller - (uintptr_t)swift_willThrowTypedImpl < LONGEST && &swift_willThrowTypedImpl[0] != NULL;
}

static void on_throw(void *error) {
    if (!probe_this.is_busy && probe_is_recording() && probe_has(TRACE_ROUTE_THROWN)) {
        probe_this.is_busy = true;
        bool is_runtime = false;
        if (probe_has(TRACE_ROUTE_LOOKS)) cancellation_may_be_thrown(error);
        if (is_for_typed_error(__builtin_return_address(0))) {
            uintptr_t runtime_frame = *(const uintptr_t *)PROBE_FRAME, frame = *(const uintptr_t *)runtime_frame;
            typed_error_was_thrown(error, throwing_code((const void *)runtime_frame, &is_runtime), frame);
        } else {
            uint32_t code = throwing_code(PROBE_FRAME, &is_runtime);
            error_was_thrown(error, code, is_runtime);
        }
        probe_this.is_busy = false;
    }
    if (next_throw != NULL) next_throw(error);
}

static bool set_throws(void) {
    if (&_swift_willThrow == NULL) return false;
    next_throw = __atomic_exchange_n(&_swift_willThrow, on_throw, __ATOMIC_ACQ_REL);
    return true;
}

// MARK: - Destruction of a task

typedef SWIFT_CC void destroy_function(SWIFT_CONTEXT swift_task *task);
static destroy_function *next_destroy;

static SWIFT_CC void on_destroy(SWIFT_CONTEXT swift_task *task) {
    if (!probe_this.is_busy && probe_is_recording()) task_is_destroyed(task);
    slot_was_reached();
    next_destroy(task);
}

static bool set_destroy(void) {
    if (&_swift_concurrency_debug_asyncTaskMetadata == NULL || _swift_concurrency_debug_asyncTaskMetadata == NULL) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = (void **)_swift_concurrency_debug_asyncTaskMetadata - 2;
    if (!is_in(probe_code.module, *slot)) return false;
    next_destroy = (destroy_function *)*slot;
    return slot_set(slot, (void *)on_destroy);
}

// MARK: - Installation

unsigned hooks_install(bool is_alone) {
    probe_has_hooks_only = is_alone;
    probe_misses_ends = is_alone;
    unsigned set = 0;
    if (set_hand_overs()) set |= HOOK_HAND_OVERS;
    if (set_throws()) set |= HOOK_THROWS;
    if (set_destroy()) set |= HOOK_DESTROY;
    if (continuations_install()) set |= HOOK_CONTINUATIONS;
    return set;
}
