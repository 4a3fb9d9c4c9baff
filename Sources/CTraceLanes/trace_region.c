// Makes regions, reads their clocks, and installs the region that the process records into.

#define _GNU_SOURCE
#include "trace_region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

trace_region *trace_active;

size_t trace_page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t clock_nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The processor's counter. No barrier orders its read, on either architecture: the processor may read it some tens of nanoseconds early.
// Readers of a trace take the order of a task's events from their causes, and LaneMerger accepts a time that is earlier than the one
// before.

#if defined(__x86_64__)

static inline uint64_t counter(void) {
    return __rdtsc();
}

static bool has_invariant_counter(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8)) != 0;
}

/// The moment at which this copy of the lanes was loaded. The time that the program needs from there to its first region is long enough
/// to measure the counter's rate, so that nothing waits for it.
static trace_anchor loaded;

__attribute__((constructor)) static void note_loading(void) {
    if (has_invariant_counter()) loaded = trace_anchor_now();
}

/// The counter's ticks per second, 0 if it is not invariant. Measured once against the monotonic clock, over at least 0.2 ms; the error is
/// about 1 in 10,000. Anchors correct it: readers need it only for a trace's first millisecond.
static uint64_t counter_rate(void) {
    enum { SHORTEST = 200000, LONGEST = 1000000000 };
    static uint64_t rate;
    if (!has_invariant_counter()) return 0;
    // Relaxed: every thread measures the same rate, and nothing else is published with it.
    uint64_t known = __atomic_load_n(&rate, __ATOMIC_RELAXED);
    if (known != 0) return known;
    trace_anchor first = loaded, last = trace_anchor_now();
    // The machine may have slept in a longer time, and the monotonic clock does not count sleep.
    if (first.ticks == 0 || last.monotonic_ns - first.monotonic_ns > LONGEST) first = last;
    while (last.monotonic_ns - first.monotonic_ns < SHORTEST) last = trace_anchor_now();
    known = (uint64_t)((unsigned __int128)(last.ticks - first.ticks) * 1000000000u / (last.monotonic_ns - first.monotonic_ns));
    __atomic_store_n(&rate, known, __ATOMIC_RELAXED);
    return known;
}

#elif defined(__aarch64__)

static inline uint64_t counter(void) {
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

/// The counter's ticks per second, from the register that the firmware sets; 0 if it is not set. The counter is invariant by definition.
static uint64_t counter_rate(void) {
    uint64_t rate;
    __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
    return rate;
}

#else

static inline uint64_t counter(void) {
    return clock_nanoseconds(CLOCK_MONOTONIC);
}

static uint64_t counter_rate(void) {
    return 0;
}

#endif

/// Reads the monotonic clock between two reads of the counter, and takes the narrowest of several such pairs: a thread may lose its
/// processor in between.
trace_anchor trace_anchor_now(void) {
    enum { TRIES = 5 };
    trace_anchor best = {0};
    uint64_t narrowest = UINT64_MAX;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        uint64_t before = counter(), monotonic = clock_nanoseconds(CLOCK_MONOTONIC), width = counter() - before;
        if (width >= narrowest) continue;
        narrowest = width;
        best = (trace_anchor){.ticks = before + width / 2, .monotonic_ns = monotonic};
    }
    return best;
}

void trace_region_anchor(trace_region *region) {
    trace_header *header = region->header;
    if (header->clock != TRACE_CLOCK_COUNTER || region->file < 0) return;
    header->anchors[header->anchor_count % 2] = trace_anchor_now();
    region->shared->anchors[header->anchor_count % 2] = header->anchors[header->anchor_count % 2];
    header->anchor_count++;
    __atomic_store_n(&region->shared->anchor_count, header->anchor_count, __ATOMIC_RELEASE);
}

static size_t page_aligned(size_t bytes) {
    size_t page = trace_page_size();
    return (bytes + page - 1) & ~(page - 1);
}

static uint32_t power_of_two(uint32_t at_least) {
    uint32_t value = 2;
    while (value < at_least && value < (1u << 30)) value <<= 1;
    return value;
}

static void start_clock(trace_header *header, trace_clock wanted) {
    header->clock = wanted == TRACE_CLOCK_FASTEST ? TRACE_CLOCK_COUNTER : wanted;
    header->ticks_per_second = header->clock == TRACE_CLOCK_COUNTER ? counter_rate() : 1000000000u;
    if (header->ticks_per_second == 0) {
        header->clock = TRACE_CLOCK_MONOTONIC;
        header->ticks_per_second = 1000000000u;
    }
    trace_anchor start = {.monotonic_ns = clock_nanoseconds(CLOCK_MONOTONIC)};
    if (header->clock == TRACE_CLOCK_COUNTER) start = trace_anchor_now();
    else if (header->clock == TRACE_CLOCK_MONOTONIC) start.ticks = start.monotonic_ns;
    header->start_realtime_ns = clock_nanoseconds(CLOCK_REALTIME);
    header->start_monotonic_ns = start.monotonic_ns;
    header->start_ticks = start.ticks;
}

