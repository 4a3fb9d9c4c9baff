// The sentences in the trace on what the probe can and cannot see.

#include "probe_statement.h"

#include "concurrency_probe.h"
#include "probe_hops.h"
#include "probe_routes.h"
#include "probe_state.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <stdio.h>
#include <string.h>

static char missing[512];
char statement_idle_reason[STATEMENT_REASON_ROOM];

void statement_prepare(void) {
    routes_describe_missing(missing, sizeof missing);
}

// No later event would state the routes, because an idle probe emits none.
void statement_tell_idle(void) {
    const char *reason = statement_idle_reason;
    // The first event of a recording that the environment asks for creates its region. The routes are stated there.
    trace_emit(TRACE_MARK, 0, 0, trace_text((const uint8_t *)reason, strlen(reason)), 0, 0);
    trace_state_swift_routes(0);
}

static __attribute__((noinline)) void tell(uint64_t recording, uint64_t *told) {
    // The program registers its chains when its own lanes are loaded, so this is known only at the first event.
    __atomic_store_n(&probe_shares_numbers, trace_has_both_worlds(), __ATOMIC_RELAXED);
    // Release: a thread that finds this recording told of also finds how tasks are numbered.
    __atomic_store_n(told, recording, __ATOMIC_RELEASE);
    hops_set_clock();
    // A program of chains gives the bodies of its tasks to Dispatch, so no block is recorded as one.
    uint32_t unseen = trace_has_both_worlds() ? TRACE_ROUTE_BLOCKS : 0;
    trace_state_swift_routes(__atomic_load_n(&probe_routes, __ATOMIC_RELAXED) & ~unseen);
    if (missing[0] == 0) return;
    char sentence[600];
    int length = snprintf(sentence, sizeof sentence, "The Swift Concurrency probe cannot see: %s.", missing);
    if (length >= (int)sizeof sentence) length = sizeof sentence - 1;
    trace_emit(TRACE_MARK, 0, 0, trace_text((const uint8_t *)sentence, (size_t)length), 0, 0);
}

void statement_tell(void) {
    static uint64_t told;
    uint64_t recording = trace_recording();
    if (__builtin_expect(__atomic_load_n(&told, __ATOMIC_ACQUIRE) != recording, 0)) tell(recording, &told);
}
