// Finding the runtime, and saying what of it is missing.

#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

bool probe_is_installed;
bool probe_shares_numbers;

static hopscope_probe_state state;
static char missing[512];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

hopscope_probe_state hopscope_probe_current_state(void) {
    return __atomic_load_n(&probe_is_installed, __ATOMIC_ACQUIRE) ? state : HOPSCOPE_PROBE_IDLE;
}

const char *hopscope_probe_missing(void) {
    return missing;
}

/// Set once a probe of the process is at work; a program that has one linked may be started under another.
__attribute__((visibility("default"))) bool hopscope_probe_is_at_work;

static bool is_another_at_work(void) {
    bool *other = dlsym(RTLD_NEXT, "hopscope_probe_is_at_work");
    return other != NULL && other != &hopscope_probe_is_at_work && *other;
}

/// Whether what every event needs is there.
static bool has_runtime(void) {
    return swift_task_getJobTaskId != NULL && swift_task_getCurrent != NULL && swift_task_getCurrentExecutor != NULL
        && swift_getTypeName != NULL && swift_getErrorValue != NULL && &swift_task_enqueue[0] != NULL
        && &_swift_concurrency_debug_future_adapter != NULL && &_swift_concurrency_debug_non_future_adapter != NULL;
}

static void miss(bool is_there, const char *what) {
    if (is_there) return;
    size_t length = strlen(missing);
    snprintf(missing + length, sizeof missing - length, "%s%s", length > 0 ? ", " : "", what);
}

static bool is_found(code_range range) {
    return range.end > range.first;
}

static void list_missing(unsigned hooks) {
    bool hand_overs = (hooks & HOOK_HAND_OVERS) != 0;
    missing[0] = 0;
    miss(hand_overs && is_found(probe_code.enqueue), "when tasks enter queues");
    miss(dependencies_are_known(), "why tasks suspend and which queues they enter");
    miss(hand_overs && is_found(probe_code.cancel) && is_found(probe_code.cancel_child) && is_found(probe_code.cancel_group),
        "some cancellations");
    miss(hand_overs && is_found(probe_code.wait_for_future), "who reads a value that is there already");
    miss((hooks & HOOK_THROWS) != 0, "where errors are thrown");
    miss((hooks & HOOK_DESTROY) != 0, "when failed tasks are let go");
    miss((hooks & HOOK_CONTINUATIONS) != 0, "continuations that nobody resumes");
    if (hooks_are_alone) {
        miss((hooks & HOOK_RUN_BEGINS) != 0, "when tasks run");
        miss(is_found(probe_code.add_status_record), "when tasks suspend");
        miss(false, "names given to tasks");
        miss(false, "hops onto free actors");
    } else {
        miss(hand_overs && is_found(probe_code.switch_executor), "hops onto free actors");
    }
}

static void install(void) {
    if (!has_runtime() || is_another_at_work()) return;
    bool is_alone = !interposed_is_reached();
    runtime_code_find();
    executors_prepare();
    unsigned hooks = hooks_install(is_alone);
    list_missing(hooks);
    state = is_alone ? HOPSCOPE_PROBE_HOOKS_ONLY : HOPSCOPE_PROBE_COMPLETE;
    if (!is_alone) interposed_watch();
    hopscope_probe_is_at_work = true;
    __atomic_store_n(&probe_is_installed, true, __ATOMIC_RELEASE);
}

void probe_install(void) {
    pthread_mutex_lock(&install_lock);
    static bool was_tried;
    if (!was_tried) install();
    was_tried = true;
    pthread_mutex_unlock(&install_lock);
}

/// The lanes call it when something begins to be recorded, or is asked for.
void hopscope_recording_began(void) {
    probe_install();
}

static __attribute__((noinline)) void tell(uint64_t recording, uint64_t *told) {
    // Nothing is told before the program's own lanes have had their say.
    __atomic_store_n(&probe_shares_numbers, trace_has_both_worlds(), __ATOMIC_RELAXED);
    __atomic_store_n(told, recording, __ATOMIC_RELAXED);
    if (missing[0] == 0) return;
    char sentence[600];
    int length = snprintf(sentence, sizeof sentence, "The Swift Concurrency probe cannot see: %s.", missing);
    if (length >= (int)sizeof sentence) length = sizeof sentence - 1;
    trace_emit(TRACE_MARK, 0, 0, trace_text((const uint8_t *)sentence, (size_t)length), 0, 0);
}

/// What a program with lanes of its own looks for.
__attribute__((visibility("default"))) const trace_lanes_table *hopscope_probe_lanes(void) {
    return trace_lanes_own_table();
}

void probe_tell_missing(void) {
    static uint64_t told;
    uint64_t recording = trace_recording();
    if (__builtin_expect(__atomic_load_n(&told, __ATOMIC_RELAXED) != recording, 0)) tell(recording, &told);
}