uint64_t trace_latest_generation;

trace_region *trace_region_allocate(void) {
    trace_region *region = calloc(1, sizeof *region);
    if (region == NULL) return NULL;
    region->file = region->directory = -1;
    region->pid = getpid();
    region->generation = __atomic_add_fetch(&trace_latest_generation, 1, __ATOMIC_RELAXED);
    pthread_mutex_init(&region->lane_lock, NULL);
    pthread_mutex_init(&region->entry_lock, NULL);
    trace_threads_prepare();
    return region;
}

/// Every part begins with a page, so that disk space is reserved by whole pages.
static void lay_out(trace_header *header) {
    header->lane_headers_offset = page_aligned(sizeof *header);
    header->entry_index_offset = header->lane_headers_offset + page_aligned(header->lane_limit * sizeof(trace_lane_header));
    header->entries_offset = header->entry_index_offset + page_aligned(header->entry_limit * sizeof(uint32_t));
    uint64_t end = header->entries_offset + header->entries_size;
    header->rings_offset = (end + TRACE_LARGEST_PAGE - 1) & ~(uint64_t)(TRACE_LARGEST_PAGE - 1);
    header->region_size = header->rings_offset;
}

uint64_t trace_layout_full_size(const trace_header *header) {
    uint32_t step = trace_lanes_of_step(header);
    return trace_ring_offset(header, (header->lane_limit + step - 1) / step * step);
}

static char process_name[sizeof ((trace_header *)NULL)->program];

void trace_name_process(const char *name) {
    strncpy(process_name, name, sizeof process_name - 1);
}

/// Copies the process's OpenTelemetry resource into the header. A reader may not read the process's environment, or come when it has ended.
static void describe_resource(trace_header *header) {
    const char *service = secure_getenv("OTEL_SERVICE_NAME"), *pairs = secure_getenv("OTEL_RESOURCE_ATTRIBUTES");
    if (service != NULL) strncpy(header->service, service, sizeof header->service - 1);
    if (pairs == NULL) return;
    size_t length = strlen(pairs), room = sizeof header->resource - 1;
    // If the list is too long, only the pairs that fit are kept.
    if (length > room) for (length = room; length > 0 && pairs[length] != ','; length--) {}
    memcpy(header->resource, pairs, length);
}

trace_header trace_region_layout(const trace_region_options *options) {
    trace_header header = {
        .magic = {'H', 'O', 'P', 'L', 'A', 'N', 'E', 'S'}, .version = TRACE_REGION_VERSION, .header_size = sizeof header,
    };
    header.lane_limit = options->lane_limit > 0 ? options->lane_limit : 1;
    if (header.lane_limit > TRACE_LANE_LIMIT) header.lane_limit = TRACE_LANE_LIMIT;
    header.lane_slots = power_of_two(options->lane_slots);
    header.entry_limit = options->entry_limit < 64 ? 64 : options->entry_limit;
    header.entries_size = (uint32_t)page_aligned(options->entries_size > 0 ? options->entries_size : 1);
    header.pid = (uint32_t)getpid();
    header.process_start = trace_process_start(header.pid);
    header.pid_namespace = trace_process_namespace();
    trace_boot(header.boot);
    const char *program = options->program;
    if (program == NULL || *program == 0) program = process_name;
    if (*program == 0) program = program_invocation_short_name;
    strncpy(header.program, program, sizeof header.program - 1);
    describe_resource(&header);
    lay_out(&header);
    return header;
}

bool trace_layout_shrink(trace_header *header) {
    if (header->lane_limit == 1) return false;
    header->lane_limit /= 2;
    lay_out(header);
    return true;
}

bool trace_layout_fit(trace_header *header) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    uint64_t used = trace_address_space();
    uint64_t left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
    while (trace_layout_full_size(header) > left / 4) {
        if (!trace_layout_shrink(header)) {
            errno = ENOMEM;
            return false;
        }
    }
    return true;
}

bool trace_region_begin(trace_region *region, trace_header *header, const trace_region_options *options) {
    start_clock(header, options->clock);
    region->header = malloc(sizeof *header);
    if (region->header == NULL) return false;
    memcpy(region->header, header, sizeof *header);
    region->size = header->region_size;
    region->shared = (trace_header *)region->base;
    region->lanes = (trace_lane_header *)(region->base + header->lane_headers_offset);
    region->lane_room = header->lane_limit;
    region->rings = calloc(header->lane_limit + trace_lanes_of_step(header), sizeof *region->rings);
    region->slots = calloc(header->lane_limit + trace_lanes_of_step(header), sizeof *region->slots);
    if (region->rings == NULL || region->slots == NULL || !trace_entries_prepare(region)) return false;
    memcpy(region->shared, region->header, sizeof *header);
    return true;
}

void trace_region_free(trace_region *region) {
    if (region->base != NULL) munmap(region->base, region->size);
    free(region->rings);
    free(region->slots);
    free(region->buckets);
    free(region->places);
    free(region->header);
    free(region);
}

