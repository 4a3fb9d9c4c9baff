// A probe that `hopscope attach --inject` has loaded into a running process. A thread of its own begins the recording, and ends it when the
// command ends. Every other thread of the process runs on meanwhile.

#define _GNU_SOURCE
#include "concurrency_probe.h"
#include "probe_completion.h"
#include "probe_state.h"
#include "probe_statement.h"
#include "probe_thread.h"
#include "trace_files.h"
#include "trace_injection.h"
#include "trace_lanes.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(trace_injection *injection, uint32_t state) {
    __atomic_store_n(&injection->state, state, __ATOMIC_RELEASE);
}

static uint32_t order(const trace_injection *injection) {
    return __atomic_load_n(&injection->order, __ATOMIC_ACQUIRE);
}

// MARK: - The command

static bool command_runs(const trace_injection *injection) {
    return trace_process_start((uint32_t)injection->command) == injection->command_start;
}

/// Waits until the command gives an order. False if it ends, or asks to leave.
static bool wait_for_order(const trace_injection *injection) {
    enum { MICROSECONDS = 1000, PAUSES_BETWEEN_LOOKS = 100 };
    for (int pause = 0; order(injection) == TRACE_INJECTION_WAIT; pause++) {
        if (pause % PAUSES_BETWEEN_LOOKS == 0 && !command_runs(injection)) return false;
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

/// The thread's first and last function in the probe.
__attribute__((visibility("default"))) void hopscope_probe_serve(trace_injection *injection) {
    probe_this.is_busy = true;
    trace_thread_set_name("hopscope probe");
    // The command may have given up while the loader was at work.
    if (order(injection) == TRACE_INJECTION_LEAVE || !command_runs(injection)) return;
    trace_region *region = begin(injection);
    say(injection, region != NULL ? TRACE_INJECTION_RECORDING : TRACE_INJECTION_NOT_RECORDED);
    if (wait_for_order(injection)) wait_for_end(injection);
    if (region == NULL) return;
    // The hooks stay. Without a recording each of them only passes the call on.
    trace_uninstall(region);
    trace_region_withdraw(region);
    trace_region_discard(region);
}
