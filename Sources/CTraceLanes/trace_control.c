// System calls for the control socket.

#define _GNU_SOURCE
#include "trace_control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/// Builds a socket address from a path through the directory's descriptor. The path is short and always leads to the checked directory.
static bool address_of(int directory, const char *name, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", directory, name);
    if (length > 0 && (size_t)length < sizeof address->sun_path) return true;
    errno = ENAMETOOLONG;
    return false;
}

static int close_with(int descriptor) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int trace_control_listen(int directory, const char *name) {
    struct sockaddr_un address;
    if (!address_of(directory, name, &address)) return -1;
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    unlinkat(directory, name, 0);
    // Set the mode before binding: the file never has more permissions than the socket, so other users cannot connect at any moment.
    if (fchmod(listener, 0600) != 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return close_with(listener);
    return listen(listener, 8) == 0 ? listener : close_with(listener);
}

int trace_control_connect(int directory, const char *name, uint32_t timeout_ms) {
    struct sockaddr_un address;
    if (!address_of(directory, name, &address)) return -1;
    int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0) return -1;
    struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = (timeout_ms % 1000) * 1000};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0) return connection;
    return close_with(connection);
}

int trace_control_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

bool trace_control_peer(int socket, trace_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return false;
    *peer = (trace_peer){.user = credentials.uid, .pid = (uint32_t)credentials.pid};
    return true;
}

bool trace_control_send(int socket, const void *bytes, size_t length, bool waits) {
    ssize_t sent;
    do sent = send(socket, bytes, length, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

long trace_control_receive(int socket, void *bytes, size_t room) {
    ssize_t length;
    do length = recv(socket, bytes, room, MSG_TRUNC);
    while (length < 0 && errno == EINTR);
    return length;
}

int trace_control_bell(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void trace_control_ring(int bell) {
    uint64_t one = 1;
    while (write(bell, &one, sizeof one) < 0 && errno == EINTR) {}
}
