// Recording of event loops: threads that come back to epoll_wait again and again, as those of swift-nio do. Each is an executor. Its job is a
// tick, from the return of epoll_wait to the next call: a closure that belongs to no task.

#define _GNU_SOURCE
#include "interposition.h"

#ifdef HOPSCOPE_PRELOADED

#include "dispatch_library.h"
#include "probe_routes.h"
#include "probe_statement.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/// A thread that has waited this often is a loop. Libraries also wait for one descriptor now and then.
enum { WAITS_OF_A_LOOP = 3, NAME_ROOM = 32, NAMED_LOOPS = 256 };

typedef struct event_loop {
    const void *caller;    ///< the return address of the thread's latest wait
    uint64_t recording;    ///< of the tick, and of the label
    uint32_t waits;
    uint32_t label;
    uint16_t executor;
    bool is_left_out;      ///< Dispatch's own thread or a run loop of Foundation, whose work is seen as blocks; or one name too many
} event_loop;

static __thread event_loop this_loop __attribute__((tls_model("initial-exec")));

// MARK: - Names

typedef struct named_loop {
    char name[NAME_ROOM];
    uint16_t number;
} named_loop;

static named_loop loops[NAMED_LOOPS];
static size_t loop_count;
static pthread_mutex_t loops_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t loop_ends;
static pthread_once_t loop_once = PTHREAD_ONCE_INIT;

/// The executor with the thread's name, 0 if there are too many names. Threads of one name share it: a program that makes a loop for each
/// connection has one executor.
static uint16_t executor_of_thread(void) {
    char name[NAME_ROOM] = "event loop";
    bool has_name = pthread_getname_np(pthread_self(), name, sizeof name) == 0 && name[0] != 0 && getpid() != gettid();
    if (!has_name) strcpy(name, "event loop");
    pthread_mutex_lock(&loops_lock);
    size_t index = 0;
    while (index < loop_count && strcmp(loops[index].name, name) != 0) index++;
    if (index == loop_count && index < NAMED_LOOPS) {
        strcpy(loops[index].name, name);
        loops[index].number = trace_executor_register((const uint8_t *)name, strlen(name), TRACE_EXECUTOR_LOOP);
        loop_count++;
    }
    uint16_t number = index < NAMED_LOOPS ? loops[index].number : 0;
    pthread_mutex_unlock(&loops_lock);
    return number;
}

// MARK: - Ticks

static void end_tick(event_loop *loop) {
    if (!probe_this.is_in_tick) return;
    probe_this.is_in_tick = false;
    bool was_busy = probe_this.is_busy;
    probe_this.is_busy = true;
    if (trace_recording() == loop->recording) trace_emit(TRACE_JOB_ENDED, 0, loop->executor, loop->label, 0, 0);
    probe_this.is_busy = was_busy;
}

static void loop_has_ended(void *loop) {
    end_tick(loop);
}

static void prepare_end(void) {
    pthread_key_create(&loop_ends, loop_has_ended);
}

static bool runs_blocks(const void *caller) {
    dispatch_is_known();  // finds the libraries
    return dispatch_is_between(caller);
}

static void begin_tick(event_loop *loop, const void *caller, const void *frame) {
    if (loop->caller != caller) {
        *loop = (event_loop){.caller = caller, .is_left_out = runs_blocks(caller)};
        return;
    }
    if (loop->is_left_out || ++loop->waits < WAITS_OF_A_LOOP) return;
    probe_this.is_busy = true;
    statement_tell();
    uint64_t recording = trace_recording();
    if (loop->recording != recording) {
        const void *returns[SITE_DEPTH];
        uint32_t code = trace_code(TRACE_CODE_CALLS, returns, probe_callers(frame, returns, SITE_DEPTH));
        loop->label = code != 0 ? trace_label_of_code(NULL, 0, code) : 0;
        loop->recording = recording;
        if (loop->executor == 0) {
            loop->executor = executor_of_thread();
            loop->is_left_out = loop->executor == 0;
            pthread_once(&loop_once, prepare_end);
            pthread_setspecific(loop_ends, loop);
        }
    }
    probe_this.is_in_tick = !loop->is_left_out;
    if (probe_this.is_in_tick) trace_emit(TRACE_STARTED, TRACE_START_DEQUEUED, loop->executor, loop->label, 0, 0);
    probe_this.is_busy = false;
}

static void after_wait(const void *caller, const void *frame) {
    if (!is_watched() || !probe_has(TRACE_ROUTE_BLOCKS)) return;
    int error = errno;
    begin_tick(&this_loop, caller, frame);
    errno = error;
}

typedef int wait_function(int epoll, struct epoll_event *events, int room, int timeout);
typedef int masked_wait_function(int epoll, struct epoll_event *events, int room, int timeout, const sigset_t *mask);

static int probe_epoll_wait(int epoll, struct epoll_event *events, int room, int timeout) {
    end_tick(&this_loop);
    int result = NEXT(epoll_wait, wait_function)(epoll, events, room, timeout);
    after_wait(__builtin_return_address(0), PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(epoll_wait, probe_epoll_wait);

static int probe_epoll_pwait(int epoll, struct epoll_event *events, int room, int timeout, const sigset_t *mask) {
    end_tick(&this_loop);
    int result = NEXT(epoll_pwait, masked_wait_function)(epoll, events, room, timeout, mask);
    after_wait(__builtin_return_address(0), PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(epoll_pwait, probe_epoll_pwait);

#endif
