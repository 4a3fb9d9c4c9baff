// Continuations that are never resumed.

#ifndef PROBE_CONTINUATIONS_H
#define PROBE_CONTINUATIONS_H

#include "swift_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Hooks the destruction of checked continuations. False if that is not possible.
bool continuations_install(void);

/// Records that a continuation of Swift 6.4 ends without being resumed, which ends the program. `frame` leads to the code that dropped it.
void continuation_was_dropped(swift_task *awaiting, const void *frame);

#pragma GCC visibility pop

#endif
