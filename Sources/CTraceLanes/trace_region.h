// What the C files of this target share.

#ifndef TRACE_REGION_H
#define TRACE_REGION_H

#include <pthread.h>

#include "trace_lanes.h"

/// A region and what this process keeps beside it. Never freed, so that a late writer finds it.
struct trace_region {
    uint8_t *base;
    size_t size;
    trace_header *header;
    trace_lane_header *lanes;
    trace_record *rings;
    uint64_t slot_mask;
    uint64_t generation;  ///< tells this region from every other of the process; never 0

    pthread_mutex_t lane_lock;  ///< lane hand-over

    pthread_mutex_t entry_lock;  ///< the table's writers
    uint32_t *buckets;           ///< ids + 1 by hash, open addressing
    uint64_t bucket_mask;
    uint32_t entries_used;  ///< bytes
};

static inline trace_record *trace_ring(const trace_region *region, uint32_t lane) {
    return region->rings + (size_t)lane * (region->slot_mask + 1);
}

/// Prepares the table of a new region; false where memory is short.
bool trace_entries_prepare(trace_region *region);

/// Guards the process's list of executors.
void trace_executors_lock(void);
void trace_executors_unlock(void);

/// Publishes the executors known so far into a region that is about to be installed. The lock is held.
void trace_executors_publish(trace_region *region);

#endif
