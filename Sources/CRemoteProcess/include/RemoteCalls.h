#ifndef HOPSCOPE_REMOTE_CALLS_H
#define HOPSCOPE_REMOTE_CALLS_H

#include "CRemoteProcess.h"

/// The purpose for which a system call uses its descriptor.
enum remote_call_kind {
    remote_call_other,
    remote_call_receives,
    remote_call_sends,
    remote_call_connects,
    remote_call_accepts,
    /// The call waits for any of several descriptors.
    remote_call_polls,
};

/// The system call in which a thread waits.
struct remote_call {
    enum remote_call_kind kind;
    /// -1 for a call that polls several descriptors.
    int descriptor;
};

/// Reads the call in which a thread waits in the kernel. False while the thread runs. A call that polls a single descriptor receives from it or
/// sends to it.
bool remote_blocked_call(struct remote_process *process, pid_t thread, struct remote_call *call);

/// Whether a system call waits for a signal and nothing else, as the first thread does for ever after `dispatch_main()`.
bool remote_call_awaits_signal(long number);

/// An address of the Internet. `family` is AF_INET or AF_INET6, and the bytes are in the network's order.
struct remote_address {
    int family;
    uint16_t port;
    uint8_t bytes[16];
};

/// The times in milliseconds since a TCP connection has last received and sent data.
struct remote_silence {
    uint32_t received, sent;
};

/// Asks the kernel about a TCP connection of this program's network namespace. False if it has no such connection, or does not tell.
bool remote_tcp_silence(
    const struct remote_address *local, const struct remote_address *peer, uint32_t inode, struct remote_silence *silence);

/// The inode of the other end of a Unix socket of this program's network namespace. 0 if it has none, or if the kernel does not tell.
uint32_t remote_unix_peer(uint32_t inode);

#endif
