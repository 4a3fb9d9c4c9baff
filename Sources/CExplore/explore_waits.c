// Waits of the C library: each tries, and else gives the turn away until another thread wakes it.

#define _GNU_SOURCE
#include "explore_time.h"
#include "explore_turns.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

EXPORTED int pthread_mutex_lock(pthread_mutex_t *mutex);
EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex);
EXPORTED int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex);
EXPORTED int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict limit);
EXPORTED int pthread_cond_signal(pthread_cond_t *condition);
EXPORTED int pthread_cond_broadcast(pthread_cond_t *condition);
EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t *lock);
EXPORTED int sem_wait(sem_t *semaphore);
EXPORTED int sem_post(sem_t *semaphore);
EXPORTED int nanosleep(const struct timespec *asked, struct timespec *left);
EXPORTED int usleep(useconds_t microseconds);
EXPORTED unsigned sleep(unsigned seconds);
EXPORTED long syscall(long number, ...);

// MARK: - Locks and conditions

/// The end of `NSLock.lock()` and of its likes, whose calls count as the program's.
static bool is_lock_of_foundation(uintptr_t caller) {
    static const char *const names[] = {
        "$s10Foundation6NSLockC4lockyyF", "$s10Foundation15NSRecursiveLockC4lockyyF", "$s10Foundation11NSConditionC4lockyyF",
    };
    static uintptr_t starts[3];
    static bool is_known;
    for (int index = 0; !is_known && index < 3; index++) starts[index] = (uintptr_t)dlsym(RTLD_DEFAULT, names[index]);
    is_known = true;
    for (int index = 0; index < 3; index++)
        if (starts[index] != 0 && caller > starts[index] && caller < starts[index] + 128) return true;
    return false;
}

static int lock_in_turn(pthread_mutex_t *mutex) {
    int result;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY) turns_block(mutex, INT64_MAX);
    return result;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!has_turn() || is_in(explore.dispatch, CALLER)) return NEXT(pthread_mutex_lock)(mutex);
    if (is_lock_of_foundation(CALLER)) turns_offer(EXPLORE_AT_LOCK, CALLER);
    else if (is_in(explore.program, CALLER)) turns_offer_own(EXPLORE_AT_LOCK, CALLER);
    return lock_in_turn(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = NEXT(pthread_mutex_unlock)(mutex);
    if (mutex != &explore.lock) turns_unblock(mutex, false);
    return result;
}

static int wait_in_turn(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t limit) {
    NEXT(pthread_mutex_unlock)(mutex);
    turns_unblock(mutex, false);
    bool is_late = turns_block(condition, limit);
    lock_in_turn(mutex);
    return is_late ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex) {
    return has_turn() ? wait_in_turn(condition, mutex, INT64_MAX) : NEXT(pthread_cond_wait)(condition, mutex);
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict limit
) {
    if (!has_turn()) return NEXT(pthread_cond_timedwait)(condition, mutex, limit);
    return wait_in_turn(condition, mutex, time_of_wall(limit->tv_sec * 1000000000ll + limit->tv_nsec));
}

int pthread_cond_signal(pthread_cond_t *condition) {
    int result = NEXT(pthread_cond_signal)(condition);
    turns_unblock(condition, false);
    return result;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    int result = NEXT(pthread_cond_broadcast)(condition);
    turns_unblock(condition, true);
    return result;
}

static int take_in_turn(pthread_rwlock_t *lock, int (*try_to)(pthread_rwlock_t *)) {
    int result;
    while ((result = try_to(lock)) == EBUSY) turns_block(lock, INT64_MAX);
    return result;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    if (!has_turn() || is_in(explore.dispatch, CALLER)) return NEXT(pthread_rwlock_rdlock)(lock);
    turns_offer_own(EXPLORE_AT_LOCK, CALLER);
    return take_in_turn(lock, pthread_rwlock_tryrdlock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    if (!has_turn() || is_in(explore.dispatch, CALLER)) return NEXT(pthread_rwlock_wrlock)(lock);
    turns_offer_own(EXPLORE_AT_LOCK, CALLER);
    return take_in_turn(lock, pthread_rwlock_trywrlock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    int result = NEXT(pthread_rwlock_unlock)(lock);
    turns_unblock(lock, true);
    return result;
}

int sem_wait(sem_t *semaphore) {
    if (!has_turn()) return NEXT(sem_wait)(semaphore);
    turns_offer_own(EXPLORE_AT_WAIT, CALLER);
    int result;
    while ((result = sem_trywait(semaphore)) != 0 && errno == EAGAIN) turns_block(semaphore, INT64_MAX);
    return result;
}

int sem_post(sem_t *semaphore) {
    int result = NEXT(sem_post)(semaphore);
    turns_unblock(semaphore, false);
    turns_offer_own(EXPLORE_AT_WAIT, CALLER);
    return result;
}

// MARK: - Sleep

static int sleep_in_turn(int64_t nanoseconds) {
    static const char nothing;
    turns_block(&nothing, time_now() + nanoseconds);
    return 0;
}

int nanosleep(const struct timespec *asked, struct timespec *left) {
    return has_turn() ? sleep_in_turn(asked->tv_sec * 1000000000ll + asked->tv_nsec) : NEXT(nanosleep)(asked, left);
}

int usleep(useconds_t microseconds) {
    return has_turn() ? sleep_in_turn(microseconds * 1000ll) : NEXT(usleep)(microseconds);
}

unsigned sleep(unsigned seconds) {
    return has_turn() ? (unsigned)sleep_in_turn(seconds * 1000000000ll) : NEXT(sleep)(seconds);
}

// MARK: - System calls

static long with_errno(long result) {
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}

/// Synchronization's Mutex. With its bit for waiting threads set, the owner's unlock is a system call, which is seen here.
static long lock_futex(uint32_t *word, long operation) {
    for (;;) {
        long result = explore_kernel(SYS_futex, (long)word, FUTEX_TRYLOCK_PI | (operation & ~127), 0, 0, 0, 0);
        if (result != -EAGAIN) return result;
        uint32_t owner = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (owner == 0 || !__atomic_compare_exchange_n(word, &owner, owner | FUTEX_WAITERS, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        turns_block(word, INT64_MAX);
    }
}

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long), e = va_arg(list, long),
         f = va_arg(list, long);
    va_end(list);
    if (explore.is_on && number == SYS_getrandom) return time_fill((void *)a, (size_t)b);
    if (number == SYS_futex && has_turn() && (b & 127) == FUTEX_LOCK_PI) return with_errno(lock_futex((uint32_t *)a, b));
    long result = explore_kernel(number, a, b, c, d, e, f);
    if (explore.is_on && number == SYS_futex && (b & 127) == FUTEX_UNLOCK_PI) turns_unblock((void *)a, true);
    return with_errno(result);
}