trace_region *trace_region_create(const trace_region_options *options) {
    trace_region *region = trace_region_allocate();
    if (region == NULL) return NULL;
    trace_header header = trace_region_layout(options);
    if (!trace_layout_fit(&header)) {
        free(region);
        errno = ENOMEM;
        return NULL;
    }
    do {
        region->base = mmap(
            NULL, header.region_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    } while (region->base == MAP_FAILED && trace_layout_shrink(&header));
    if (region->base == MAP_FAILED) {
        free(region);
        return NULL;
    }
    if (trace_region_begin(region, &header, options)) return region;
    trace_region_free(region);
    errno = ENOMEM;
    return NULL;
}

/// Replaces the pages at an address, also those of a file, with fresh ones.
static bool refresh(void *address, size_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(address, size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}

/// The size of the rings that are mapped together.
static size_t step_size(const trace_region *region) {
    return trace_ring_offset(region->header, trace_lanes_of_step(region->header)) - region->header->rings_offset;
}

bool trace_region_contains(const trace_region *region, const uint8_t *address) {
    if (address >= region->base && address < region->base + region->size) return true;
    size_t size = step_size(region);
    uint32_t step = trace_lanes_of_step(region->header);
    for (uint32_t lane = 0; lane < region->header->lane_limit; lane += step) {
        const uint8_t *ring = (const uint8_t *)trace_ring(region, lane);
        if (ring == NULL) return false;
        if (address >= ring && address < ring + size) return true;
    }
    return false;
}

bool trace_replace_pages(trace_region *region) {
    size_t size = step_size(region);
    uint32_t step = trace_lanes_of_step(region->header);
    bool is_done = refresh(region->base, region->size);
    for (uint32_t lane = 0; lane < region->header->lane_limit; lane += step) {
        void *ring = trace_ring(region, lane);
        if (ring == NULL) break;
        is_done = refresh(ring, size) && is_done;
    }
    return is_done;
}

void trace_region_discard(trace_region *region) {
    pthread_mutex_lock(&region->lane_lock);
    pthread_mutex_lock(&region->entry_lock);
    free(region->buckets);
    free(region->places);
    region->buckets = region->places = NULL;
    region->is_full = true;
    __atomic_store_n(&region->header->lane_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&region->header->entry_count, 0, __ATOMIC_RELEASE);
    trace_region_close(region);
    trace_replace_pages(region);
    pthread_mutex_unlock(&region->entry_lock);
    pthread_mutex_unlock(&region->lane_lock);
}

const trace_header *trace_region_header(const trace_region *region) {
    return region->header;
}

uint64_t trace_clock_now(uint32_t clock) {
    return clock == TRACE_CLOCK_COUNTER ? counter() : clock_nanoseconds(CLOCK_MONOTONIC);
}

uint64_t trace_region_now(const trace_region *region) {
    uint32_t clock = region->header->clock;
    if (__builtin_expect(clock == TRACE_CLOCK_VIRTUAL, 0)) return __atomic_load_n(&region->header->virtual_time, __ATOMIC_ACQUIRE);
    return trace_clock_now(clock);
}

uint64_t trace_ticks(void) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    return region != NULL && region != &trace_awaited ? trace_region_now(region) : 0;
}

uint64_t trace_nanoseconds(uint64_t ticks) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    if (region == NULL || region == &trace_awaited) return 0;
    return (uint64_t)((unsigned __int128)ticks * 1000000000u / region->header->ticks_per_second);
}

void trace_region_set_time(trace_region *region, uint64_t ticks) {
    __atomic_store_n(&region->header->virtual_time, ticks, __ATOMIC_RELEASE);
    __atomic_store_n(&region->shared->virtual_time, ticks, __ATOMIC_RELEASE);
}

trace_region *trace_install(trace_region *region) {
    // Another copy of the lanes may have made the region, and then this copy is not prepared yet.
    trace_threads_prepare();
    if (trace_other_lanes != NULL) trace_other_lanes->install(region);
    // Under the lock, a new executor is either published here or sees the new region.
    trace_executors_lock();
    if (region != NULL) trace_executors_publish(region);
    trace_region *before = __atomic_exchange_n(&trace_active, region, __ATOMIC_ACQ_REL);
    trace_executors_unlock();
    if (region != NULL && trace_registered.recording_began != NULL) trace_registered.recording_began();
    if (before == &trace_awaited) before = NULL;
    return before;
}

bool trace_install_awaited(trace_region *region) {
    trace_threads_prepare();
    trace_region *expected = &trace_awaited;
    trace_executors_lock();
    if (region != NULL) trace_executors_publish(region);
    bool is_installed = __atomic_compare_exchange_n(&trace_active, &expected, region, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    trace_executors_unlock();
    return is_installed;
}

void trace_uninstall(trace_region *region) {
    if (trace_other_lanes != NULL) trace_other_lanes->uninstall(region);
    trace_executors_lock();
    // An exchange, because a signal handler may end the recording without the lock.
    __atomic_compare_exchange_n(&trace_active, &(trace_region *){region}, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    trace_executors_unlock();
}
