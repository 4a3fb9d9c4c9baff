// Input and output: a thread that would wait for a file gives its turn away until the file is ready.

#define _GNU_SOURCE
#include "explore_time.h"
#include "explore_turns.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORTED int poll(struct pollfd *polled, nfds_t count, int limit);
EXPORTED int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit, const sigset_t *mask);
EXPORTED int epoll_wait(int file, struct epoll_event *events, int count, int limit);
EXPORTED ssize_t read(int file, void *bytes, size_t count);
EXPORTED ssize_t write(int file, const void *bytes, size_t count);
EXPORTED ssize_t recv(int file, void *bytes, size_t count, int flags);
EXPORTED ssize_t send(int file, const void *bytes, size_t count, int flags);
EXPORTED int accept4(int file, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
EXPORTED int accept(int file, struct sockaddr *restrict address, socklen_t *restrict length);

// MARK: - Waiting for several files

/// A wait for no file is a sleep. False for any other.
static bool sleeps(nfds_t count, int64_t nanoseconds) {
    static const char nothing;
    if (count != 0 || nanoseconds <= 0 || !has_turn()) return false;
    turns_block(&nothing, time_now() + nanoseconds);
    return true;
}

static bool begin_poll(const struct pollfd *polled, nfds_t count, bool waits) {
    if (!waits || !has_turn()) return false;
    turns_leave(polled, count);
    return true;
}

static void end_poll(bool has_begun) {
    int error = errno;
    if (has_begun) turns_return();
    errno = error;
}

int poll(struct pollfd *polled, nfds_t count, int limit) {
    if (sleeps(count, limit * 1000000ll)) return 0;
    bool has_begun = begin_poll(polled, count, limit != 0);
    int result = NEXT(poll)(polled, count, limit);
    end_poll(has_begun);
    return result;
}

int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
    if (limit != NULL && sleeps(count, limit->tv_sec * 1000000000ll + limit->tv_nsec)) return 0;
    bool has_begun = begin_poll(polled, count, limit == NULL || limit->tv_sec != 0 || limit->tv_nsec != 0);
    int result = NEXT(ppoll)(polled, count, limit, mask);
    end_poll(has_begun);
    return result;
}

int epoll_wait(int file, struct epoll_event *events, int count, int limit) {
    struct pollfd polled = {file, POLLIN, 0};
    bool has_begun = begin_poll(&polled, 1, limit != 0);
    int result = NEXT(epoll_wait)(file, events, count, limit);
    end_poll(has_begun);
    return result;
}

// MARK: - Waiting for one file

/// Gives the turn away until the file is ready. A call that does not wait goes on at once, and so does one that has an error to tell.
static void await(int file, short events) {
    int error = errno;
    int flags = (int)explore_kernel(SYS_fcntl, file, F_GETFL, 0, 0, 0, 0);
    struct pollfd polled = {file, events, 0};
    if (flags >= 0 && (flags & O_NONBLOCK) == 0)
        while (explore_kernel(SYS_poll, (long)&polled, 1, 0, 0, 0, 0) == 0) turns_await_file(file, events);
    errno = error;
}

static void begin(int file, short events, uintptr_t caller) {
    if (!has_turn()) return;
    turns_offer_own(EXPLORE_AT_INPUT, caller);
    await(file, events);
}

ssize_t read(int file, void *bytes, size_t count) {
    begin(file, POLLIN, CALLER);
    return NEXT(read)(file, bytes, count);
}

ssize_t write(int file, const void *bytes, size_t count) {
    begin(file, POLLOUT, CALLER);
    return NEXT(write)(file, bytes, count);
}

ssize_t recv(int file, void *bytes, size_t count, int flags) {
    if ((flags & MSG_DONTWAIT) == 0) begin(file, POLLIN, CALLER);
    return NEXT(recv)(file, bytes, count, flags);
}

ssize_t send(int file, const void *bytes, size_t count, int flags) {
    if ((flags & MSG_DONTWAIT) == 0) begin(file, POLLOUT, CALLER);
    return NEXT(send)(file, bytes, count, flags);
}

int accept(int file, struct sockaddr *restrict address, socklen_t *restrict length) {
    begin(file, POLLIN, CALLER);
    return NEXT(accept)(file, address, length);
}

int accept4(int file, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
    begin(file, POLLIN, CALLER);
    return NEXT(accept4)(file, address, length, flags);
}
