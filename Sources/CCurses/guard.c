/// A fault of the inspector ends the inspector and not the process that it runs in.
#include "internal.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The signals of instructions that fail: traps of Swift's checks, arithmetic, and bad addresses. SIGBUS is left to the lanes, which handle
/// a truncated file.
static const int guarded[] = {SIGILL, SIGTRAP, SIGFPE, SIGSEGV};

enum { GUARDED_COUNT = sizeof guarded / sizeof *guarded, STACK_SIZE = 128 << 10 };

typedef struct guard {
    sigjmp_buf place;
    curses_fault *fault;
} guard;

/// The guard of the calling thread, NULL for none.
static __thread guard *current;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guards;
static struct sigaction outer[NSIG];

static void jump_or_pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    guard *here = current;
    if (here != NULL && info->si_code > 0) {
        current = NULL;
        here->fault->signal = signal;
        // Its first frames are this handler's own.
        int count = backtrace((void **)here->fault->places, CURSES_FAULT_PLACES);
        here->fault->count = count > 0 ? (size_t)count : 0;
        siglongjmp(here->place, 1);
    }
    // The instruction faults again and reaches what was set before. A signal that was sent is sent again.
    sigaction(signal, &outer[signal], NULL);
    if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
}

static void set_handlers(void) {
    struct sigaction action = {.sa_sigaction = jump_or_pass_on, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int index = 0; index < GUARDED_COUNT; index++) sigaction(guarded[index], &action, &outer[guarded[index]]);
}

static void remove_handlers(void) {
    for (int index = 0; index < GUARDED_COUNT; index++) {
        struct sigaction present;
        if (sigaction(guarded[index], NULL, &present) != 0 || present.sa_sigaction != jump_or_pass_on) continue;
        sigaction(guarded[index], &outer[guarded[index]], NULL);
    }
}

bool curses_run_guarded(void (*body)(void *), void *context, curses_fault *fault) {
    guard here = {.fault = fault};
    // A stack of its own for the handler, so that a recursion without an end is a fault like any other.
    stack_t stack = {.ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE}, before;
    bool has_stack = stack.ss_sp != NULL && sigaltstack(&stack, &before) == 0;
    // The first call loads a library, which a handler must not do.
    void *first[1];
    (void)backtrace(first, 1);
    pthread_mutex_lock(&lock);
    if (guards++ == 0) set_handlers();
    pthread_mutex_unlock(&lock);
    volatile bool is_whole = false;
    if (sigsetjmp(here.place, 1) == 0) {
        current = &here;
        body(context);
        is_whole = true;
    }
    current = NULL;
    pthread_mutex_lock(&lock);
    if (--guards == 0) remove_handlers();
    pthread_mutex_unlock(&lock);
    if (has_stack) sigaltstack(&before, NULL);
    free(stack.ss_sp);
    return is_whole;
}

const char *curses_fault_signal(const curses_fault *fault) {
    switch (fault->signal) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGFPE: return "SIGFPE";
    default: return "SIGSEGV";
    }
}

void curses_fault_call(const curses_fault *fault, size_t index, char *out, size_t room) {
    Dl_info info;
    const char *address = fault->places[index];
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        snprintf(out, room, "%p", (const void *)address);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(out, room, "%s+0x%zx", slash != NULL ? slash + 1 : info.dli_fname, (size_t)(address - (const char *)info.dli_fbase));
}
