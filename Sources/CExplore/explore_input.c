// Input and output: a thread that would wait for a file gives its turn away until the file is ready.

#define _GNU_SOURCE
#include "explore_turns.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORTED ssize_t read(int file, void *bytes, size_t count);
EXPORTED ssize_t write(int file, const void *bytes, size_t count);
EXPORTED ssize_t recv(int file, void *bytes, size_t count, int flags);
EXPORTED ssize_t send(int file, const void *bytes, size_t count, int flags);
EXPORTED int accept4(int file, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
EXPORTED int accept(int file, struct sockaddr *restrict address, socklen_t *restrict length);

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
