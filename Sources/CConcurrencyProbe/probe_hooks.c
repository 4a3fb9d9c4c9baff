// The runtime's own hooks. The thread sanitizer's hooks report every hand-over between threads; the return address tells its kind.
// The throw hook reports every throw. The probe also replaces the destructor of tasks and the function that ends a task's first frame.

#define _GNU_SOURCE
#include "probe.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

bool hooks_are_alone;

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
    bool is_enqueue = is_in(probe_code.enqueue, caller);
    if (!is_enqueue && !hooks_are_alone) return;
    if (probe_this.is_busy || !probe_is_recording()) return;
    swift_task *task = (swift_task *)object;
    if (is_enqueue) {
        probe_this.is_busy = true;
        if (is_task(task)) task_was_enqueued(task, PROBE_FRAME);
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
    bool is_enqueue = is_in(probe_code.enqueue, __builtin_return_address(0));
    if (__builtin_expect(!is_enqueue && !hooks_are_alone && next_release == NULL, 1)) return;
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
        if (!hooks_are_alone || !is_task(task)) return;
    }
    probe_this.is_busy = true;
    if (is_in(probe_code.cancel, caller) || is_in(probe_code.cancel_child, caller) || is_in(probe_code.cancel_group, caller)) {
        if (probe_has(TRACE_ROUTE_CANCELLATION)) task_was_cancelled(task);
    } else if (is_in(probe_code.wait_for_future, caller)) {
        if (probe_has(TRACE_ROUTE_READ)) task_was_read(task);
    } else if (caller == run_begins) {
        task_slice_began(task);
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
}

bool hooks_see_dequeuing(void) {
    return run_begins != NULL;
}

static bool set_hand_overs(void) {
    // A program built with the thread sanitizer needs these hooks itself.
    if (&_swift_tsan_acquire == NULL || &_swift_tsan_release == NULL) return false;
    if (&_swift_tsan_enabled != NULL && _swift_tsan_enabled) return false;
    next_acquire = _swift_tsan_acquire;
    next_release = _swift_tsan_release;
    _swift_tsan_acquire = on_acquire;
    find_run_begin();
    _swift_tsan_release = on_release;
    return true;
}

// MARK: - Throwing

enum { THROW_DEPTH = 4 };

static void (*next_throw)(void *);

static uint32_t throwing_code(const void *frame) {
    const void *returns[THROW_DEPTH];
    return trace_code(TRACE_CODE_CALLS, returns, probe_callers(frame, returns, THROW_DEPTH));
}

/// True if the runtime calls the hook for a typed error. The box then holds a copy of the error, made for the hook only.
static bool is_for_typed_error(const void *caller) {
    enum { LONGEST = 128 };
    return (uintptr_t)caller - (uintptr_t)swift_willThrowTypedImpl < LONGEST && &swift_willThrowTypedImpl[0] != NULL;
}

