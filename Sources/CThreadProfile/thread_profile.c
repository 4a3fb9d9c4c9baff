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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 256, RECORD_LIMIT = 1 << 16 };

struct ring {
    struct perf_event_mmap_page *page;
    int event;
};

struct thread_profile {
    int *events;
    size_t event_count;
    size_t event_room;
    struct ring *rings;
    int ring_count;
    size_t page_size;
    unsigned hertz;
    // Whether the profile is of programs that this thread will start, and begins with them.
    bool begins_at_exec;
    // Whether the kernel refuses samples of its own code.
    bool is_user_only;
    // A record that goes over the end of its ring is put together here.
    unsigned char *copy;
};

static int open_event(const struct thread_profile *profile, pid_t thread, int processor) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = 1000000000ull / profile->hertz,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
        .inherit = 1,
        .disabled = profile->begins_at_exec,
        .enable_on_exec = profile->begins_at_exec,
        // A thread in a system call is on its processor as well. Its user stack tells where the call was made.
        .exclude_kernel = profile->is_user_only,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .sample_id_all = 1,
        .context_switch = 1,
        .sample_max_stack = THREAD_PROFILE_FRAMES,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool keep_event(struct thread_profile *profile, int event) {
    if (profile->event_count == profile->event_room) {
        size_t room = profile->event_room ? profile->event_room * 2 : 64;
        int *events = realloc(profile->events, room * sizeof *events);
        if (!events) return false;
        profile->events = events;
        profile->event_room = room;
    }
    profile->events[profile->event_count++] = event;
    return true;
}

// Each processor has one ring, to which the events of all threads on it write.
static bool add_thread(struct thread_profile *profile, pid_t thread) {
    for (int processor = 0; processor < profile->ring_count; processor++) {
        int event = open_event(profile, thread, processor);
        if (event < 0 && (errno == EACCES || errno == EPERM) && !profile->is_user_only) {
            profile->is_user_only = true;
            event = open_event(profile, thread, processor);
        }
        if (event < 0) {
            // The thread has ended, or the processor is off.
            if (errno == ESRCH || errno == ENODEV) continue;
            return false;
        }
        if (!keep_event(profile, event)) {
            close(event);
            return false;
        }
        struct ring *ring = &profile->rings[processor];
        if (ring->page) {
            ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->event);
            continue;
        }
        void *page = mmap(NULL, (RING_PAGES + 1) * profile->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (page == MAP_FAILED) return false;
        *ring = (struct ring){.page = page, .event = event};
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

struct thread_profile *thread_profile_begin(pid_t process, unsigned hertz) {
    struct thread_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return NULL;
    profile->hertz = hertz;
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
    for (int index = 0; profile->rings && index < profile->ring_count; index++) {
        if (profile->rings[index].page) munmap(profile->rings[index].page, (RING_PAGES + 1) * profile->page_size);
    }
    for (size_t index = 0; index < profile->event_count; index++) close(profile->events[index]);
    free(profile->events);
    free(profile->rings);
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
        if (parse(header, &record)) take(context, &record);
        tail += length;
    }
    __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

void thread_profile_read(struct thread_profile *profile, void (*take)(void *context, const struct thread_profile_record *record),
                         void *context) {
    for (int index = 0; index < profile->ring_count; index++) {
        if (profile->rings[index].page) read_ring(profile, &profile->rings[index], take, context);
    }
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
