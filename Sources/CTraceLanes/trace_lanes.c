// Writes and reads the rings, and passes lanes from thread to thread.

#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace_region.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// A thread's view of its lane.
typedef struct thread_state {
    uint64_t generation;  ///< the generation of the lane's region, 0 before the first event
    uint64_t counted;  ///< the same, if the region's ticks are the processor's counter; 0 otherwise
    trace_lane_header *lane;  ///< NULL if the region had no free lane
    trace_record *ring;
    uint64_t mask;   ///< the number of the ring's slots minus one
    uint64_t head;
    uint64_t limit;  ///< the `head` at which to lengthen the ring or to write an anchor; 0 if there is no lane
    void *slots[TRACE_THREAD_SLOTS];
} thread_state;

/// The initial-exec model makes access free of calls, also in a preloaded library.
static __thread thread_state thread __attribute__((tls_model("initial-exec")));
static pthread_key_t leaving;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

void **trace_thread_slots(void) {
    return thread.slots;
}

void trace_thread_set_name(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

static void forget_lane(void) {
    thread.lane = NULL;
    thread.head = thread.limit = 0;
    thread.generation = thread.counted = 0;
}

static void give_lane_back(void) {
    if (thread.lane != NULL) __atomic_store_n(&thread.lane->owner, 0, __ATOMIC_RELEASE);
    forget_lane();
}

static void thread_leaves(void *unused) {
    (void)unused;
    give_lane_back();
    trace_code_forget();
}

/// Runs in a forked child, which must not write to its parent's lanes.
static void child_begins(void) {
    __atomic_store_n(&trace_active, NULL, __ATOMIC_RELEASE);
    forget_lane();
}

static void prepare(void) {
    pthread_key_create(&leaving, thread_leaves);
    pthread_atfork(NULL, NULL, child_begins);
}

void trace_threads_prepare(void) {
    pthread_once(&prepared, prepare);
}

/// From this number of lanes on, a file gets a new lane only if no lane is free. Readers in other processes cannot report how far they have
/// read, so without this rule a thread pool that replaces its threads would grow the file.
enum { SPARE_LANES_OF_A_FILE = 16 };

/// The number of records in a new ring of a file: 256 KiB, or 32 KiB if the program has many threads; at least a page.
enum { FIRST_SLOTS = 8192, SMALL_SLOTS = 1024, MANY_LANES = 32 };

static uint32_t first_slots(const trace_region *region, uint32_t lane) {
    uint32_t wanted = lane < MANY_LANES ? FIRST_SLOTS : SMALL_SLOTS, slots_of_page = (uint32_t)(trace_page_size() / sizeof(trace_record));
    if (wanted < slots_of_page) wanted = slots_of_page;
    return region->file < 0 || region->header->lane_slots < wanted ? region->header->lane_slots : wanted;
}

/// Reserves the ring's slots from number `first` on.
static bool reserve_slots(const trace_region *region, uint32_t lane, uint32_t first, uint32_t count) {
    trace_record *slots = trace_ring(region, lane) + first;
    uint64_t offset = trace_ring_offset(region->header, lane) + first * sizeof(trace_record), length = count * sizeof(trace_record);
    return trace_reserve(region, slots, offset, length);
}

/// Reserves the header of a lane, a page of headers at a time.
static bool reserve_header(const trace_region *region, uint32_t lane) {
    size_t page = trace_page_size();
    if (lane % (page / sizeof(trace_lane_header)) != 0) return true;
    trace_lane_header *header = &region->lanes[lane];
    return trace_reserve(region, header, (uint64_t)((uint8_t *)header - region->base), page);
}

/// Sets the length of a lane's ring for this process and for readers. The caller holds the lock.
static void set_slots(trace_region *region, uint32_t lane, uint32_t slots) {
    __atomic_store_n(&region->slots[lane], slots, __ATOMIC_RELEASE);
    __atomic_store_n(&region->lanes[lane].slots, slots, __ATOMIC_RELEASE);
}

static uint32_t lane_of_thread(const trace_region *region) {
    return (uint32_t)(thread.lane - region->lanes);
}

static trace_lane_header *new_lane(trace_region *region) {
    trace_header *header = region->header;
    uint32_t number = header->lane_count;
    if (number >= region->lane_room || region->is_full) return NULL;
    if (region->rings[number] == NULL) {
        trace_record *mapped = trace_map_lanes(region, number);
        if (mapped == NULL) {
            region->lane_room = number;
            return NULL;
        }
        for (uint32_t lane = 0; lane < trace_lanes_of_step(header); lane++)
            __atomic_store_n(&region->rings[number + lane], mapped + (size_t)lane * header->lane_slots, __ATOMIC_RELEASE);
    }
    uint32_t slots = first_slots(region, number);
    if (!reserve_header(region, number) || !reserve_slots(region, number, 0, slots)) {
        region->is_full = true;
        return NULL;
    }
    set_slots(region, number, slots);
    __atomic_store_n(&header->lane_count, number + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&region->shared->lane_count, number + 1, __ATOMIC_RELEASE);
    return &region->lanes[number];
}

/// Prefers a lane whose thread has ended and whose ring is at most half unread, then a new lane. Takes the free lane with the fewest unread
/// records if the region can make no new lane, or if a file already has SPARE_LANES_OF_A_FILE lanes.
static trace_lane_header *choose_lane(trace_region *region) {
    uint32_t used = region->header->lane_count;
    uint64_t least = UINT64_MAX;
    trace_lane_header *fullest = NULL;
    for (uint32_t index = 0; index < used; index++) {
        trace_lane_header *lane = &region->lanes[index];
        if (__atomic_load_n(&lane->owner, __ATOMIC_ACQUIRE) != 0) continue;
        uint64_t unread = lane->head - __atomic_load_n(&lane->read, __ATOMIC_RELAXED);
        if (unread <= (region->is_full ? region->slots[index] : region->header->lane_slots) / 2) return lane;
        if (unread < least) {
            least = unread;
            fullest = lane;
        }
    }
    if (fullest != NULL && region->file >= 0 && used >= SPARE_LANES_OF_A_FILE) return fullest;
    trace_lane_header *lane = new_lane(region);
    return lane != NULL ? lane : fullest;
}

/// Writes one record to the calling thread's lane. `last` is the record's last word.
static inline uint64_t append(uint64_t now, uint64_t last, uint64_t task, uint64_t other) {
    uint64_t head = thread.head;
    uint64_t *slot = (uint64_t *)&thread.ring[head & thread.mask];
    // A reader that sees any word of this record also sees every earlier `head`, and so knows that the writer owns the slot. A fence,
    // because a release store orders only what precedes it: the relaxed stores below could pass the last store of `head`.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&slot[0], now, __ATOMIC_RELAXED);
    __atomic_store_n(&slot[1], task, __ATOMIC_RELAXED);
    __atomic_store_n(&slot[2], other, __ATOMIC_RELAXED);
    __atomic_store_n(&slot[3], last, __ATOMIC_RELAXED);
    thread.head = head + 1;
    __atomic_store_n(&thread.lane->head, head + 1, __ATOMIC_RELEASE);
    return now;
}

/// The time of the thread's last record if that record is of the kind `before` and concerns `task`, or else 0. A thread with a lane has a
/// last record, because `take_lane` writes one.
static inline uint64_t time_after(uint8_t before, uint64_t task) {
    const uint64_t *slot = (const uint64_t *)&thread.ring[(thread.head - 1) & thread.mask];
    uint64_t last = __atomic_load_n(&slot[3], __ATOMIC_RELAXED);
    bool is_sequel = __atomic_load_n(&slot[1], __ATOMIC_RELAXED) == task && (uint8_t)(last >> 48) == before;
    return is_sequel ? __atomic_load_n(&slot[0], __ATOMIC_RELAXED) : 0;
}

static inline uint64_t last_word(uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label) {
    return (uint64_t)label | (uint64_t)executor << 32 | (uint64_t)kind << 48 | (uint64_t)detail << 56;
}

/// Updates the thread's copy of its ring's mask and limit. A ring is lengthened before its last slot is used. Until then no slot has been
/// reused, so every record keeps its slot under the longer mask. A ring that stays as it is writes an anchor each time that it is full.
static void measure_ring(const trace_region *region) {
    uint32_t slots = region->slots[lane_of_thread(region)];
    bool can_grow = slots < region->header->lane_slots && !region->is_full;
    thread.limit = can_grow && slots - 1 >= thread.head ? slots - 1 : thread.head + slots;
    thread.mask = slots - 1;
}

/// Lengthens the ring of the calling thread, whose limit is reached, if it can grow.
static void fill_ring(trace_region *region) {
    pthread_mutex_lock(&region->lane_lock);
    // A probe that records the program's waits may have recorded this one: that event has lengthened the ring.
    if (thread.head != thread.limit) {
        pthread_mutex_unlock(&region->lane_lock);
        return;
    }
    uint32_t lane = lane_of_thread(region), slots = region->slots[lane];
    // A ring that has wrapped around keeps its length.
    if (!region->is_full && thread.head < slots && slots < region->header->lane_slots) {
        if (reserve_slots(region, lane, slots, slots)) set_slots(region, lane, slots * 2);
        else region->is_full = true;
    }
    measure_ring(region);
    trace_region_anchor(region);
    pthread_mutex_unlock(&region->lane_lock);
}

static void take_lane(trace_region *region) {
    give_lane_back();
    uint32_t id = (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&region->lane_lock);
    // A probe that records the program's waits may have recorded this one: that event has taken a lane.
    if (thread.lane != NULL) {
        pthread_mutex_unlock(&region->lane_lock);
        return;
    }
    trace_lane_header *lane = choose_lane(region);
    if (lane != NULL) __atomic_store_n(&lane->owner, id, __ATOMIC_RELEASE);
    thread.generation = region->generation;
    thread.counted = region->header->clock == TRACE_CLOCK_COUNTER ? region->generation : 0;
    thread.lane = lane;
    if (lane != NULL) {
        thread.ring = trace_ring(region, lane_of_thread(region));
        thread.head = lane->head;
        measure_ring(region);
        trace_region_anchor(region);
    }
    pthread_mutex_unlock(&region->lane_lock);
    if (lane == NULL) return;
    pthread_setspecific(leaving, &thread);
    // The thread before may have left exactly the last slot.
    if (thread.head == thread.limit) fill_ring(region);
    append(trace_region_now(region), last_word(TRACE_KIND_THREAD, 0, 0, 0), 0, id);
}

/// True if the thread has a slot to write to. False only if the region had no lane left for the thread.
static bool find_place(trace_region *region) {
    if (thread.lane != NULL) {
        fill_ring(region);
        return true;
    }
    __atomic_add_fetch(&region->header->unplaced, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&region->shared->unplaced, 1, __ATOMIC_RELAXED);
    // The next event tries again, because a thread that has ended since may have freed its lane.
    thread.generation = thread.counted = 0;
    return false;
}

uint64_t trace_recording(void) {
    trace_region *region = trace_recorded_into();
    return region != NULL ? region->generation : 0;
}

/// The rest of `trace_emit`, for a thread's first event in a region, a ring that is full, and the slower clocks.
static __attribute__((noinline)) uint64_t emit_slowly(uint64_t last, uint64_t task, uint64_t other) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return 0;
    if (thread.generation != region->generation) take_lane(region);
    if (thread.head == thread.limit && !find_place(region)) return 0;
    return append(trace_region_now(region), last, task, other);
}

