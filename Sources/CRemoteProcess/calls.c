#define _GNU_SOURCE
#include "internal.h"

#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum remote_call_kind kind_of(long number) {
    switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg: return remote_call_receives;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg: return remote_call_sends;
    case SYS_connect: return remote_call_connects;
    case SYS_accept:
    case SYS_accept4: return remote_call_accepts;
#ifdef SYS_poll
    case SYS_poll:
#endif
    case SYS_ppoll: return remote_call_polls;
    default: return remote_call_other;
    }
}

bool remote_call_awaits_signal(long number) {
    return number == SYS_rt_sigsuspend;
}

/// Makes the call one on the descriptor that it polls, if there is only one.
static void resolve_poll(struct remote_process *process, uint64_t list, uint64_t count, struct remote_call *call) {
    struct pollfd polled;
    if (count != 1 || !remote_read(process, list, &polled, sizeof polled) || polled.fd < 0) return;
    int events = polled.events & (POLLIN | POLLPRI | POLLOUT);
    if (events != POLLOUT && events & POLLOUT) return;
    call->kind = events == POLLOUT ? remote_call_sends : remote_call_receives;
    call->descriptor = polled.fd;
}

bool remote_blocked_call(struct remote_process *process, pid_t thread, struct remote_call *call) {
    struct call_line line;
    if (!remote_read_call_line(process, thread, &line)) return false;
    long number = -1;
    unsigned long long first = 0, second = 0;
    if (sscanf(line.text, "%ld %llx %llx", &number, &first, &second) != 3 || number < 0) return false;
    call->kind = kind_of(number);
    call->descriptor = -1;
    if (call->kind == remote_call_polls) {
        resolve_poll(process, first, second, call);
    } else if (call->kind != remote_call_other) {
        call->descriptor = (int)first;
    }
    return true;
}