static void on_throw(void *error) {
    if (!probe_this.is_busy && probe_is_recording() && probe_has(TRACE_ROUTE_THROWN)) {
        probe_this.is_busy = true;
        if (is_for_typed_error(__builtin_return_address(0))) {
            uintptr_t runtime_frame = *(const uintptr_t *)PROBE_FRAME, frame = *(const uintptr_t *)runtime_frame;
            typed_error_was_thrown(error, throwing_code((const void *)runtime_frame), frame);
        } else {
            error_was_thrown(error, throwing_code(PROBE_FRAME));
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

// MARK: - Completion of a task

/// The functions in which tasks end. The wrapper with the same index replaces each.
enum { COMPLETIONS = 8 };
static void *completions[COMPLETIONS];
static uint32_t completion_count;
static pthread_mutex_t completion_lock = PTHREAD_MUTEX_INITIALIZER;

typedef SWIFT_ASYNC_CC void completion_function(SWIFT_ASYNC_CONTEXT swift_async_context *context, SWIFT_CONTEXT void *error);

static void task_ends(void *error) {
    if (probe_this.is_busy || !probe_is_recording()) {
        probe_forget_slice();
        return;
    }
    probe_this.is_busy = true;
    swift_task *current = probe_running();
    uint64_t task = task_number(current);
    uint16_t executor = task_slice_ended(current, task);
    if (probe_has(TRACE_ROUTE_ENDS)) {
        if (error != NULL) error_ended_task(error, current, task, executor);
        else trace_emit(TRACE_COMPLETED, 0, executor, 0, task, 0);
    }
    probe_this.is_busy = false;
}

#define WRAPPER(number)                                                                                              \
    static SWIFT_ASYNC_CC void completes_##number(SWIFT_ASYNC_CONTEXT swift_async_context *context, SWIFT_CONTEXT void *error) { \
        task_ends(error);                                                                                            \
        SWIFT_TAIL_CALL return ((completion_function *)completions[number])(context, error);                         \
    }
WRAPPER(0) WRAPPER(1) WRAPPER(2) WRAPPER(3) WRAPPER(4) WRAPPER(5) WRAPPER(6) WRAPPER(7)
static void *const wrappers[COMPLETIONS] = {
    completes_0, completes_1, completes_2, completes_3, completes_4, completes_5, completes_6, completes_7,
};

/// The function's index in `completions`; `COMPLETIONS` if it is not there.
static uint32_t place_of_completion(const void *function) {
    uint32_t count = __atomic_load_n(&completion_count, __ATOMIC_ACQUIRE);
    for (uint32_t place = 0; place < count; place++) if (completions[place] == function) return place;
    return COMPLETIONS;
}

static uint32_t learn_completion(void *function) {
    pthread_mutex_lock(&completion_lock);
    uint32_t place = place_of_completion(function);
    if (place == COMPLETIONS && completion_count < COMPLETIONS) {
        place = completion_count;
        completions[place] = function;
        __atomic_store_n(&completion_count, place + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&completion_lock);
    return place;
}

bool completion_observe(swift_task *task) {
    swift_async_context *context = task->resume_context;
    void *function = context->resume_parent;
    uint32_t place = place_of_completion(function);
    if (place == COMPLETIONS) {
        for (place = 0; place < COMPLETIONS; place++) if (function == wrappers[place]) return false;
        place = learn_completion(function);
    }
    if (place < COMPLETIONS) {
        context->resume_parent = wrappers[place];
        return true;
    }
    __atomic_store_n(&probe_misses_ends, true, __ATOMIC_RELAXED);
    routes_lose(TRACE_ROUTE_ENDS);
    return true;
}

// MARK: - Destruction of a task

typedef SWIFT_CC void destroy_function(SWIFT_CONTEXT swift_task *task);
static destroy_function *next_destroy;

static SWIFT_CC void on_destroy(SWIFT_CONTEXT swift_task *task) {
    if (!probe_this.is_busy && probe_is_recording() && probe_has(TRACE_ROUTE_RELEASED)) task_is_destroyed(task);
    hook_was_reached();
    next_destroy(task);
}

/// True if the address is in a segment that the loader makes read-only after relocation.
static int is_read_only(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_RELRO && (uintptr_t)address >= first && (uintptr_t)address < first + segment->p_memsz) return 1;
    }
    return 0;
}

bool hooks_set(void **slot, void *function) {
    uintptr_t size = probe_page_size();
    void *page = (void *)((uintptr_t)slot & ~(size - 1));
    bool was_read_only = dl_iterate_phdr(is_read_only, slot) != 0;
    if (was_read_only && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    if (was_read_only) mprotect(page, size, PROT_READ);
    return true;
}

static bool set_destroy(void) {
    if (&_swift_concurrency_debug_asyncTaskMetadata == NULL || _swift_concurrency_debug_asyncTaskMetadata == NULL) return false;
    // Memory order: the destructor, the pointer to the value witness table, the metadata.
    void **slot = (void **)_swift_concurrency_debug_asyncTaskMetadata - 2;
    if (!is_in(probe_code.module, *slot)) return false;
    next_destroy = (destroy_function *)*slot;
    return hooks_set(slot, (void *)on_destroy);
}

// MARK: - Installation

unsigned hooks_install(bool is_alone) {
    hooks_are_alone = is_alone;
    probe_misses_ends = is_alone;
    unsigned set = 0;
    if (set_hand_overs()) set |= HOOK_HAND_OVERS;
    if (set_throws()) set |= HOOK_THROWS;
    if (set_destroy()) set |= HOOK_DESTROY;
    if (continuations_install()) set |= HOOK_CONTINUATIONS;
    if (run_begins != NULL) set |= HOOK_RUN_BEGINS;
    return set;
}
