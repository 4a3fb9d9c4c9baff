// Waits for several files: the thread leaves the order until one of them is ready, or until the limit has come in the order's time.

#define _GNU_SOURCE
#include "explore_clocks.h"
#include "explore_functions.h"
#include "explore_time.h"
#include "explore_turns.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

EXPORTED int poll(struct pollfd *polled, nfds_t count, int limit);
EXPORTED int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit, const sigset_t *mask);
EXPORTED int epoll_pwait2(int file, struct epoll_event *events, int count, const struct timespec *limit, const sigset_t *mask);
EXPORTED int select(int count, fd_set *restrict input, fd_set *restrict output, fd_set *restrict other, struct timeval *restrict limit);
EXPORTED int pselect(
    int count, fd_set *restrict input, fd_set *restrict output, fd_set *restrict other, const struct timespec *restrict limit,
    const sigset_t *restrict mask);

static const int64_t NO_LIMIT = -1;

/// A call that waits for files. `look` makes it without a wait.
typedef struct wait_call {
    int (*look)(void *call);
    const struct pollfd *files;
    nfds_t count;
    const sigset_t *mask;
    /// The same files, if a wait leaves out those of which the kernel tells only what the call does not ask for. Else NULL.
    struct pollfd *asked;
} wait_call;

// MARK: - One wait

/// True for an event that makes a call return for one of `events`, as the kernel's `select` understands hang-ups and errors.
static bool is_asked_for(const struct pollfd *file) {
    short events = file->events;
    if (events & POLLIN) events |= POLLHUP | POLLERR;
    if (events & POLLOUT) events |= POLLERR;
    return file->revents == 0 || (file->revents & events) != 0;
}

/// Leaves the order until a file is ready: 1, until the limit: 0, or until a signal or an error: its number, negative.
static long await(const wait_call *call, int64_t until) {
    clock_file clock;
    bool has_limit = until != NO_LIMIT, has_clock = has_limit && explore.has_virtual_time && clocks_begin(&clock, until);
    struct pollfd *files = malloc((call->count + 1) * sizeof *files);
    files[0] = (struct pollfd){has_clock ? clock.file : -1, POLLIN, 0};
    memcpy(files + 1, call->files, call->count * sizeof *files);
    turns_leave(files, call->count + 1);
    int64_t left = has_limit && !has_clock && until > time_now() ? until - time_now() : 0;
    struct timespec limit = {left / 1000000000, left % 1000000000};
    const long bytes_of_mask = _NSIG / 8;
    long result = explore_kernel(
        SYS_ppoll, (long)files, (long)call->count + 1, has_limit && !has_clock ? (long)&limit : 0, (long)call->mask, bytes_of_mask, 0);
    bool is_late = result == 0 || (result == 1 && files[0].revents != 0);
    turns_return(is_late && has_clock);
    // A closed end without such an event would end every wait at once.
    for (nfds_t index = 0; call->asked != NULL && index < call->count; index++)
        if (!is_asked_for(&files[index + 1])) call->asked[index].fd = -1;
    free(files);
    if (has_clock) clocks_end(&clock);
    return result < 0 ? result : is_late ? 0 : 1;
}

/// The call in turn. A limit is relative, in nanoseconds.
static int wait_in_turn(wait_call *call, int64_t limit) {
    int64_t until = limit == NO_LIMIT ? NO_LIMIT : time_now() + limit;
    for (;;) {
        int result = call->look(call);
        if (result != 0) return result;
        long waited = await(call, until);
        if (waited < 0) {
            errno = (int)-waited;
            return -1;
        }
        if (waited == 0) return call->look(call);
        // Else another thread may have taken what was ready.
    }
}

/// A wait for no file is a sleep, unless it is one for signals. False for any other.
static bool sleeps(nfds_t count, int64_t nanoseconds, const sigset_t *mask) {
    static const char nothing;
    if (count != 0 || nanoseconds <= 0 || mask != NULL) return false;
    turns_block(&nothing, time_now() + nanoseconds);
    return true;
}

static bool waits(int limit) {
    return limit != 0 && has_turn();
}

/// False for a limit that the kernel refuses.
static bool waits_for_time(const struct timespec *limit) {
    if (limit == NULL) return has_turn();
    bool is_valid = limit->tv_sec >= 0 && limit->tv_nsec >= 0 && limit->tv_nsec < 1000000000;
    return is_valid && (limit->tv_sec != 0 || limit->tv_nsec != 0) && has_turn();
}

static int64_t of_milliseconds(int limit) {
    return limit < 0 ? NO_LIMIT : limit * 1000000ll;
}

static int64_t of_time(const struct timespec *limit) {
    return limit == NULL ? NO_LIMIT : time_nanoseconds(limit);
}

// MARK: - Polls

typedef struct poll_call {
    wait_call call;
    struct pollfd *files;
} poll_call;

