// The routes of observation: the set that this process has, and its statement in the trace.

#define _GNU_SOURCE
#include "probe_routes.h"

#include "probe_state.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t probe_routes = TRACE_ROUTES_ALL;

typedef struct route_words {
    uint32_t route;
    const char *name;    ///< as TaskEvents' TraceRoutes spells it
    const char *unseen;  ///< the facts that the probe cannot see without the route
} route_words;

static const route_words words[] = {
    {TRACE_ROUTE_CREATED, "created", "the creation of tasks"},
    {TRACE_ROUTE_NAMES, "names", "names given to tasks"},
    {TRACE_ROUTE_QUEUES, "queues", "when tasks enter queues, and which"},
    {TRACE_ROUTE_SLICES, "slices", "when tasks run"},
    {TRACE_ROUTE_WAITS, "waits", "why tasks suspend"},
    {TRACE_ROUTE_HOPS, "hops", "hops onto free actors"},
    {TRACE_ROUTE_ENDS, "ends", "how tasks end"},
    {TRACE_ROUTE_THROWN, "thrown", "where errors are thrown"},
    {TRACE_ROUTE_READ, "read", "which task reads a value"},
    {TRACE_ROUTE_RELEASED, "released", "the release of failed tasks"},
    {TRACE_ROUTE_CANCELLATION, "cancellation", "some cancellations"},
    {TRACE_ROUTE_CONTINUATIONS, "continuations", "continuations that are never resumed"},
    {TRACE_ROUTE_BLOCKING, "blocking", "calls that block a thread"},
    {TRACE_ROUTE_BLOCKS, "blocks", "blocks given to Dispatch and run loops"},
    {TRACE_ROUTE_LOOKS, "looks", "looks at a cancellation"},
    {TRACE_ROUTE_CHILDREN, "children", "when the results of a group's children are taken"},
};

enum { ROUTES = sizeof words / sizeof words[0] };

uint32_t routes_taken_away(void) {
    const char *list = secure_getenv("HOPSCOPE_PROBE_WITHOUT");
    uint32_t routes = 0;
    while (list != NULL && *list != 0) {
        size_t length = strcspn(list, ",");
        for (size_t index = 0; index < ROUTES; index++) {
            const char *name = words[index].name;
            if (strlen(name) == length && memcmp(name, list, length) == 0) routes |= words[index].route;
        }
        list += length + (list[length] == ',');
    }
    // The dependency record also names the queue that a task enters and the task whose value it reads.
    if ((routes & TRACE_ROUTE_WAITS) != 0) routes |= TRACE_ROUTE_QUEUES | TRACE_ROUTE_READ;
    return routes;
}

void routes_lose(uint32_t routes) {
    uint32_t before = __atomic_fetch_and(&probe_routes, ~routes, __ATOMIC_RELAXED);
    if ((before & routes) != 0 && probe_is_recording()) trace_state_swift_routes(before & ~routes);
}

size_t routes_describe_missing(char *text, size_t room) {
    size_t length = 0;
    text[0] = 0;
    for (size_t index = 0; index < ROUTES; index++) {
        if (probe_has(words[index].route)) continue;
        int written = snprintf(text + length, room - length, "%s%s", length > 0 ? ", " : "", words[index].unseen);
        if (written > 0) length += (size_t)written;
        if (length >= room) return room - 1;
    }
    return length;
}
