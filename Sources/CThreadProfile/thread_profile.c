#define _GNU_SOURCE
#include "thread_profile.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BURST_SECONDS = 3 };

// With its first page a ring has as much memory as the kernel lets every user lock for each processor.
enum { RING_PAGES = 128, RECORD_LIMIT = 1 << 16 };

static const uint64_t SECOND = 1000000000;

struct ring {
    struct perf_event_mmap_page *page;
    int event;
};

struct events {
    int *numbers;
    size_t count;
    size_t room;
};

struct thread_profile {
    // The events of the samples, and those of the context switches.
    struct events samplers;
    struct events switches;
    struct ring *rings;
    int ring_count;
    size_t page_size;
    unsigned hertz;
    // Whether the profile is of programs that this thread will start, and begins with them.
    bool begins_at_exec;
    // Whether the kernel refuses samples of its own code.
    bool is_user_only;
    // Whether each processor is sampled, and not each thread.
    bool is_of_processors;
    // More switches in a second end their records. 0 for no limit, and if they have ended.
    unsigned switch_limit;
    // How many switches the program may still make. A second brings as many as the limit; three seconds' are kept for bursts.
    double allowance;
    // The records of switches and the samples since a time, at most a second ago.
    uint64_t counted_since;
    uint64_t counted_switches;
    uint64_t counted_samples;
    // A record that goes over the end of its ring is put together here.
    unsigned char *copy;
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static struct perf_event_attr common_attributes(const struct thread_profile *profile) {
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .inherit = !profile->is_of_processors,
        .disabled = profile->begins_at_exec && !profile->is_of_processors,
        .enable_on_exec = profile->begins_at_exec && !profile->is_of_processors,
        // A thread in a system call is on its processor as well. Its user stack tells where the call was made.
        .exclude_kernel = profile->is_user_only,
        .exclude_hv = 1,
        .exclude_idle = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static int open_event(struct perf_event_attr *attributes, pid_t thread, int processor) {
    return (int)syscall(SYS_perf_event_open, attributes, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_sampler(const struct thread_profile *profile, pid_t thread, int processor) {
    struct perf_event_attr attributes = common_attributes(profile);
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    attributes.sample_period = 1000000000ull / profile->hertz;
    attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
    attributes.exclude_callchain_kernel = 1;
    attributes.sample_max_stack = THREAD_PROFILE_FRAMES;
    return open_event(&attributes, thread, processor);
}

// An event that only records the switches of a thread, and can end before the samples do.
static int open_switches(const struct thread_profile *profile, pid_t thread, int processor) {
    struct perf_event_attr attributes = common_attributes(profile);
    attributes.config = PERF_COUNT_SW_DUMMY;
    attributes.context_switch = 1;
    return open_event(&attributes, thread, processor);
}

// Takes over an event, or closes it if there is no memory.
static bool keep_event(struct events *events, int event) {
    if (events->count == events->room) {
        size_t room = events->room ? events->room * 2 : 64;
        int *numbers = realloc(events->numbers, room * sizeof *numbers);
        if (!numbers) {
            close(event);
            return false;
        }
        events->numbers = numbers;
        events->room = room;
    }
    events->numbers[events->count++] = event;
    return true;
}

static void close_events(struct events *events) {
    for (size_t index = 0; index < events->count; index++) close(events->numbers[index]);
    free(events->numbers);
    *events = (struct events){0};
}

static bool map_ring(const struct thread_profile *profile, struct ring *ring, int event) {
    void *page = mmap(NULL, (RING_PAGES + 1) * profile->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    if (page == MAP_FAILED) return false;
    *ring = (struct ring){.page = page, .event = event};
    return true;
}

static void unmap_rings(const struct thread_profile *profile, struct ring *rings) {
    for (int index = 0; rings && index < profile->ring_count; index++) {
        if (rings[index].page) munmap(rings[index].page, (RING_PAGES + 1) * profile->page_size);
    }
    free(rings);
}

// Each processor has one ring, to which the events of all threads on it write.
static bool add_thread(struct thread_profile *profile, pid_t thread) {
    for (int processor = 0; processor < profile->ring_count; processor++) {
        int event = open_sampler(profile, thread, processor);
        if (event < 0 && (errno == EACCES || errno == EPERM) && !profile->is_user_only) {
            profile->is_user_only = true;
            event = open_sampler(profile, thread, processor);
        }
        if (event < 0) {
            // The thread has ended, or the processor is off.
            if (errno == ESRCH || errno == ENODEV) continue;
            return false;
        }
        if (!keep_event(&profile->samplers, event)) return false;
        struct ring *ring = &profile->rings[processor];
        if (ring->page) {
            ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->event);
        } else if (!map_ring(profile, ring, event)) {
            return false;
        }
        int switches = open_switches(profile, thread, processor);
        if (switches < 0) {
            if (errno == ESRCH || errno == ENODEV) continue;
            return false;
        }
        if (!keep_event(&profile->switches, switches)) return false;
        ioctl(switches, PERF_EVENT_IOC_SET_OUTPUT, ring->event);
    }
    return true;
}

static bool add_threads(struct thread_profile *profile, pid_t process) {
    // An event of this thread is inherited by the processes that it starts.
    if (process == 0) return add_thread(profile, 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    if (!folder) return false;
    bool has_added = true;
    struct dirent *entry;
    while (has_added && (entry = readdir(folder))) {
        int thread = atoi(entry->d_name);
        if (thread > 0) has_added = add_thread(profile, thread);
    }
    int problem = errno;
    closedir(folder);
    errno = problem;
    return has_added;
}

// Each thread of a process has two events on each processor. A process that this one starts would inherit a higher limit.
static void allow_many_events(pid_t process) {
    struct rlimit limit;
    if (process == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

struct thread_profile *thread_profile_begin(pid_t process, unsigned hertz, unsigned switch_limit) {
    struct thread_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return NULL;
    allow_many_events(process);
    profile->hertz = hertz;
    profile->switch_limit = switch_limit;
    profile->allowance = (double)BURST_SECONDS * switch_limit;
    profile->counted_since = now();
    profile->begins_at_exec = process == 0;
    profile->page_size = (size_t)sysconf(_SC_PAGESIZE);
    profile->ring_count = (int)sysconf(_SC_NPROCESSORS_CONF);
    profile->rings = calloc((size_t)profile->ring_count, sizeof *profile->rings);
    profile->copy = malloc(RECORD_LIMIT);
    if (profile->rings && profile->copy && add_threads(profile, process)) return profile;
    int problem = errno;
    thread_profile_end(profile);
    errno = problem;
    return NULL;
}

void thread_profile_end(struct thread_profile *profile) {
    unmap_rings(profile, profile->rings);
    close_events(&profile->switches);
    close_events(&profile->samplers);
    free(profile->copy);
    free(profile);
}

// MARK: Records

static bool parse(const struct perf_event_header *header, struct thread_profile_record *record) {
    const unsigned char *body = (const unsigned char *)(header + 1);
    size_t words = (header->size - sizeof *header) / 8;
    uint64_t word[3 + 1 + THREAD_PROFILE_FRAMES + 8];
    if (words > sizeof word / sizeof *word) words = sizeof word / sizeof *word;
    memcpy(word, body, words * 8);
    record->frame_count = 0;
    record->count = 0;
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        if (words < 3) return false;
        record->kind = THREAD_PROFILE_SAMPLE;
        record->process = (int32_t)(uint32_t)word[0];
        record->thread = (int32_t)(word[0] >> 32);
        record->time = word[1];
        for (uint64_t index = 0; index < word[2] && 3 + index < words; index++) {
            // Large values mark the beginning of another context's frames.
            if (word[3 + index] >= (uint64_t)-4096 || record->frame_count == THREAD_PROFILE_FRAMES) continue;
            record->frames[record->frame_count++] = word[3 + index];
        }
        return true;
    case PERF_RECORD_SWITCH:
        if (words < 2) return false;
        record->kind = !(header->misc & PERF_RECORD_MISC_SWITCH_OUT)          ? THREAD_PROFILE_RESUMED
                       : (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) ? THREAD_PROFILE_PREEMPTED
                                                                              : THREAD_PROFILE_WAITED;
        record->process = (int32_t)(uint32_t)word[0];
        record->thread = (int32_t)(word[0] >> 32);
        record->time = word[1];
        return true;
    case PERF_RECORD_LOST:
        if (words < 4) return false;
        record->kind = THREAD_PROFILE_LOST;
        record->count = word[1];
        record->process = (int32_t)(uint32_t)word[2];
        record->thread = (int32_t)(word[2] >> 32);
        record->time = word[3];
        return true;
    default: return false;
    }
}

static void count(struct thread_profile *profile, const struct thread_profile_record *record) {
    if (record->kind == THREAD_PROFILE_SAMPLE) profile->counted_samples++;
    else if (record->kind == THREAD_PROFILE_LOST) profile->counted_switches += record->count;
    else profile->counted_switches++;
}

static void read_ring(struct thread_profile *profile, struct ring *ring, void (*take)(void *, const struct thread_profile_record *),
                      void *context) {
    struct perf_event_mmap_page *page = ring->page;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = page->data_tail;
    const unsigned char *data = (const unsigned char *)page + profile->page_size;
    uint64_t size = RING_PAGES * profile->page_size;
    struct thread_profile_record record;
    while (tail < head) {
        uint64_t place = tail % size;
        const struct perf_event_header *header = (const void *)(data + place);
        uint64_t length = header->size;
        if (length < sizeof *header) break;
        if (place + length > size) {
            memcpy(profile->copy, data + place, size - place);
            memcpy(profile->copy + (size - place), data, length - (size - place));
            header = (const void *)profile->copy;
        }
        if (parse(header, &record)) {
            count(profile, &record);
            take(context, &record);
        }
        tail += length;
    }
    __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

// Samples every processor, so that the switches of threads cost nothing. False if the kernel does not allow it.
static bool sample_processors(struct thread_profile *profile) {
    struct ring *rings = calloc((size_t)profile->ring_count, sizeof *rings);
    struct events samplers = {0};
    profile->is_of_processors = true;
    bool has_all = rings != NULL;
    for (int processor = 0; has_all && processor < profile->ring_count; processor++) {
        int event = open_sampler(profile, -1, processor);
        if (event < 0) has_all = errno == ENODEV;
        else has_all = keep_event(&samplers, event) && map_ring(profile, &rings[processor], event);
    }
    struct ring *other_rings = has_all ? profile->rings : rings;
    struct events other_samplers = has_all ? profile->samplers : samplers;
    if (has_all) {
        profile->rings = rings;
        profile->samplers = samplers;
    }
    profile->is_of_processors = has_all;
    unmap_rings(profile, other_rings);
    close_events(&other_samplers);
    return has_all;
}

static void read_rings(struct thread_profile *profile, void (*take)(void *, const struct thread_profile_record *), void *context) {
    for (int index = 0; index < profile->ring_count; index++) {
        if (profile->rings[index].page) read_ring(profile, &profile->rings[index], take, context);
    }
}

void thread_profile_read(struct thread_profile *profile, void (*take)(void *context, const struct thread_profile_record *record),
                         void *context) {
    read_rings(profile, take, context);
    if (!profile->switch_limit) return;
    // Each processor that the program keeps busy brings as many switches as a second of the clock.
    uint64_t elapsed = now() - profile->counted_since, busy = profile->counted_samples * (SECOND / profile->hertz);
    double seconds = (double)(busy > elapsed ? busy : elapsed) / (double)SECOND;
    // Each switch has two records.
    double switches = (double)profile->counted_switches / 2;
    double left = profile->allowance + seconds * profile->switch_limit - switches;
    if (elapsed >= SECOND) {
        double most = (double)BURST_SECONDS * profile->switch_limit;
        profile->allowance = left < most ? left : most;
        profile->counted_since += elapsed;
        profile->counted_switches = 0;
        profile->counted_samples = 0;
    }
    if (left >= 0) return;
    uint64_t rate = seconds > 0 ? (uint64_t)(switches / seconds) : 0;
    profile->switch_limit = 0;
    close_events(&profile->switches);
    read_rings(profile, take, context);
    struct thread_profile_record end = {.kind = THREAD_PROFILE_UNSWITCHED, .time = now(), .count = rate};
    take(context, &end);
    sample_processors(profile);
}

bool thread_profile_is_user_only(const struct thread_profile *profile) {
    return profile->is_user_only;
}

int thread_profile_paranoid(void) {
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int value = -100;
    if (!file) return value;
    if (fscanf(file, "%d", &value) != 1) value = -100;
    fclose(file);
    return value;
}
