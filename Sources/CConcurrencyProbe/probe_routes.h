// The routes of observation that this process has.

#ifndef PROBE_ROUTES_H
#define PROBE_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace_vocabulary.h"

#pragma GCC visibility push(hidden)

/// The routes available in this process: a set of trace_route.
extern uint32_t probe_routes;

static inline bool probe_has(uint32_t route) {
    return (__atomic_load_n(&probe_routes, __ATOMIC_RELAXED) & route) != 0;
}

/// The routes that the environment variable HOPSCOPE_PROBE_WITHOUT lists: names separated by commas. Tests disable routes with it.
uint32_t routes_taken_away(void);

/// Removes routes that turn out not to work, and states the remaining ones in the trace.
void routes_lose(uint32_t routes);

/// Writes a list of the facts that the probe cannot see because a route is missing. Returns the text's length; 0 if no route is missing.
size_t routes_describe_missing(char *text, size_t room);

#pragma GCC visibility pop

#endif
