// Declarations that the C files of this target share.

#ifndef TRACE_REGION_H
#define TRACE_REGION_H

#include <pthread.h>
#include <string.h>
#include <sys/types.h>

#include "trace_files.h"
#include "trace_lanes.h"

// Memory orders. Each suffices on a processor that reorders whatever it may, such as aarch64:
// - What a count counts is written before the count's release store: a lane's records before `head`, an entry before `entry_count`, a
//   lane's ring and length before `lane_count`, the file's size before all of them. A reader loads the count with acquire order, or by
//   a system call that an acquire fence follows.
// - A slot that is written again is told by `head`: the writer's release fence stands between the store of `head` and the slot's stores,
//   and the reader's acquire fence between the slot's loads and its second load of `head`. A reader that sees any new word sees
//   that `head`.
// - A region is complete before it is stored in `trace_active`, with release order; emitters load it with acquire order.
// - A lane goes from thread to thread by `owner`: the release store of 0 publishes the old thread's records and `head`, and the acquire
//   load of 0, under the lock, finds them.
// - Counters that nothing else is read with are relaxed: losses, numbers of tasks (a fetch-and-add that happens after another gets the
//   larger number), generations, and `read`, by which a lane is only chosen.

/// A region and this process's own state for it. A region in use is never freed, so that a late writer still finds it.
struct trace_region {
    uint8_t *base;
    size_t size;
    trace_header *header;  ///< this process's copy, the only one that it believes: anything may be written into the file
    trace_header *shared;  ///< the header that readers see; its changing members follow `header`
    trace_lane_header *lanes;
    trace_record **rings;  ///< the rings mapped so far, by lane; NULL for a lane that is not mapped yet
    uint32_t *slots;  ///< the length of each lane's ring, as in the lane's header
    uint64_t generation;  ///< unique among the process's regions; never 0

    pthread_mutex_t lane_lock;  ///< lane hand-over, and rings that grow
    uint32_t lane_room;         ///< the number of lanes that the process and the file system allow
    bool is_full;               ///< the disk is full; rings keep their size

    pthread_mutex_t entry_lock;  ///< held by writers of the table
    uint32_t *buckets;           ///< ids + 1 by hash, open addressing
    uint64_t bucket_mask;
    uint32_t *places;           ///< offsets into the entries by id, as in the index
    uint32_t entries_used;      ///< bytes
    uint32_t entries_reserved;  ///< reserved bytes of the table
    uint32_t index_reserved;    ///< reserved bytes of the index

    // For a region in a file. The two descriptors are -1 otherwise.
    int file;
    int directory;
    pid_t pid;  ///< the process that made the file; a forked child does not own it
    dev_t device;
    ino_t inode;
    trace_region *next_file;  ///< the region that was watched before this one; see trace_watch_file
    bool is_nameless;  ///< the file has no name yet and vanishes when the process ends
    bool is_published;
    char stem[TRACE_NAME_ROOM];  ///< the file's name without its extension
    char name[TRACE_NAME_ROOM];
};

static inline trace_record *trace_ring(const trace_region *region, uint32_t lane) {
    return __atomic_load_n(&region->rings[lane], __ATOMIC_ACQUIRE);
}

/// Lanes are mapped in steps of at least this many bytes, the largest page that Linux has on x86-64 and aarch64.
enum { TRACE_LARGEST_PAGE = 64 << 10 };

/// The number of lanes that are mapped together: one, unless their rings are smaller than a page.
static inline uint32_t trace_lanes_of_step(const trace_header *header) {
    uint64_t ring = header->lane_slots * sizeof(trace_record);
    return ring >= TRACE_LARGEST_PAGE ? 1 : (uint32_t)(TRACE_LARGEST_PAGE / ring);
}

static inline uint64_t trace_ring_offset(const trace_header *header, uint32_t lane) {
    return header->rings_offset + (uint64_t)lane * header->lane_slots * sizeof(trace_record);
}

/// The size of the kernel's pages in bytes: 4 KiB on x86-64; 4, 16 or 64 KiB on aarch64.
size_t trace_page_size(void);

/// Registers the handlers for a thread's end and for a forked child. Must run before the process emits into a region.
void trace_threads_prepare(void);

/// Allocates a region without its mapping.
trace_region *trace_region_allocate(void);

