// Calls that block a thread while it runs a task. Other tasks that need the thread have to wait.
//
// Every build of the probe observes Dispatch's semaphores and groups. Only the preloaded library observes the C library's calls: in a
// program's own binary, the interposed functions could replace functions that are linked into the program.

#define _GNU_SOURCE
#include "dispatch_blocks.h"
#include "dispatch_groups.h"
#include "interposition.h"
#include "probe_ordered.h"
#include "probe_routes.h"
#include "probe_slices.h"
#include "probe_tasks.h"
#include "probe_thread.h"
#include "system_call.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Stands for the turn of an event loop, which is no task.
static const uint64_t a_tick = UINT64_MAX;

/// The number of the task or block whose run the calling thread is about to block, or `a_tick`; 0 if the wait is not recorded.
static uint64_t blocking_task(void) {
    if (!is_watched() || probe_this.is_blocked || !probe_has(TRACE_ROUTE_BLOCKING) || swift_task_getCurrent == NULL) return 0;
    if (probe_this.block != NULL) return block_maker();
    swift_task *task = swift_task_getCurrent();
    if (task != NULL) return task_number(task);
    return probe_this.is_in_tick ? a_tick : 0;
}

/// Records that the calling thread is about to block; `awaited` is the block that it waits for, 0 if none is known. A wait may be carried out
/// by another call, as one for Dispatch's semaphore is by `sem_wait`: that call is not recorded once more. The program's `errno` stays.
static void wait_begins(uint64_t task, uint64_t awaited, const void *frame) {
    int error = errno;
    probe_this.is_busy = true;
    task_blocks(task != a_tick ? task : 0, awaited, frame);
    probe_this.is_busy = false;
    probe_this.is_blocked = true;
    errno = error;
}

static void wait_ends(uint64_t task, uint64_t awaited, bool gave_up) {
    int error = errno;
    probe_this.is_blocked = false;
    probe_this.is_busy = true;
    task_goes_on(task != a_tick ? task : 0, awaited, gave_up);
    probe_this.is_busy = false;
    errno = error;
}

uint64_t turn_wait_began(uint64_t awaited, const void *frame) {
    uint64_t task = probe_is_recording() ? blocking_task() : 0;
    if (task != 0) wait_begins(task, awaited, frame);
    return task;
}

void turn_wait_ended(uint64_t waiter, uint64_t awaited, bool gave_up) {
    if (waiter != 0) wait_ends(waiter, awaited, gave_up);
}

// MARK: - Dispatch

typedef intptr_t wait_function(void *object, uint64_t timeout);

/// Waits by calling `wait`. A wait that succeeds at once is not recorded as blocking.
static intptr_t wait_by(wait_function *wait, void *object, uint64_t timeout, bool is_group, const void *frame) {
    enum { NOT_AT_ALL = 0 };
    uint64_t task = timeout != NOT_AT_ALL ? blocking_task() : 0;
    if (task == 0) return wait(object, timeout);
    if (wait(object, NOT_AT_ALL) == 0) return 0;
    uint64_t awaited = is_group ? group_open_member(object) : 0;
    wait_begins(task, awaited, frame);
    intptr_t result = wait(object, timeout);
    wait_ends(task, awaited, result != 0);
    return result;
}

static intptr_t probe_semaphore_wait(void *semaphore, uint64_t timeout) {
    intptr_t result = wait_by(NEXT(dispatch_semaphore_wait, wait_function), semaphore, timeout, false, PROBE_FRAME);
    PROBE_KEEP_FRAME();
    return result;
}
STANDS_BEFORE(dispatch_semaphore_wait, probe_semaphore_wait);

