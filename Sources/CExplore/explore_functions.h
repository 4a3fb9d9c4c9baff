// The functions of other libraries that both an order and a recording need: one table of them.
//
// The program's call of such a function reaches the one that this library exports. It asks whether an order is chosen: then it is
// `ordered_` of the name, in one of this folder's files, and else `recorded_` of the name, by which the probe stands before the function.
// An ordered function passes on what is not its own to the recorded one, so that a recording has both kinds of calls.

#ifndef EXPLORE_FUNCTIONS_H
#define EXPLORE_FUNCTIONS_H

#include "swift_abi.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

/// Each row has the function's name, its convention and result, its parameters, and its arguments.
#define SHARED_FUNCTIONS(ROW) SHARED_RUNTIME(ROW) SHARED_BLOCKS(ROW) SHARED_HANDLERS(ROW) SHARED_WAITS(ROW) SHARED_LOCKS(ROW)

#define SHARED_RUNTIME(ROW)                                                                                                             \
    ROW(swift_task_enterThreadLocalContext, void, (char *state), (state))                                                               \
    ROW(swift_task_create, SWIFT_CC swift_task_and_context,                                                                             \
        (uintptr_t flags, swift_option *options, const void *type, const int32_t *function, void *context),                             \
        (flags, options, type, function, context))                                                                                      \
    ROW(swift_asyncLet_begin, SWIFT_CC void,                                                                                            \
        (void *async_let, swift_option *options, const void *type, const int32_t *function, void *context, void *result),               \
        (async_let, options, type, function, context, result))                                                                          \
    ROW(swift_task_switch, SWIFT_ASYNC_CC void,                                                                                         \
        (SWIFT_ASYNC_CONTEXT swift_async_context *context, void *resume, void *identity, uintptr_t implementation),                     \
        (context, resume, identity, implementation))

#define SHARED_BLOCKS(ROW)                                                                                                              \
    ROW(dispatch_async, void, (void *queue, void *block), (queue, block))                                                               \
    ROW(dispatch_async_f, void, (void *queue, void *context, void (*function)(void *)), (queue, context, function))                     \
    ROW(dispatch_barrier_async, void, (void *queue, void *block), (queue, block))                                                       \
    ROW(dispatch_sync, void, (void *queue, void *block), (queue, block))                                                                \
    ROW(dispatch_barrier_sync, void, (void *queue, void *block), (queue, block))                                                        \
    ROW(dispatch_after, void, (uint64_t when, void *queue, void *block), (when, queue, block))                                          \
    ROW(dispatch_after_f, void, (uint64_t when, void *queue, void *context, void (*function)(void *)),                                  \
        (when, queue, context, function))                                                                                               \
    ROW(dispatch_group_async, void, (void *group, void *queue, void *block), (group, queue, block))                                     \
    ROW(dispatch_group_notify, void, (void *group, void *queue, void *block), (group, queue, block))                                    \
    ROW(dispatch_apply, void, (size_t count, void *queue, void *block), (count, queue, block))

#define SHARED_HANDLERS(ROW)                                                                                                            \
    ROW(dispatch_block_create, void *, (uintptr_t flags, void *block), (flags, block))                                                  \
    ROW(dispatch_block_create_with_qos_class, void *, (uintptr_t flags, unsigned quality, int relative, void *block),                   \
        (flags, quality, relative, block))                                                                                              \
    ROW(dispatch_source_set_event_handler, void, (void *source, void *handler), (source, handler))                                      \
    ROW(dispatch_source_set_cancel_handler, void, (void *source, void *handler), (source, handler))                                     \
    ROW(dispatch_source_set_registration_handler, void, (void *source, void *handler), (source, handler))

#define SHARED_WAITS(ROW)                                                                                                               \
    ROW(dispatch_semaphore_wait, intptr_t, (void *semaphore, uint64_t limit), (semaphore, limit))                                       \
    ROW(dispatch_group_wait, intptr_t, (void *group, uint64_t limit), (group, limit))                                                   \
    ROW(dispatch_block_wait, intptr_t, (void *block, uint64_t limit), (block, limit))                                                   \
    ROW(epoll_wait, int, (int file, struct epoll_event *events, int count, int limit), (file, events, count, limit))                    \
    ROW(epoll_pwait, int, (int file, struct epoll_event *events, int count, int limit, const sigset_t *mask),                           \
        (file, events, count, limit, mask))                                                                                             \
    ROW(nanosleep, int, (const struct timespec *asked, struct timespec *left), (asked, left))                                           \
    ROW(clock_nanosleep, int, (clockid_t clock, int flags, const struct timespec *asked, struct timespec *left),                        \
        (clock, flags, asked, left))                                                                                                    \
    ROW(usleep, int, (useconds_t microseconds), (microseconds))                                                                         \
    ROW(sleep, unsigned, (unsigned seconds), (seconds))                                                                                 \
    ROW(pthread_join, int, (pthread_t thread, void **result), (thread, result))

#define SHARED_LOCKS(ROW)                                                                                                               \
    ROW(pthread_mutex_lock, int, (pthread_mutex_t *mutex), (mutex))                                                                     \
    ROW(pthread_rwlock_rdlock, int, (pthread_rwlock_t *lock), (lock))                                                                   \
    ROW(pthread_rwlock_wrlock, int, (pthread_rwlock_t *lock), (lock))                                                                   \
    ROW(sem_wait, int, (sem_t *semaphore), (semaphore))                                                                                 \
    ROW(pthread_cond_wait, int, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex), (condition, mutex))              \
    ROW(pthread_cond_timedwait, int,                                                                                                    \
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict limit),                   \
        (condition, mutex, limit))                                                                                                      \
    ROW(pthread_cond_clockwait, int,                                                                                                    \
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict limit),  \
        (condition, mutex, clock, limit))

#define SHARED_DECLARATION(name, result, parameters, arguments) \
    result ordered_##name parameters;                           \
    result recorded_##name parameters;
SHARED_FUNCTIONS(SHARED_DECLARATION)

// It has any number of arguments, so it is no row. See `explore_exports.c`.
long ordered_syscall(long number, ...);
long recorded_syscall(long number, ...);

/// The probe's function, which the ordered one passes its call on to.
#define RECORDED(name) recorded_##name

#pragma GCC visibility pop

#endif