/// The generation of the region that was allocated last. 0 if there was none. It is read and written atomically.
extern uint64_t trace_latest_generation;

/// The layout of a region with the given options, as a header.
trace_header trace_region_layout(const trace_region_options *options);

/// Halves the number of lanes. False if there is only one.
bool trace_layout_shrink(trace_header *header);

/// Shrinks the layout until it needs at most a quarter of the address space that `ulimit -v` leaves this process. The program needs the
/// rest: without it, the program hangs or dies. False if even one lane is too much.
bool trace_layout_fit(trace_header *header);

/// The number of bytes of address space that this process has mapped.
uint64_t trace_address_space(void);

/// The size of a region with all its lanes.
uint64_t trace_layout_full_size(const trace_header *header);

/// Initializes a region in a new mapping of zeros. False if memory is short.
bool trace_region_begin(trace_region *region, trace_header *header, const trace_region_options *options);

/// Frees a region that no thread has used, and its mapping.
void trace_region_free(trace_region *region);

/// Writes an anchor of this moment into a region in a file. The caller holds the lock of the lanes.
void trace_region_anchor(trace_region *region);

/// Reserves disk space for the part of the region that is mapped at `address`, so that a later write cannot meet a full disk. True for an
/// anonymous region.
bool trace_reserve(const trace_region *region, void *address, uint64_t offset, uint64_t length);

/// Makes room for the step of lanes from lane `first` on, and maps it. Returns NULL if the process or the file system allows no more. The
/// caller holds the lock of the lanes.
trace_record *trace_map_lanes(trace_region *region, uint32_t first);

/// True if the address is in a page of the region, a ring's included. Takes no lock.
bool trace_region_contains(const trace_region *region, const uint8_t *address);

/// Replaces all pages of the region, also those of a file, by fresh ones. Uses system calls only. False if a page stays.
bool trace_replace_pages(trace_region *region);

/// True unless the program has closed the region's descriptor and reused its number for a file of its own.
bool trace_holds_file(const trace_region *region);

/// From now on a touch of a page that the region's file no longer has ends the recording and not the program.
void trace_watch_file(trace_region *region);

/// Removes the region's file if this process made it, and closes the region's descriptors. The caller holds both locks.
void trace_region_close(trace_region *region);

/// A placeholder for the region that the environment asks for, installed until the first event.
extern trace_region trace_awaited;

/// Makes and installs the region that the environment asks for. Returns the region that the process then records into, NULL for none.
trace_region *trace_environment_publish(void);

/// The region to emit into, NULL for none.
static inline trace_region *trace_recorded_into(void) {
    trace_region *region = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    return __builtin_expect(region == &trace_awaited, 0) ? trace_environment_publish() : region;
}

/// Installs the region in the place of `trace_awaited`. False if another region or none is installed.
bool trace_install_awaited(trace_region *region);

/// The functions that the layers above the lanes have registered.
extern trace_parts trace_registered;

/// Formats a sentence into the problem and returns -1.
int trace_explain(trace_problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Prepares the entry table of a new region. False if memory is short.
bool trace_entries_prepare(trace_region *region);

/// Finds an equal entry or appends a new one, and returns its id.
uint32_t trace_intern(trace_region *region, trace_entry entry, const uint8_t *bytes);
uint32_t trace_intern_text(trace_region *region, const uint8_t *bytes, size_t length);

/// Frees the ending thread's cache of places in code.
void trace_code_forget(void);

/// One step of the hash function that the tables use.
static inline uint64_t trace_mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static inline uint64_t trace_hash(uint64_t hash, const uint8_t *bytes, size_t length) {
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = trace_mixed(hash, word);
        bytes += 8;
        length -= 8;
    }
    uint64_t rest = length;
    for (size_t index = 0; index < length; index++) rest = rest << 8 | bytes[index];
    return trace_mixed(hash, rest);
}

/// The function table of the probe's copy of the lanes, NULL if the probe has no copy of its own.
extern const trace_lanes_table *trace_other_lanes;

/// Sets `trace_other_lanes`. Must run before anything is recorded.
void trace_find_other_lanes(void);

/// Lock and unlock the process's list of executors.
void trace_executors_lock(void);
void trace_executors_unlock(void);

/// Publishes the executors known so far into a region that is about to be installed. The caller holds the lock.
void trace_executors_publish(trace_region *region);

#endif