/// The common case needs no stack frame and saves no register: everything else is in a function of its own.
uint64_t trace_emit(uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    if (region == NULL) return 0;
    uint64_t last = last_word(kind, detail, executor, label);
#if defined(__x86_64__)
    if (__builtin_expect(thread.counted == region->generation && thread.head != thread.limit, 1))
        return append(__rdtsc(), last, task, other);
#endif
    return emit_slowly(last, task, other);
}

uint64_t trace_emit_after(
    uint8_t before, uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other) {
    const trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    if (region == NULL) return 0;
    if (__builtin_expect(thread.generation == region->generation && thread.head != thread.limit, 1)) {
        uint64_t time = time_after(before, task);
        if (time != 0) return append(time, last_word(kind, detail, executor, label), task, other);
    }
    return trace_emit(kind, detail, executor, label, task, other);
}

uint64_t trace_lane_begin(void) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return 0;
    if (thread.generation != region->generation) take_lane(region);
    return trace_region_now(region);
}

uint64_t trace_emit_at(uint64_t time, uint8_t kind, uint8_t detail, uint16_t executor, uint32_t label, uint64_t task, uint64_t other) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return 0;
    if (thread.generation != region->generation) take_lane(region);
    if (thread.head == thread.limit && !find_place(region)) return 0;
    return append(time, last_word(kind, detail, executor, label), task, other);
}

