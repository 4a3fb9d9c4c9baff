// The append-only table of names, call sites, errors and executors.

#define _GNU_SOURCE
#include "trace_region.h"

#include <stdlib.h>
#include <string.h>

// MARK: - The table of one region

static trace_entry *entry_of(const trace_region *region, uint32_t id) {
    return (trace_entry *)(region->base + region->header->entries_offset + region->places[id]);
}

const trace_entry *trace_entry_at(const trace_region *region, uint32_t id, const uint8_t **bytes) {
    if (id == TRACE_ENTRY_NONE || id >= trace_entry_count(region)) return NULL;
    const trace_entry *entry = entry_of(region, id);
    *bytes = (const uint8_t *)(entry + 1);
    // The length is in the file, where anything may be written.
    return entry->length <= region->header->entries_size - sizeof *entry - region->places[id] ? entry : NULL;
}

uint32_t trace_entry_count(const trace_region *region) {
    return __atomic_load_n(&region->header->entry_count, __ATOMIC_ACQUIRE);
}

uint64_t trace_entries_refused(const trace_region *region) {
    return __atomic_load_n(&region->header->entries_refused, __ATOMIC_RELAXED);
}

static bool is_same(const trace_entry *one, const trace_entry *other, const uint8_t *bytes) {
    return one->kind == other->kind && one->a == other->a && one->b == other->b && one->c == other->c
        && one->length == other->length && memcmp(one + 1, bytes, other->length) == 0;
}

/// Appends an entry without checking for room or for an equal entry. The caller holds the lock, or no other thread knows the region.
static uint32_t append(trace_region *region, const trace_entry *entry, const uint8_t *bytes) {
    uint32_t id = region->header->entry_count;
    uint32_t *index = (uint32_t *)(region->base + region->header->entry_index_offset);
    uint8_t *place = region->base + region->header->entries_offset + region->entries_used;
    memcpy(place, entry, sizeof *entry);
    if (entry->length > 0) memcpy(place + sizeof *entry, bytes, entry->length);
    index[id] = region->places[id] = region->entries_used;
    region->entries_used += (uint32_t)((sizeof *entry + entry->length + 3) & ~(size_t)3);
    __atomic_store_n(&region->header->entry_count, id + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&region->shared->entry_count, id + 1, __ATOMIC_RELEASE);
    return id;
}

static uint32_t overflow_of(uint32_t kind) {
    switch (kind) {
    case TRACE_ENTRY_LABEL: return TRACE_LABEL_OVERFLOW;
    case TRACE_ENTRY_ERROR: return TRACE_ERROR_OVERFLOW;
    default: return TRACE_TEXT_OVERFLOW;
    }
}

/// Multiples of every page size that Linux has.
enum { ENTRIES_STEP = 256 << 10, INDEX_STEP = TRACE_LARGEST_PAGE };

/// Reserves disk space so that the first `bytes` bytes of the part at `offset` can be written. Reserves `step` bytes at a time, less at the
/// part's end.
static bool reach(const trace_region *region, uint64_t offset, uint64_t size, uint32_t *reserved, uint64_t bytes, uint32_t step) {
    while (bytes > *reserved) {
        uint64_t rest = size - *reserved;
        uint64_t length = rest < step ? rest : step;
        if (length == 0 || !trace_reserve(region, region->base + offset + *reserved, offset + *reserved, length)) return false;
        *reserved += (uint32_t)length;
    }
    return true;
}

/// True if there is room for one more entry. The caller holds the lock.
static bool has_room(trace_region *region, const trace_entry *entry) {
    const trace_header *header = region->header;
    uint64_t index = ((uint64_t)header->entry_count + 1) * sizeof(uint32_t);
    uint64_t index_size = header->entries_offset - header->entry_index_offset;
    uint64_t entries = region->entries_used + sizeof *entry + entry->length + 4;
    return header->entry_count < header->entry_limit && entries <= header->entries_size
        && reach(region, header->entry_index_offset, index_size, &region->index_reserved, index, INDEX_STEP)
        && reach(region, header->entries_offset, header->entries_size, &region->entries_reserved, entries, ENTRIES_STEP);
}