static int look_at_files(void *argument) {
    poll_call *call = argument;
    return NEXT(poll)(call->files, call->call.count, 0);
}

static int poll_in_turn(struct pollfd *files, nfds_t count, int64_t limit, const sigset_t *mask) {
    if (sleeps(count, limit, mask)) return 0;
    poll_call call = {{look_at_files, files, count, mask, NULL}, files};
    return wait_in_turn(&call.call, limit);
}

int poll(struct pollfd *polled, nfds_t count, int limit) {
    return waits(limit) ? poll_in_turn(polled, count, of_milliseconds(limit), NULL) : NEXT(poll)(polled, count, limit);
}

int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    return waits_for_time(limit) ? poll_in_turn(polled, count, of_time(limit), mask) : NEXT(ppoll)(polled, count, limit, mask);
}

// MARK: - Queues of events

typedef struct queue_call {
    wait_call call;
    int file, count;
    struct epoll_event *events;
} queue_call;

static int look_at_queue(void *argument) {
    queue_call *call = argument;
    return RECORDED(epoll_wait)(call->file, call->events, call->count, 0);
}

static int await_queue(int file, struct epoll_event *events, int count, int64_t limit, const sigset_t *mask) {
    struct pollfd polled = {file, POLLIN, 0};
    queue_call call = {{look_at_queue, &polled, 1, mask, NULL}, file, count, events};
    return wait_in_turn(&call.call, limit);
}

int ordered_epoll_wait(int file, struct epoll_event *events, int count, int limit) {
    return waits(limit) ? await_queue(file, events, count, of_milliseconds(limit), NULL) : RECORDED(epoll_wait)(file, events, count, limit);
}

int ordered_epoll_pwait(int file, struct epoll_event *events, int count, int limit, const sigset_t *mask) {
    if (!waits(limit)) return RECORDED(epoll_pwait)(file, events, count, limit, mask);
    return await_queue(file, events, count, of_milliseconds(limit), mask);
}

int epoll_pwait2(int file, struct epoll_event *events, int count, const struct timespec *limit, const sigset_t *mask) {
    if (!waits_for_time(limit)) return NEXT(epoll_pwait2)(file, events, count, limit, mask);
    return await_queue(file, events, count, of_time(limit), mask);
}

// MARK: - Sets of files

typedef struct set_call {
    wait_call call;
    int count;
    fd_set *sets[3];
    fd_set asked[3];
} set_call;

static int look_at_sets(void *argument) {
    set_call *call = argument;
    struct timeval none = {0, 0};
    for (int index = 0; index < 3; index++)
        if (call->sets[index] != NULL) *call->sets[index] = call->asked[index];
    return NEXT(select)(call->count, call->sets[0], call->sets[1], call->sets[2], &none);
}

static int select_in_turn(int count, fd_set *input, fd_set *output, fd_set *other, int64_t limit, const sigset_t *mask) {
    static const short events[] = {POLLIN, POLLOUT, POLLPRI};
    struct pollfd files[FD_SETSIZE];
    set_call call = {.count = count, .sets = {input, output, other}};
    nfds_t used = 0;
    for (int index = 0; index < 3; index++)
        if (call.sets[index] != NULL) call.asked[index] = *call.sets[index];
    for (int file = 0; file < count; file++) {
        struct pollfd polled = {file, 0, 0};
        for (int index = 0; index < 3; index++)
            if (call.sets[index] != NULL && FD_ISSET(file, &call.asked[index])) polled.events |= events[index];
        if (polled.events != 0) files[used++] = polled;
    }
    call.call = (wait_call){look_at_sets, files, used, mask, files};
    if (sleeps(used, limit, mask)) return look_at_sets(&call);
    return wait_in_turn(&call.call, limit);
}

int select(int count, fd_set *restrict input, fd_set *restrict output, fd_set *restrict other, struct timeval *restrict limit) {
    struct timespec time = {limit != NULL ? limit->tv_sec : 0, limit != NULL ? limit->tv_usec * 1000 : 0};
    if (count > FD_SETSIZE || !waits_for_time(limit != NULL ? &time : NULL)) return NEXT(select)(count, input, output, other, limit);
    int64_t asked = of_time(limit != NULL ? &time : NULL), until = time_now() + asked;
    int result = select_in_turn(count, input, output, other, asked, NULL);
    int64_t left = until > time_now() ? until - time_now() : 0;
    // The C library of Linux writes what is left of the time.
    if (limit != NULL) *limit = (struct timeval){left / 1000000000, left % 1000000000 / 1000};
    return result;
}

int pselect(
    int count, fd_set *restrict input, fd_set *restrict output, fd_set *restrict other, const struct timespec *restrict limit,
    const sigset_t *restrict mask
) {
    if (count > FD_SETSIZE || !waits_for_time(limit)) return NEXT(pselect)(count, input, output, other, limit, mask);
    return select_in_turn(count, input, output, other, of_time(limit), mask);
}