size_t trace_lane_read(const trace_region *region, uint32_t lane, uint64_t *next, trace_record *out, size_t room, uint64_t *lost) {
    const trace_lane_header *state = &region->lanes[lane];
    const trace_record *ring = trace_ring(region, lane);
    uint64_t head = trace_lane_head(region, lane);
    if (head <= *next) return 0;
    // A ring is lengthened before `head` passes its length, so this length is at least the ring's length when the records were written.
    uint64_t capacity = __atomic_load_n(&region->slots[lane], __ATOMIC_RELAXED) - (uint64_t)1;
    uint64_t first = *next;
    if (head - first > capacity) first = head - capacity;
    uint64_t count = head - first < room ? head - first : room;
    for (uint64_t index = 0; index < count; index++) {
        const uint64_t *slot = (const uint64_t *)&ring[(first + index) & capacity];
        uint64_t *copy = (uint64_t *)&out[index];
        for (int word = 0; word < 4; word++) copy[word] = __atomic_load_n(&slot[word], __ATOMIC_RELAXED);
    }
    // A record that the writer has overwritten during the copy may be torn, so it counts as lost.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint64_t now = __atomic_load_n(&state->head, __ATOMIC_ACQUIRE);
    capacity = __atomic_load_n(&region->slots[lane], __ATOMIC_RELAXED) - (uint64_t)1;
    uint64_t intact = now > capacity ? now - capacity : 0;
    uint64_t skip = 0;
    if (intact > first) skip = intact - first < count ? intact - first : count;
    if (skip > 0) __builtin_memmove(out, out + skip, (count - skip) * sizeof *out);
    *lost += first + skip - *next;
    *next = first + count;
    return count - skip;
}

void trace_lane_set_read(trace_region *region, uint32_t lane, uint64_t next) {
    uint64_t *read = &region->lanes[lane].read;
    if (next > __atomic_load_n(read, __ATOMIC_RELAXED)) __atomic_store_n(read, next, __ATOMIC_RELAXED);
}

uint32_t trace_lane_count(const trace_region *region) {
    return __atomic_load_n(&region->header->lane_count, __ATOMIC_ACQUIRE);
}

uint64_t trace_lane_head(const trace_region *region, uint32_t lane) {
    uint64_t head = __atomic_load_n(&region->lanes[lane].head, __ATOMIC_ACQUIRE);
    return head <= TRACE_MOST_RECORDS ? head : 0;
}

uint64_t trace_unplaced(const trace_region *region) {
    return __atomic_load_n(&region->header->unplaced, __ATOMIC_RELAXED);
}
