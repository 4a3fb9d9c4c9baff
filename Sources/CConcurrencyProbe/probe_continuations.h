// Continuations that are never resumed.

#ifndef PROBE_CONTINUATIONS_H
#define PROBE_CONTINUATIONS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Hooks the destruction of checked continuations. False if that is not possible.
bool continuations_install(void);

#pragma GCC visibility pop

#endif
