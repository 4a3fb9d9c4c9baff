// The runtime's own hooks.

#ifndef PROBE_HOOKS_H
#define PROBE_HOOKS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum { HOOK_HAND_OVERS = 1, HOOK_THROWS = 2, HOOK_DESTROY = 4, HOOK_CONTINUATIONS = 16 };

/// Sets the hooks. Returns the set of HOOK_ flags that took effect.
/// `is_alone` is true if the runtime's calls do not pass through the interposed symbols.
unsigned hooks_install(bool is_alone);

#pragma GCC visibility pop

#endif
