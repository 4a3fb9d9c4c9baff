// Finds a thread that can be stopped without harm.

#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/// How well a call serves. A thread that sleeps for ever is the best: it loses nothing.
enum suitability { unsuitable, suitable, best };

#ifdef __x86_64__

/// In these calls a thread holds no lock of the C library, the allocator or the loader, unless it handles a signal. The kernel makes them again
/// with the time that is left. It does not so for `epoll_wait`, which is made again by hand if it waits without a limit.
static enum suitability suitability_of(const struct sleeping_thread *thread) {
    switch (thread->call) {
    case SYS_pause:
    case SYS_rt_sigsuspend: return best;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6: return suitable;
    case SYS_epoll_wait:
    case SYS_epoll_pwait: return (int32_t)thread->arguments[3] == -1 ? suitable : unsuitable;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2: return thread->arguments[3] == 0 ? suitable : unsuitable;
#endif
    default: return unsuitable;
    }
}

bool injection_repeats(long call) {
    switch (call) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait: return true;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2: return true;
#endif
    default: return false;
    }
}

#else

static enum suitability suitability_of(const struct sleeping_thread *thread) {
    (void)thread;
    return unsuitable;
}

bool injection_repeats(long call) {
    (void)call;
    return false;
}

#endif

static bool read_call(pid_t pid, const char *thread, struct sleeping_thread *into) {
    char name[300], line[512];
    snprintf(name, sizeof name, "/proc/%d/task/%s/syscall", pid, thread);
    FILE *file = fopen(name, "re");
    if (!file) return false;
    bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    unsigned long long words[8];
    // A thread that runs has the word `running` instead.
    if (!is_read
        || sscanf(line, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &into->call, &words[0], &words[1], &words[2], &words[3], &words[4],
               &words[5], &words[6], &words[7]) != 9)
        return false;
    into->id = atoi(thread);
    for (size_t i = 0; i < 6; i++) into->arguments[i] = words[i];
    into->stack = words[6];
    into->program_counter = words[7];
    return true;
}

bool injection_sleeps_on(pid_t pid, const struct sleeping_thread *before, struct sleeping_thread *thread) {
    char name[16];
    snprintf(name, sizeof name, "%d", before->id);
    return read_call(pid, name, thread) && (thread->call == before->call || thread->call == SYS_restart_syscall)
        && thread->stack == before->stack && thread->program_counter == before->program_counter;
}

bool injection_find_sleeper(pid_t pid, size_t skipped, struct sleeping_thread *thread) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task", pid);
    // The best first.
    for (enum suitability wanted = best; wanted != unsuitable; wanted--) {
        DIR *tasks = opendir(name);
        if (!tasks) return false;
        bool is_found = false;
        struct dirent *entry;
        while (!is_found && (entry = readdir(tasks))) {
            if (*entry->d_name == '.' || !read_call(pid, entry->d_name, thread)) continue;
            is_found = suitability_of(thread) == wanted && skipped-- == 0;
        }
        closedir(tasks);
        if (is_found) return true;
    }
    return false;
}
