// Waits of the C library: each tries, and else gives the turn away until another thread wakes it.

#define _GNU_SOURCE
#include "explore_functions.h"
#include "explore_time.h"
#include "explore_turns.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>

EXPORTED int pthread_mutex_unlock(pthread_mutex_t *mutex);
EXPORTED int pthread_cond_signal(pthread_cond_t *condition);
EXPORTED int pthread_cond_broadcast(pthread_cond_t *condition);
EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t *lock);
EXPORTED int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict limit);
EXPORTED int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict limit);
EXPORTED int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict limit);
EXPORTED int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict limit);
EXPORTED int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit);
EXPORTED int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit);
EXPORTED int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict limit);
EXPORTED int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict limit);
EXPORTED int sem_post(sem_t *semaphore);

/// The time of a limit on the timers' clock. -1 for a limit that the C library refuses.
static int64_t time_of_limit(clockid_t clock, const struct timespec *limit) {
    bool is_time = limit->tv_nsec >= 0 && limit->tv_nsec < 1000000000 && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC);
    if (!is_time) return -1;
    int64_t when = time_of_clock(clock, limit);
    return when < 0 ? 0 : when;
}

// MARK: - Locks

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

static int lock_in_turn(pthread_mutex_t *mutex, int64_t limit) {
    int result;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY)
        if (turns_wait(mutex, limit, 0)) return ETIMEDOUT;
    return result;
}

/// True if the call takes part in the order. It may change here.
static bool begins_lock(uintptr_t caller) {
    if (!has_turn() || is_in(explore.dispatch, caller)) return false;
    if (is_lock_of_foundation(caller)) turns_offer(EXPLORE_AT_LOCK, caller);
    else turns_offer_own(EXPLORE_AT_LOCK, caller);
    return true;
}

int ordered_pthread_mutex_lock(pthread_mutex_t *mutex) {
    return begins_lock(CALLER) ? lock_in_turn(mutex, INT64_MAX) : RECORDED(pthread_mutex_lock)(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(CLOCK_REALTIME, limit);
    return when >= 0 && begins_lock(CALLER) ? lock_in_turn(mutex, when) : NEXT(pthread_mutex_timedlock)(mutex, limit);
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(clock, limit);
    return when >= 0 && begins_lock(CALLER) ? lock_in_turn(mutex, when) : NEXT(pthread_mutex_clocklock)(mutex, clock, limit);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = NEXT(pthread_mutex_unlock)(mutex);
    if (!is_recorders(CALLER)) turns_unblock(mutex, false);
    return result;
}

static int take_in_turn(pthread_rwlock_t *lock, int64_t limit, int (*try_to)(pthread_rwlock_t *)) {
    int result;
    while ((result = try_to(lock)) == EBUSY)
        if (turns_wait(lock, limit, 0)) return ETIMEDOUT;
    return result;
}

int ordered_pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    return begins_lock(CALLER) ? take_in_turn(lock, INT64_MAX, pthread_rwlock_tryrdlock) : RECORDED(pthread_rwlock_rdlock)(lock);
}

int ordered_pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    return begins_lock(CALLER) ? take_in_turn(lock, INT64_MAX, pthread_rwlock_trywrlock) : RECORDED(pthread_rwlock_wrlock)(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(CLOCK_REALTIME, limit);
    if (when < 0 || !begins_lock(CALLER)) return NEXT(pthread_rwlock_timedrdlock)(lock, limit);
    return take_in_turn(lock, when, pthread_rwlock_tryrdlock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(CLOCK_REALTIME, limit);
    if (when < 0 || !begins_lock(CALLER)) return NEXT(pthread_rwlock_timedwrlock)(lock, limit);
    return take_in_turn(lock, when, pthread_rwlock_trywrlock);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(clock, limit);
    if (when < 0 || !begins_lock(CALLER)) return NEXT(pthread_rwlock_clockrdlock)(lock, clock, limit);
    return take_in_turn(lock, when, pthread_rwlock_tryrdlock);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(clock, limit);
    if (when < 0 || !begins_lock(CALLER)) return NEXT(pthread_rwlock_clockwrlock)(lock, clock, limit);
    return take_in_turn(lock, when, pthread_rwlock_trywrlock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    int result = NEXT(pthread_rwlock_unlock)(lock);
    turns_unblock(lock, true);
    return result;
}

// MARK: - Conditions

enum { CONDITION_WORDS = sizeof(pthread_cond_t) / sizeof(uint32_t) };

typedef union condition_words {
    pthread_cond_t condition;
    uint32_t words[CONDITION_WORDS];
} condition_words;

void conditions_begin(void) {
    condition_words wall = {0}, monotonic = {0};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_cond_init(&wall.condition, &attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic.condition, &attributes);
    int word = 0;
    while (word < CONDITION_WORDS - 1 && wall.words[word] == monotonic.words[word]) word++;
    explore.clock_bits = monotonic.words[word] & ~wall.words[word];
    explore.clock_word = word;
}

/// The clock of a condition's limits.
static clockid_t clock_of(const pthread_cond_t *condition) {
    return (((const condition_words *)condition)->words[explore.clock_word] & explore.clock_bits) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

static int wait_in_turn(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t limit) {
    NEXT(pthread_mutex_unlock)(mutex);
    turns_unblock(mutex, false);
    bool is_late = turns_wait(condition, limit, 0);
    lock_in_turn(mutex, INT64_MAX);
    return is_late ? ETIMEDOUT : 0;
}

int ordered_pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex) {
    return has_turn() ? wait_in_turn(condition, mutex, INT64_MAX) : RECORDED(pthread_cond_wait)(condition, mutex);
}

int ordered_pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict limit
) {
    int64_t when = explore.is_on ? time_of_limit(clock_of(condition), limit) : -1;
    return when >= 0 && has_turn() ? wait_in_turn(condition, mutex, when) : RECORDED(pthread_cond_timedwait)(condition, mutex, limit);
}

int ordered_pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict limit
) {
    int64_t when = time_of_limit(clock, limit);
    return when >= 0 && has_turn() ? wait_in_turn(condition, mutex, when) : RECORDED(pthread_cond_clockwait)(condition, mutex, clock, limit);
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

// MARK: - Semaphores

static int take_semaphore(sem_t *semaphore, int64_t limit, uintptr_t caller) {
    turns_offer_own(EXPLORE_AT_WAIT, caller);
    int result;
    while ((result = sem_trywait(semaphore)) != 0 && errno == EAGAIN) {
        if (!turns_wait(semaphore, limit, 0)) continue;
        errno = ETIMEDOUT;
        break;
    }
    return result;
}

int ordered_sem_wait(sem_t *semaphore) {
    return has_turn() ? take_semaphore(semaphore, INT64_MAX, CALLER) : RECORDED(sem_wait)(semaphore);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(CLOCK_REALTIME, limit);
    return when >= 0 && has_turn() ? take_semaphore(semaphore, when, CALLER) : NEXT(sem_timedwait)(semaphore, limit);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict limit) {
    int64_t when = time_of_limit(clock, limit);
    return when >= 0 && has_turn() ? take_semaphore(semaphore, when, CALLER) : NEXT(sem_clockwait)(semaphore, clock, limit);
}

int sem_post(sem_t *semaphore) {
    int result = NEXT(sem_post)(semaphore);
    turns_unblock(semaphore, false);
    turns_offer_own(EXPLORE_AT_WAIT, CALLER);
    return result;
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
        turns_wait(word, INT64_MAX, 0);
    }
}

long ordered_syscall(long number, ...) {
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
