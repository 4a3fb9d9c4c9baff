#ifndef THREAD_PROFILE_H
#define THREAD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Samples and context switches of other processes' threads, by the kernel's performance events of software clocks.
//
// The kernel writes them into rings that this process reads. No signal reaches the profiled process. One thread uses a profile.

enum { THREAD_PROFILE_FRAMES = 64 };

enum thread_profile_kind {
    // The thread ran on a processor, in its own code or in a system call. `frames` holds its user stack, innermost call first.
    THREAD_PROFILE_SAMPLE = 1,
    // The thread left its processor by itself: it waits in the kernel.
    THREAD_PROFILE_WAITED = 2,
    // The kernel gave the thread's processor to another thread.
    THREAD_PROFILE_PREEMPTED = 3,
    // The thread got a processor.
    THREAD_PROFILE_RESUMED = 4,
    // The ring was full: `count` records are missing.
    THREAD_PROFILE_LOST = 5,
    // From here on there are no switches: there were too many, `count` a second.
    THREAD_PROFILE_UNSWITCHED = 6,
};

struct thread_profile_record {
    // Nanoseconds of CLOCK_MONOTONIC.
    uint64_t time;
    // The number of missing records, or of switches a second.
    uint64_t count;
    int32_t process;
    int32_t thread;
    uint32_t kind;
    uint32_t frame_count;
    uint64_t frames[THREAD_PROFILE_FRAMES];
};

struct thread_profile;

// Begins to profile the threads that the process has, and those that they and their children will make, `hertz` samples a second of
// processor time. If `process` is 0, profiles the programs that the calling thread will start, from their first instruction. Null if the
// kernel refuses; `errno` has the reason.
//
// Each switch costs the program some time. More switches than `switch_limit` in a second, after bursts of three times as many, end their
// records; 0 sets no limit. Once the records have ended, the samples are of all processes of the machine, if the kernel allows it.
struct thread_profile *thread_profile_begin(pid_t process, unsigned hertz, unsigned switch_limit);

// Calls `take` with the records that have come since the last call. Records of different processors are not in the order of time.
void thread_profile_read(struct thread_profile *profile, void (*take)(void *context, const struct thread_profile_record *record),
                         void *context);

// Ends the profile. What has not been read is lost.
void thread_profile_end(struct thread_profile *profile);

// Whether the kernel allows no samples of its own code, so that time in system calls has switches but no samples.
bool thread_profile_is_user_only(const struct thread_profile *profile);

// The value of /proc/sys/kernel/perf_event_paranoid; -100 if the kernel has no performance events.
int thread_profile_paranoid(void);

#endif