uint32_t trace_intern(trace_region *region, trace_entry entry, const uint8_t *bytes) {
    uint64_t seed = trace_mixed(trace_mixed(entry.kind, (uint64_t)entry.a << 32 | entry.b), entry.c);
    uint64_t hash = trace_hash(seed, bytes, entry.length);
    pthread_mutex_lock(&region->entry_lock);
    uint32_t id = TRACE_ENTRY_NONE;
    if (region->buckets != NULL) {
        uint64_t bucket = hash & region->bucket_mask;
        while (region->buckets[bucket] != 0 && !is_same(entry_of(region, region->buckets[bucket]), &entry, bytes))
            bucket = (bucket + 1) & region->bucket_mask;
        id = region->buckets[bucket];
        if (id == 0) {
            if (has_room(region, &entry)) {
                id = append(region, &entry, bytes);
                region->buckets[bucket] = id;
            } else {
                id = overflow_of(entry.kind);
                uint64_t refused = __atomic_add_fetch(&region->header->entries_refused, 1, __ATOMIC_RELAXED);
                __atomic_store_n(&region->shared->entries_refused, refused, __ATOMIC_RELAXED);
            }
        }
    }
    pthread_mutex_unlock(&region->entry_lock);
    return id;
}

uint32_t trace_intern_text(trace_region *region, const uint8_t *bytes, size_t length) {
    // The first page of a very long message is enough for a diagnosis.
    uint32_t kept = length < 4096 ? (uint32_t)length : 4096;
    while (kept < length && kept > 0 && (bytes[kept] & 0xC0) == 0x80) kept--;
    return trace_intern(region, (trace_entry){.kind = TRACE_ENTRY_TEXT, .length = kept}, bytes);
}

bool trace_entries_prepare(trace_region *region) {
    uint64_t buckets = 64;
    while (buckets < (uint64_t)region->header->entry_limit * 2) buckets <<= 1;
    region->buckets = calloc(buckets, sizeof *region->buckets);
    region->places = calloc(region->header->entry_limit, sizeof *region->places);
    if (region->buckets == NULL || region->places == NULL) return false;
    region->bucket_mask = buckets - 1;
    static const uint8_t ellipsis[] = "\xE2\x80\xA6";
    if (!has_room(region, &(trace_entry){.length = 256})) return false;
    append(region, &(trace_entry){.kind = 0}, NULL);
    append(region, &(trace_entry){.kind = TRACE_ENTRY_TEXT, .length = 3}, ellipsis);
    append(region, &(trace_entry){.kind = TRACE_ENTRY_LABEL, .a = TRACE_TEXT_OVERFLOW, .b = TRACE_TEXT_OVERFLOW}, NULL);
    append(region, &(trace_entry){.kind = TRACE_ENTRY_ERROR, .a = TRACE_TEXT_OVERFLOW, .b = TRACE_TEXT_OVERFLOW}, NULL);
    return true;
}

// MARK: - Functions for emitters

uint32_t trace_text(const uint8_t *bytes, size_t length) {
    trace_region *region = trace_recorded_into();
    return region == NULL ? TRACE_ENTRY_NONE : trace_intern_text(region, bytes, length);
}

void trace_state_swift_routes(uint32_t routes) {
    trace_region *region = trace_recorded_into();
    if (region != NULL) trace_intern(region, (trace_entry){.kind = TRACE_ENTRY_SWIFT_ROUTES, .a = routes}, (const uint8_t *)"");
}

uint32_t trace_label(const uint8_t *name, size_t name_length, const uint8_t *file, size_t file_length, uint32_t line) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return TRACE_ENTRY_NONE;
    trace_entry entry = {.kind = TRACE_ENTRY_LABEL, .c = line};
    entry.a = trace_intern_text(region, name, name_length);
    entry.b = trace_intern_text(region, file, file_length);
    return trace_intern(region, entry, (const uint8_t *)"");
}

