// Calls that block a thread while it runs a task. Other tasks that need the thread have to wait.
//
// Every build of the probe observes Dispatch's semaphores and groups. Only the preloaded library observes the C library's calls: in a
// program's own binary, the interposed functions could replace functions that are linked into the program.

#define _GNU_SOURCE
#include "interposition.h"
#include "probe_routes.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// The number of the task whose slice the calling thread is about to block; 0 if the wait is not recorded.
static uint64_t blocking_task(void) {
    if (!is_watched() || !probe_has(TRACE_ROUTE_BLOCKING) || swift_task_getCurrent == NULL) return 0;
    swift_task *task = swift_task_getCurrent();
    return task != NULL ? task_number(task) : 0;
}

// MARK: - Dispatch

typedef intptr_t wait_function(void *object, uint64_t timeout);

/// Waits by calling `wait`. A wait that succeeds at once is not recorded as blocking.
static intptr_t wait_by(wait_function *wait, void *object, uint64_t timeout, const void *frame) {
    enum { NOT_AT_ALL = 0 };
    uint64_t task = timeout != NOT_AT_ALL ? blocking_task() : 0;
    if (task == 0) return wait(object, timeout);
    if (wait(object, NOT_AT_ALL) == 0) return 0;
    task_blocks(task, frame);
    intptr_t result = wait(object, timeout);
    task_goes_on(task, result != 0);
    return result;
}

static intptr_t probe_semaphore_wait(void *semaphore, uint64_t timeout) {
    intptr_t result = wait_by(NEXT(dispatch_semaphore_wait, wait_function), semaphore, timeout, PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(dispatch_semaphore_wait, probe_semaphore_wait);

static intptr_t probe_group_wait(void *group, uint64_t timeout) {
    intptr_t result = wait_by(NEXT(dispatch_group_wait, wait_function), group, timeout, PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(dispatch_group_wait, probe_group_wait);

#ifdef HOPSCOPE_PRELOADED

// MARK: - The C library

/// Calls the next function with that name, and records the wait if a task makes the call.
#define BLOCKING(name, type, ...)                                     \
    ({                                                                \
        type *next = NEXT(name, type);                                \
        uint64_t task = blocking_task();                              \
        if (task != 0) task_blocks(task, PROBE_FRAME);                \
        __typeof__(next(__VA_ARGS__)) result = next(__VA_ARGS__);     \
        if (task != 0) {                                              \
            int error = errno;                                        \
            task_goes_on(task, false);                                \
            errno = error;                                            \
        }                                                             \
        result;                                                       \
    })

typedef int mutex_function(pthread_mutex_t *mutex);
typedef int timed_mutex_function(pthread_mutex_t *mutex, const struct timespec *until);

/// Locks a contended mutex. A wait of less than a millisecond is not recorded as blocking.
static __attribute__((noinline)) int lock_slowly(pthread_mutex_t *mutex, const void *frame) {
    enum { NANOSECONDS = 1000000, SECOND = 1000000000 };
    uint64_t task = blocking_task();
    if (task == 0) return NEXT(pthread_mutex_lock, mutex_function)(mutex);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NANOSECONDS;
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    int result = NEXT(pthread_mutex_timedlock, timed_mutex_function)(mutex, &until);
    if (result != ETIMEDOUT) return result;
    task_blocks(task, frame);
    result = NEXT(pthread_mutex_lock, mutex_function)(mutex);
    task_goes_on(task, false);
    return result;
}

static int probe_mutex_lock(pthread_mutex_t *mutex) {
    int result = pthread_mutex_trylock(mutex);
    if (__builtin_expect(result != EBUSY, 1)) return result;
    result = lock_slowly(mutex, PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(pthread_mutex_lock, probe_mutex_lock);

typedef int condition_function(pthread_cond_t *condition, pthread_mutex_t *mutex);
typedef int timed_condition_function(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until);
typedef int clocked_condition_function(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);

static int probe_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    return BLOCKING(pthread_cond_wait, condition_function, condition, mutex);
}
STANDS_BEFORE(pthread_cond_wait, probe_cond_wait);

static int probe_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    return BLOCKING(pthread_cond_timedwait, timed_condition_function, condition, mutex, until);
}
STANDS_BEFORE(pthread_cond_timedwait, probe_cond_timedwait);

static int probe_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    return BLOCKING(pthread_cond_clockwait, clocked_condition_function, condition, mutex, clock, until);
}
STANDS_BEFORE(pthread_cond_clockwait, probe_cond_clockwait);

typedef int nanosleep_function(const struct timespec *time, struct timespec *left);
typedef int clock_nanosleep_function(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
typedef int usleep_function(useconds_t time);
typedef unsigned sleep_function(unsigned seconds);

static int probe_nanosleep(const struct timespec *time, struct timespec *left) {
    return BLOCKING(nanosleep, nanosleep_function, time, left);
}
STANDS_BEFORE(nanosleep, probe_nanosleep);

static int probe_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    return BLOCKING(clock_nanosleep, clock_nanosleep_function, clock, flags, time, left);
}
STANDS_BEFORE(clock_nanosleep, probe_clock_nanosleep);

static int probe_usleep(useconds_t time) {
    return BLOCKING(usleep, usleep_function, time);
}
STANDS_BEFORE(usleep, probe_usleep);

static unsigned probe_sleep(unsigned seconds) {
    return BLOCKING(sleep, sleep_function, seconds);
}
STANDS_BEFORE(sleep, probe_sleep);

typedef int join_function(pthread_t thread, void **value);
typedef pid_t waitpid_function(pid_t process, int *status, int options);

static int probe_join(pthread_t thread, void **value) {
    return BLOCKING(pthread_join, join_function, thread, value);
}
STANDS_BEFORE(pthread_join, probe_join);

static pid_t probe_waitpid(pid_t process, int *status, int options) {
    if ((options & WNOHANG) != 0) return NEXT(waitpid, waitpid_function)(process, status, options);
    return BLOCKING(waitpid, waitpid_function, process, status, options);
}
STANDS_BEFORE(waitpid, probe_waitpid);

#endif
