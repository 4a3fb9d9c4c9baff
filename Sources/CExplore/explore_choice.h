// Choosing what runs next.

#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Prepares the policy for an order.
void choice_begin(void);

/// What runs next, taken from the list of what is ready. `strand` has just run; it waits at `current`, or does not go on if that is NULL.
/// NULL if `current` goes on, or if nothing can run. The caller holds the lock.
item *choice_next(uint32_t strand, item *current, uint32_t place);

/// Adds something that can run.
void choice_add(item *added);

/// True if nothing of the item's queue forbids it to run.
bool choice_is_eligible(const item *candidate);

/// True if the item comes before all others of its queue that exclude it or that it excludes.
bool choice_is_first(const item *candidate, int before);

/// True if something is ready whose queue lets it run.
bool choice_can_go_on(void);

/// Fires the timers that are due at that time, which becomes the current time if time is virtual.
void choice_fire_timers(int64_t until);

/// When the first timer is due; INT64_MAX for none.
int64_t choice_first_timer(void);

#pragma GCC visibility pop

#endif
