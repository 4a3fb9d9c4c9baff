/// Signals. A signal that can wait goes through a pipe to the reading thread; a deadly signal restores the terminal and then has its usual
/// effect.
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

typedef enum {
    /// Sent to the reading thread.
    DELIVERED,
    /// Raised by a faulting instruction, `abort` or Control-\. Restores the terminal even if the program has a handler, which runs next.
    FAULT,
    /// Ends the process by default. A handler of the program's own stays in place.
    DEADLY,
    HARMLESS,
} signal_class;

static signal_class class_of(int signal) {
    switch (signal) {
    case SIGINT: case SIGTERM: case SIGHUP: case SIGTSTP: case SIGCONT: case SIGWINCH: return DELIVERED;
    case SIGSEGV: case SIGBUS: case SIGILL: case SIGTRAP: case SIGFPE: case SIGABRT: case SIGQUIT: return FAULT;
    case SIGKILL: case SIGSTOP: case SIGTTIN: case SIGTTOU: case SIGCHLD: case SIGURG: return HARMLESS;
    default: return DEADLY;
    }
}

static struct sigaction before[NSIG];
static bool is_ours[NSIG];

// Created once and never closed: a handler may still run in another thread while the terminal is closed.
static int arrivals[2] = {-1, -1};

static void note(int signal) {
    int saved = errno;
    unsigned char byte = (unsigned char)signal;
    ssize_t written = write(arrivals[1], &byte, 1);
    (void)written;  // A full pipe already wakes the reader.
    errno = saved;
}

// On return, a faulting instruction faults again and reaches the previous handler: the Swift runtime's backtrace, or none. A breakpoint
// and a signal that was sent do not repeat, so they are raised again. A sent signal then ends the process by default, because the
// runtime's handler would return; only `abort` ends the process whatever a handler does.
static void rescue_and_pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    curses_rescue();
    bool is_sent = info->si_code <= 0 || signal == SIGQUIT || class_of(signal) == DEADLY;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(signal, is_sent && signal != SIGABRT ? &plain : &before[signal], NULL);
    if (is_sent || signal == SIGTRAP) raise(signal);
    errno = saved;
}

static bool make_pipe(void) {
    return arrivals[0] >= 0 || pipe2(arrivals, O_CLOEXEC | O_NONBLOCK) == 0;
}

bool curses_signals_install(void) {
    if (!make_pipe()) return false;
    while (curses_signal_take().kind != CURSES_SIGNAL_NONE) {}
    for (int signal = 1; signal < NSIG; signal++) {
        signal_class class = class_of(signal);
        if (class == HARMLESS || sigaction(signal, NULL, &before[signal]) != 0) continue;
        bool has_function = before[signal].sa_flags & SA_SIGINFO;
        bool is_default = !has_function && before[signal].sa_handler == SIG_DFL;
        bool is_ignored = !has_function && before[signal].sa_handler == SIG_IGN;
        if (is_ignored || (class == DEADLY && !is_default)) continue;
        struct sigaction action = {0};
        sigfillset(&action.sa_mask);
        if (class == DELIVERED) {
            action.sa_handler = note;
            action.sa_flags = SA_RESTART;
        } else {
            action.sa_sigaction = rescue_and_pass_on;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        }
        is_ours[signal] = sigaction(signal, &action, NULL) == 0;
    }
    return true;
}

// Leaves handlers alone that the program has installed in the meantime.
void curses_signals_remove(void) {
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction present;
        if (!is_ours[signal]) continue;
        is_ours[signal] = false;
        if (sigaction(signal, NULL, &present) != 0) continue;
        if (present.sa_handler == note || present.sa_sigaction == rescue_and_pass_on) sigaction(signal, &before[signal], NULL);
    }
}

int curses_signals_arrivals(void) {
    return arrivals[0];
}

curses_signal curses_signal_take(void) {
    unsigned char number;
    curses_signal taken = {CURSES_SIGNAL_NONE, 0};
    if (read(arrivals[0], &number, 1) != 1) return taken;
    taken.number = number;
    switch (number) {
    case SIGTSTP: taken.kind = CURSES_SIGNAL_STOP; break;
    case SIGCONT: taken.kind = CURSES_SIGNAL_CONTINUE; break;
    case SIGWINCH: taken.kind = CURSES_SIGNAL_RESIZE; break;
    default: taken.kind = CURSES_SIGNAL_END; break;
    }
    return taken;
}

void curses_signal_stop_process(void) {
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

void curses_signal_stop_group(void) {
    kill(0, SIGTSTP);
}
