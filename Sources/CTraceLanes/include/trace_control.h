// The socket beside a published region: what of it Swift cannot spell alike on every system.

#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The peer of a socket, as the kernel knows it.
typedef struct trace_peer {
    uint32_t user;
    uint32_t pid;
} trace_peer;

/// Binds a socket of whole messages, mode 0600, under that name in that directory, in the place of one that is left over there.
/// Returns its descriptor, or -1 with errno set.
int trace_control_listen(int directory, const char *name);

/// Connects to it. A message that is not answered within `timeout_ms` fails with EAGAIN.
int trace_control_connect(int directory, const char *name, uint32_t timeout_ms);

/// The next connection, or -1 with errno set; EAGAIN if none waits.
int trace_control_accept(int listener);

bool trace_control_peer(int socket, trace_peer *peer);

/// Sends one message whole. Never raises SIGPIPE; a server passes false for `waits` and does not wait for a client that does not read.
bool trace_control_send(int socket, const void *bytes, size_t length, bool waits);

/// Takes one message. Returns its length, which is greater than `room` if it was cut; 0 at the end; -1 with errno set.
long trace_control_receive(int socket, void *bytes, size_t room);

/// A descriptor that becomes readable once it is rung.
int trace_control_bell(void);
void trace_control_ring(int bell);

#ifdef __cplusplus
}
#endif

#endif
