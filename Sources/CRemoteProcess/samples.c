// The stacks of threads that run, which memory does not show: the kernel samples them.

#define _GNU_SOURCE
#include "CRemoteProcess.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A sample at the beginning or the end of a function lacks the caller, so the longest of some stacks is taken.
enum { RING_PAGES = 4, PERIOD = 1000000, MILLISECOND = 1000000, ENOUGH = 5 };

struct sampler {
    struct perf_event_mmap_page *page;
    int event;
};

static size_t ring_size(void) {
    return (size_t)(RING_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
}

// A sampler without a page takes no samples.
static struct sampler begin(int32_t thread) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .size = sizeof attributes,
        .sample_type = PERF_SAMPLE_CALLCHAIN,
        .sample_period = PERIOD,
        .sample_max_stack = REMOTE_SAMPLE_FRAMES,
        // Users without rights may not sample the kernel.
        .exclude_kernel = 1,
        .exclude_callchain_kernel = 1,
        .exclude_hv = 1,
    };
    struct sampler sampler = {.event = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC)};
    if (sampler.event < 0) return sampler;
    void *page = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, sampler.event, 0);
    if (page != MAP_FAILED) sampler.page = page;
    return sampler;
}

static void end(struct sampler *sampler) {
    if (sampler->page) munmap(sampler->page, ring_size());
    if (sampler->event >= 0) close(sampler->event);
}

// Fills the frames of a sample's record.
static void parse(const char *record, struct perf_event_header header, struct remote_sample *sample) {
    uint64_t count = 0, room = (header.size - sizeof header) / 8;
    if (room > 0) memcpy(&count, record + sizeof header, 8);
    for (uint64_t index = 0; index < count && index + 1 < room && sample->count < REMOTE_SAMPLE_FRAMES; index++) {
        uint64_t address;
        memcpy(&address, record + sizeof header + 8 * (index + 1), 8);
        // Large values mark the beginning of another context's frames.
        if (address >= (uint64_t)-4096) continue;
        // All frames but the innermost are where a call returns to.
        sample->frames[sample->count] = address - (sample->count > 0);
        sample->count++;
    }
}

// Fills the longest stack so far. Returns the number of samples.
static unsigned take(const struct sampler *sampler, struct remote_sample *longest) {
    uint64_t head = __atomic_load_n(&sampler->page->data_head, __ATOMIC_ACQUIRE);
    const char *data = (const char *)sampler->page + sysconf(_SC_PAGESIZE);
    uint64_t most = (uint64_t)RING_PAGES * (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned taken = 0;
    // The ring is not read while it fills, so nothing in it is written over.
    for (uint64_t place = 0; place < head && place < most;) {
        struct perf_event_header header;
        memcpy(&header, data + place, sizeof header);
        if (header.size < sizeof header || place + header.size > most) break;
        if (header.type == PERF_RECORD_SAMPLE) {
            struct remote_sample sample = {.thread = longest->thread};
            parse(data + place, header, &sample);
            taken++;
            if (sample.count > longest->count) *longest = sample;
        }
        place += header.size;
    }
    return taken;
}

bool remote_sample_stacks(struct remote_sample *samples, size_t count, uint64_t nanoseconds) {
    struct sampler *samplers = calloc(count, sizeof *samplers);
    if (!samplers) return false;
    size_t missing = 0;
    for (size_t index = 0; index < count; index++) {
        samples[index].count = 0;
        samplers[index] = begin(samples[index].thread);
        missing += samplers[index].page != NULL;
    }
    bool is_allowed = missing > 0;
    for (uint64_t waited = 0; missing > 0 && waited < nanoseconds; waited += MILLISECOND) {
        nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
        missing = 0;
        for (size_t index = 0; index < count; index++) {
            if (samplers[index].page && take(&samplers[index], &samples[index]) < ENOUGH) missing++;
        }
    }
    for (size_t index = 0; index < count; index++) end(&samplers[index]);
    free(samplers);
    return is_allowed;
}
