// The control socket of a published region. These are the system calls that Swift code cannot write the same way on every system.

#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The identity of a socket's peer, as reported by the kernel.
typedef struct trace_peer {
    uint32_t user;
    uint32_t pid;
} trace_peer;

/// Binds a SOCK_SEQPACKET socket with mode 0600 under the given name in the directory, and replaces a leftover socket of that name.
/// Returns its descriptor, or -1 with errno set.
int trace_control_listen(int directory, const char *name);

/// Connects to a socket made by trace_control_listen. A send or receive that takes longer than `timeout_ms` fails with EAGAIN.
int trace_control_connect(int directory, const char *name, uint32_t timeout_ms);

/// Accepts the next connection. Returns its descriptor, or -1 with errno set: EAGAIN if no connection is pending.
int trace_control_accept(int listener);

bool trace_control_peer(int socket, trace_peer *peer);

/// Sends one whole message. Never raises SIGPIPE. A server passes false for `waits`, so that a client that does not read cannot block it.
bool trace_control_send(int socket, const void *bytes, size_t length, bool waits);

/// Receives one message. Returns its full length, which exceeds `room` if the message was cut; 0 at the end; -1 with errno set.
long trace_control_receive(int socket, void *bytes, size_t room);

/// Makes a descriptor that becomes readable when trace_control_ring is called with it.
int trace_control_bell(void);
void trace_control_ring(int bell);

#ifdef __cplusplus
}
#endif

#endif
