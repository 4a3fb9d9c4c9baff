// A probe that `hopscope attach --inject` has loaded into a running process. A thread of its own begins the recording, and ends it when the
// command ends. Every other thread of the process runs on meanwhile.

#define _GNU_SOURCE
#include "concurrency_probe.h"
#include "probe_completion.h"
#include "probe_executors.h"
#include "probe_state.h"
#include "probe_statement.h"
#include "probe_thread.h"
#include "trace_files.h"
#include "trace_injection.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(trace_injection *injection, uint32_t state) {
    __atomic_store_n(&injection->state, state, __ATOMIC_RELEASE);
}

static uint32_t order(const trace_injection *injection) {
    return __atomic_load_n(&injection->order, __ATOMIC_ACQUIRE);
}

// MARK: - Tasks that were there before

/// Records a task with the state that it had when the recording began: it has had no event since, or the command states no state. No object of
/// the program is touched, because the task may have ended.
static void adopt(const trace_adopted_task *task, uint64_t began) {
    size_t length = strnlen(task->name, sizeof task->name), count = 0;
    uint32_t label = length > 0 ? trace_label_of_code(task->name, length, 0) : 0;
    trace_emit_at(began, TRACE_ADOPTED, task->kind, 0, label, task->task, task->parent);
    const void *places[TRACE_ADOPTED_PLACES];
    while (count < TRACE_ADOPTED_PLACES && task->places[count] != 0) {
        places[count] = (const void *)task->places[count];
        count++;
    }
    switch ((enum trace_adopted_state)task->state) {
    case TRACE_ADOPTED_UNSTATED: break;
    case TRACE_ADOPTED_QUEUED: trace_emit_at(began, TRACE_ENQUEUED, 0, 0, 0, task->task, 0); break;
    case TRACE_ADOPTED_QUEUED_GLOBALLY: trace_emit_at(began, TRACE_ENQUEUED, 0, executors_global, 0, task->task, 0); break;
    case TRACE_ADOPTED_SUSPENDED:
        trace_emit_at(began, TRACE_SUSPENDED, task->reason, 0, trace_code(TRACE_CODE_RESUMES, places, count), task->task, task->awaited);
        break;
    }
    if (task->is_cancelled) trace_emit_at(began, TRACE_CANCELLATION_ASKED, 0, 0, 0, task->task, 0);
}

static void take_batch(trace_injection *injection, uint64_t began) {
    uint32_t given = __atomic_load_n(&injection->given, __ATOMIC_ACQUIRE);
    if (given == injection->taken) return;
    for (uint64_t index = 0; index < injection->adopted_count && index < TRACE_ADOPTED_TASKS; index++)
        adopt(&injection->adopted[index], began);
    __atomic_store_n(&injection->taken, given, __ATOMIC_RELEASE);
}

// MARK: - The command

static bool command_runs(const trace_injection *injection) {
    return trace_process_start((uint32_t)injection->command) == injection->command_start;
}

/// Waits until the command gives an order, and records the tasks that it gives meanwhile. False if it ends, or asks to leave.
static bool wait_for_order(trace_injection *injection, uint64_t began) {
    enum { MICROSECONDS = 500, PAUSES_BETWEEN_LOOKS = 200 };
    for (int pause = 0; order(injection) == TRACE_INJECTION_WAIT; pause++) {
        if (pause % PAUSES_BETWEEN_LOOKS == 0 && !command_runs(injection)) return false;
        take_batch(injection, began);
        usleep(MICROSECONDS);
    }
    return order(injection) == TRACE_INJECTION_SERVE;
}

/// Waits for the end of the command's process. On kernels that cannot report it, the thread looks again and again.
static void wait_for_end(const trace_injection *injection) {
    enum { MICROSECONDS = 200000 };
#ifdef SYS_pidfd_open
    int command = (int)syscall(SYS_pidfd_open, injection->command, 0);
    if (command >= 0) {
        struct pollfd end = {.fd = command, .events = POLLIN};
        while (command_runs(injection) && poll(&end, 1, -1) < 0 && errno == EINTR) {}
        close(command);
        return;
    }
#endif
    while (command_runs(injection)) usleep(MICROSECONDS);
}

// MARK: - The recording

/// The thread that has loaded the library.
static pid_t loader;

__attribute__((constructor(TRACE_REGISTRATION_PRIORITY))) static void note_loader(void) {
    loader = gettid();
}

/// Begins to record. NULL with a sentence if the probe cannot.
static trace_region *begin(trace_injection *injection) {
    // With HOPSCOPE in its environment, the process records as soon as the library is loaded.
    if (trace_is_recording() && loader != gettid()) {
        snprintf(injection->sentence, sizeof injection->sentence, "It records already.");
        return NULL;
    }
    completion_expect_older_tasks();
    trace_problem problem;
    trace_region *region = trace_environment_begin(injection->region, sizeof injection->region, &problem);
    if (region == NULL) {
        snprintf(injection->sentence, sizeof injection->sentence, "%s", problem.sentence);
        return NULL;
    }
    if (hopscope_probe_current_state() != HOPSCOPE_PROBE_IDLE) {
        statement_tell();
        return region;
    }
    snprintf(injection->sentence, sizeof injection->sentence, "%s",
        statement_idle_reason[0] != 0 ? statement_idle_reason : "The probe does not find its Swift runtime, or another probe is at work.");
    trace_uninstall(region);
    trace_region_discard(region);
    return NULL;
}

/// Ends a recording. The hooks stay: without one, each of them only passes the call on.
static void end(trace_region *region) {
    if (region == NULL) return;
    trace_uninstall(region);
    trace_region_withdraw(region);
    trace_region_discard(region);
}

/// The thread's first and last function in the probe.
__attribute__((visibility("default"))) void hopscope_probe_serve(trace_injection *injection) {
    probe_this.is_busy = true;
    trace_thread_set_name("hopscope probe");
    // The command may have given up while the loader was at work, and told its user that nothing is recorded.
    if (order(injection) == TRACE_INJECTION_LEAVE || !command_runs(injection)) {
        if (loader == gettid()) end(trace_install(NULL));
        return;
    }
    trace_region *region = begin(injection);
    uint64_t began = trace_lane_begin();
    say(injection, region != NULL ? TRACE_INJECTION_RECORDING : TRACE_INJECTION_NOT_RECORDED);
    if (wait_for_order(injection, began)) wait_for_end(injection);
    end(region);
}
