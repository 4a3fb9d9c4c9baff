// Regions in files: those that are truncated while the program runs, and all of them when it exits.
//
// The kernel answers access to a mapped page that the file no longer has with SIGBUS, which ends a program by default. A watched region
// gets memory in the place of its file instead, and the recording ends. Any other SIGBUS has the effect that the program has set.

#define _GNU_SOURCE
#include "trace_region.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The watched region that was added last. Regions are never freed, so the handler needs no lock.
static trace_region *watched;

/// The program's setting for SIGBUS at the time when the first region was watched.
static struct sigaction before;
static pthread_once_t handled = PTHREAD_ONCE_INIT;

static bool is_function(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) != 0 || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/// Ends the recording into the region, and maps memory in its place. Uses system calls only, because it runs in a signal handler.
static bool replace_with_memory(trace_region *region) {
    trace_region *expected = region;
    __atomic_compare_exchange_n(&trace_active, &expected, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    region->is_full = true;
    // Readers of a file that still has its header learn that nothing more comes.
    const uint32_t yes = 1;
    if (trace_holds_file(region)) {
        off_t place = offsetof(trace_header, is_withdrawn);
        if (lseek(region->file, 0, SEEK_END) >= (off_t)sizeof(trace_header) && pwrite(region->file, &yes, sizeof yes, place) < 0) errno = 0;
    }
    return trace_replace_pages(region);
}

/// Handles a SIGBUS that is not about a region, as the program's own setting would.
static void pass_on(int number, siginfo_t *info, void *context) {
    if (is_function(&before)) {
        struct sigaction action = before;
        if ((action.sa_flags & SA_RESETHAND) != 0) {
            before.sa_flags &= ~SA_SIGINFO;
            before.sa_handler = SIG_DFL;
        }
        if ((action.sa_flags & SA_SIGINFO) != 0) action.sa_sigaction(number, info, context);
        else action.sa_handler(number);
        return;
    }
    // The default ends the program: an instruction that faulted faults again, and a signal that was sent is sent again.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    if (info->si_code <= 0) syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), number, info);
}

static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    const uint8_t *address = info->si_addr;
    bool is_done = false;
    // Only the kernel's own signals, whose code is positive, have an address.
    if (info->si_code > 0) {
        for (trace_region *next = __atomic_load_n(&watched, __ATOMIC_ACQUIRE); next != NULL && !is_done; next = next->next_file)
            is_done = trace_region_contains(next, address) && replace_with_memory(next);
    }
    if (!is_done) pass_on(number, info, context);
    errno = error;
}

/// A program that ignores SIGBUS keeps ignoring it. A handler that the program sets later takes the place of this one.
static void set_handler(void) {
    if (sigaction(SIGBUS, NULL, &before) != 0 || (!is_function(&before) && before.sa_handler == SIG_IGN)) return;
    struct sigaction ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    if (is_function(&before)) {
        ours.sa_flags = SA_SIGINFO | (before.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART));
        ours.sa_mask = before.sa_mask;
    }
    sigaction(SIGBUS, &ours, NULL);
}

void trace_watch_file(trace_region *region) {
    trace_region *first = __atomic_load_n(&watched, __ATOMIC_ACQUIRE);
    do region->next_file = first;
    while (!__atomic_compare_exchange_n(&watched, &first, region, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    pthread_once(&handled, set_handler);
}

/// Runs when the process exits by `exit`, so that a reader can tell such an end from that by a signal. Marks every region that this
/// process made: it may have stopped recording into one before. A child that shares this memory made none.
__attribute__((destructor)) static void process_exits(void) {
    const pid_t pid = getpid();
    for (trace_region *next = __atomic_load_n(&watched, __ATOMIC_ACQUIRE); next != NULL; next = next->next_file) {
        if (next->pid != pid || next->file < 0) continue;
        // A thread that holds the lock writes an anchor itself, or has just done so.
        if (pthread_mutex_trylock(&next->lane_lock) == 0) {
            trace_region_anchor(next);
            pthread_mutex_unlock(&next->lane_lock);
        }
        __atomic_store_n(&next->shared->has_exited, 1, __ATOMIC_RELEASE);
    }
}