static intptr_t probe_group_wait(void *group, uint64_t timeout) {
    intptr_t result = wait_by(NEXT(dispatch_group_wait, wait_function), group, timeout, true, PROBE_FRAME);
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
        if (task != 0) wait_begins(task, 0, PROBE_FRAME);                \
        __typeof__(next(__VA_ARGS__)) result = next(__VA_ARGS__);     \
        if (task != 0) wait_ends(task, 0, false);                        \
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
    wait_begins(task, 0, frame);
    result = NEXT(pthread_mutex_lock, mutex_function)(mutex);
    wait_ends(task, 0, false);
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

// The locks and semaphores below are tried first if a task's wait would be recorded, so that one that is free is not.

typedef int rwlock_function(pthread_rwlock_t *lock);

static int probe_rwlock_read(pthread_rwlock_t *lock) {
    int result = blocking_task() != 0 ? NEXT(pthread_rwlock_tryrdlock, rwlock_function)(lock) : EBUSY;
    return result != EBUSY ? result : BLOCKING(pthread_rwlock_rdlock, rwlock_function, lock);
}
STANDS_BEFORE(pthread_rwlock_rdlock, probe_rwlock_read);

static int probe_rwlock_write(pthread_rwlock_t *lock) {
    int result = blocking_task() != 0 ? NEXT(pthread_rwlock_trywrlock, rwlock_function)(lock) : EBUSY;
    return result != EBUSY ? result : BLOCKING(pthread_rwlock_wrlock, rwlock_function, lock);
}
STANDS_BEFORE(pthread_rwlock_wrlock, probe_rwlock_write);

typedef int semaphore_function(sem_t *semaphore);

static int probe_sem_wait(sem_t *semaphore) {
    int error = errno;
    if (blocking_task() != 0 && NEXT(sem_trywait, semaphore_function)(semaphore) == 0) return 0;
    errno = error;
    return BLOCKING(sem_wait, semaphore_function, semaphore);
}
STANDS_BEFORE(sem_wait, probe_sem_wait);

typedef long any_system_call(long number, ...);

/// Signal handlers and forked children make system calls too. They do not look the function up: the probe has done so.
static void *next_syscall(void) {
    return (void *)NEXT(syscall, any_system_call);
}

/// Locks a futex with inheritance of priority. The wait is left as it is: a first, shorter one would lose the thread's place among the
/// waiters, and could change which of two threads learns of a deadlock.
static long lock_futex(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    uint64_t task = blocking_task();
    if (task != 0) wait_begins(task, 0, PROBE_FRAME);
    long result = ((any_system_call *)next_syscall())(number, a, b, c, d, e, f);
    if (task != 0) wait_ends(task, 0, result != 0 && errno == ETIMEDOUT);
    return result;
}

/// Swift's `Mutex`, once it is contended, waits in a system call for which the C library has no function. All other system calls are a jump
/// to the C library's `syscall`, with the caller's registers and stack: some, as `clone`, return on another stack.
static long probe_syscall(SYSTEM_CALL_PARAMETERS) {
    bool is_lock = number == SYS_futex && ((int)b & FUTEX_CMD_MASK) == FUTEX_LOCK_PI;
    SWIFT_TAIL_CALL return ((system_call *)(is_lock ? (void *)lock_futex : next_syscall()))(SYSTEM_CALL_ARGUMENTS);
}
// The C library declares it with any number of arguments. Integers are passed alike in both forms.
extern __attribute__((weak, visibility("default"), alias("probe_syscall"))) long syscall(long number, ...);
RECORDS(syscall, probe_syscall);

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

/// Whether the process is Swift's backtracer. A thread that waits for it has crashed: the task's code waits for nothing.
static bool is_backtracer(pid_t process) {
    enum { LONGEST = 4096 };
    if (process <= 0) return false;
    char link[sizeof "/proc//exe" + 3 * sizeof process], program[LONGEST];
    // A signal handler makes the call: no allocation, and no formatting.
    char digits[3 * sizeof process], *end = digits + sizeof digits, *first = end;
    for (pid_t left = process; left > 0; left /= 10) *--first = (char)('0' + left % 10);
    char *at = stpcpy(link, "/proc/");
    at = mempcpy(at, first, (size_t)(end - first));
    strcpy(at, "/exe");
    int error = errno;
    ssize_t count = readlink(link, program, sizeof program - 1);
    errno = error;
    if (count <= 0) return false;
    program[count] = 0;
    const char *name = strrchr(program, '/');
    static const char backtracer[] = "/swift-backtrace";
    return name != NULL && strncmp(name, backtracer, sizeof backtracer - 1) == 0;
}

static pid_t probe_waitpid(pid_t process, int *status, int options) {
    bool is_unseen = (options & WNOHANG) != 0 || blocking_task() == 0 || is_backtracer(process);
    if (is_unseen) return NEXT(waitpid, waitpid_function)(process, status, options);
    return BLOCKING(waitpid, waitpid_function, process, status, options);
}
STANDS_BEFORE(waitpid, probe_waitpid);

#endif
