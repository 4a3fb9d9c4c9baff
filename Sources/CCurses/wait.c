/// Waiting for input and for signals.
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>

// A terminal that is readable but has nothing to read was closed from its other side.
static bool is_at_end(int terminal) {
    int count = 0;
    return ioctl(terminal, FIONREAD, &count) != 0 || count == 0;
}

curses_wake curses_input_wait(int milliseconds) {
    struct pollfd sources[] = {
        {.fd = curses_signals_arrivals(), .events = POLLIN},
        {.fd = curses_screen_input(), .events = POLLIN},
    };
    int count = poll(sources, 2, milliseconds);
    // After EINTR, a handler of signals.c has already written to the pipe.
    if (count < 0 && errno == EINTR) count = poll(sources, 2, 0);
    if (count <= 0) return CURSES_WAKE_TIMEOUT;
    if (sources[0].revents & POLLIN) return CURSES_WAKE_SIGNAL;
    if (sources[1].revents & POLLIN) return is_at_end(sources[1].fd) ? CURSES_WAKE_HANGUP : CURSES_WAKE_INPUT;
    return sources[1].revents & (POLLHUP | POLLERR | POLLNVAL) ? CURSES_WAKE_HANGUP : CURSES_WAKE_TIMEOUT;
}