uint32_t trace_error(const uint8_t *type, size_t type_length, const uint8_t *message, size_t message_length) {
    trace_region *region = trace_recorded_into();
    if (region == NULL) return TRACE_ENTRY_NONE;
    trace_entry entry = {.kind = TRACE_ENTRY_ERROR};
    entry.a = trace_intern_text(region, type, type_length);
    entry.b = trace_intern_text(region, message, message_length);
    return trace_intern(region, entry, (const uint8_t *)"");
}

// MARK: - Executors, which outlive regions

typedef struct known_executor {
    uint8_t *name;  ///< NULL once it has ended
    size_t name_length;
    uint64_t ended_after;  ///< of one that has ended: the generation of the latest region then, which may know it
    uint16_t next_ended;   ///< the id of the one that ended next, 0 for none
    uint8_t kind;
} known_executor;

static pthread_mutex_t executors_lock = PTHREAD_MUTEX_INITIALIZER;
static known_executor *executors;
static uint32_t executor_count, executor_room;
/// The ids of the executors that ended first and last, of those whose ids no later executor has yet.
static uint16_t first_ended, last_ended;

static void publish(trace_region *region, uint32_t number) {
    const known_executor *executor = &executors[number];
    trace_entry entry = {.kind = TRACE_ENTRY_EXECUTOR, .a = number + 1, .c = executor->kind};
    entry.b = trace_intern_text(region, executor->name, executor->name_length);
    trace_intern(region, entry, (const uint8_t *)"");
}

/// The id of an executor that ended before the active region was made, so that the region does not know it. 0 if there is none.
static uint16_t take_ended(const trace_region *active) {
    uint16_t id = first_ended;
    // The others ended later.
    if (id == 0 || (active != NULL && active->generation <= executors[id - 1].ended_after)) return 0;
    first_ended = executors[id - 1].next_ended;
    if (first_ended == 0) last_ended = 0;
    return id;
}

/// An id that no executor has had. 0 if there is none, or no memory.
static uint16_t take_new(void) {
    if (executor_count == executor_room && executor_room < UINT16_MAX - 1) {
        uint32_t room = executor_room == 0 ? 64 : executor_room * 2;
        known_executor *larger = realloc(executors, room * sizeof *larger);
        if (larger != NULL) {
            executors = larger;
            executor_room = room < UINT16_MAX ? room : UINT16_MAX - 1;
        }
    }
    return executor_count < executor_room ? (uint16_t)++executor_count : 0;
}

uint16_t trace_executor_register(const uint8_t *name, size_t name_length, uint8_t kind) {
    if (trace_other_lanes != NULL) return trace_other_lanes->register_executor(name, name_length, kind);
    uint8_t *copy = malloc(name_length + 1);
    if (copy == NULL) return UINT16_MAX;
    memcpy(copy, name, name_length);
    pthread_mutex_lock(&executors_lock);
    trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    uint16_t id = take_ended(region);
    if (id == 0) id = take_new();
    if (id != 0) {
        executors[id - 1] = (known_executor){.name = copy, .name_length = name_length, .kind = kind};
        // An awaited region receives all executors when it is made.
        if (region != NULL && region != &trace_awaited) publish(region, id - 1);
    }
    pthread_mutex_unlock(&executors_lock);
    if (id == 0) free(copy);
    return id != 0 ? id : UINT16_MAX;
}

void trace_executor_end(uint16_t id) {
    if (trace_other_lanes != NULL) {
        trace_other_lanes->end_executor(id);
        return;
    }
    if (id == 0 || id == UINT16_MAX) return;
    pthread_mutex_lock(&executors_lock);
    known_executor *executor = &executors[id - 1];
    free(executor->name);
    *executor = (known_executor){.ended_after = __atomic_load_n(&trace_latest_generation, __ATOMIC_RELAXED)};
    if (last_ended != 0) executors[last_ended - 1].next_ended = id;
    else first_ended = id;
    last_ended = id;
    pthread_mutex_unlock(&executors_lock);
}

void trace_executors_publish(trace_region *region) {
    for (uint32_t number = 0; number < executor_count; number++)
        if (executors[number].name != NULL) publish(region, number);
}

void trace_executors_lock(void) {
    pthread_mutex_lock(&executors_lock);
}

void trace_executors_unlock(void) {
    pthread_mutex_unlock(&executors_lock);
}
