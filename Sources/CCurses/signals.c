/// Signals: those that can wait go through a pipe to the reading thread; deadly ones restore the terminal and go on to whoever had them before.
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { FIRST_DEADLY = 6 };

static const int signals[] = {
    SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH,
    SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT,
};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static struct sigaction before[SIGNAL_COUNT];
static bool is_ours[SIGNAL_COUNT];

// Made once and never closed: a handler may still be running in another thread when the terminal is closed.
static int arrivals[2] = {-1, -1};

static void note(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(arrivals[1], &byte, 1);
    (void)written;  // A full pipe has enough news in it.
    errno = saved;
}

// Back in the faulting instruction, the fault happens again and finds the handler that was there before ours: the Swift runtime's backtrace, or none.
// A breakpoint does not repeat, and neither does what was sent: that is sent again and arrives when this handler returns. It then ends the process by
// default, as the runtime's handler goes on after anything but a fault; only `abort` ends the process whatever handlers do.
static void rescue_and_pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    hop_rescue();
    bool is_sent = info->si_code <= 0 || signal == SIGQUIT;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int index = FIRST_DEADLY; index < SIGNAL_COUNT; index++) {
        if (signals[index] == signal) sigaction(signal, is_sent && signal != SIGABRT ? &plain : &before[index], NULL);
    }
    if (is_sent || signal == SIGTRAP) raise(signal);
    errno = saved;
}

static bool make_pipe(void) {
    return arrivals[0] >= 0 || pipe2(arrivals, O_CLOEXEC | O_NONBLOCK) == 0;
}

bool hop_signals_install(void) {
    if (!make_pipe()) return false;
    while (hop_signal_take().kind != HOP_SIGNAL_NONE) {}
    for (int index = 0; index < SIGNAL_COUNT; index++) {
        struct sigaction action = {0};
        sigfillset(&action.sa_mask);
        if (index < FIRST_DEADLY) {
            action.sa_handler = note;
            action.sa_flags = SA_RESTART;
        } else {
            action.sa_sigaction = rescue_and_pass_on;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        }
        if (sigaction(signals[index], NULL, &before[index]) != 0) continue;
        bool is_ignored = !(before[index].sa_flags & SA_SIGINFO) && before[index].sa_handler == SIG_IGN;
        is_ours[index] = !is_ignored && sigaction(signals[index], &action, NULL) == 0;
    }
    return true;
}

void hop_signals_remove(void) {
    for (int index = 0; index < SIGNAL_COUNT; index++) {
        if (is_ours[index]) sigaction(signals[index], &before[index], NULL);
        is_ours[index] = false;
    }
}

hop_signal hop_signal_take(void) {
    unsigned char number;
    hop_signal taken = {HOP_SIGNAL_NONE, 0};
    if (read(arrivals[0], &number, 1) != 1) return taken;
    taken.number = number;
    switch (number) {
    case SIGTSTP: taken.kind = HOP_SIGNAL_STOP; break;
    case SIGCONT: taken.kind = HOP_SIGNAL_CONTINUE; break;
    case SIGWINCH: taken.kind = HOP_SIGNAL_RESIZE; break;
    default: taken.kind = HOP_SIGNAL_END; break;
    }
    return taken;
}

void hop_signal_stop_process(void) {
    struct sigaction plain = {.sa_handler = SIG_DFL}, ours;
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigaction(SIGTSTP, &plain, &ours);
    pthread_sigmask(SIG_UNBLOCK, &stop, &mask);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &ours, NULL);
}

void hop_signal_stop_group(void) {
    kill(0, SIGTSTP);
}

// Readable, but nothing to read: that is a terminal whose other side was closed.
static bool is_at_end(int terminal) {
    int count = 0;
    return ioctl(terminal, FIONREAD, &count) != 0 || count == 0;
}

hop_wake hop_input_wait(int milliseconds) {
    struct pollfd sources[] = {
        {.fd = arrivals[0], .events = POLLIN},
        {.fd = hop_screen_input(), .events = POLLIN},
    };
    int count = poll(sources, 2, milliseconds);
    // The handler has written to the pipe by now, if the signal was one of ours.
    if (count < 0 && errno == EINTR) count = poll(sources, 2, 0);
    if (count <= 0) return HOP_WAKE_TIMEOUT;
    if (sources[0].revents & POLLIN) return HOP_WAKE_SIGNAL;
    if (sources[1].revents & POLLIN) return is_at_end(sources[1].fd) ? HOP_WAKE_HANGUP : HOP_WAKE_INPUT;
    return sources[1].revents & (POLLHUP | POLLERR | POLLNVAL) ? HOP_WAKE_HANGUP : HOP_WAKE_TIMEOUT;
}
