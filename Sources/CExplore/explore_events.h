// Sources of Dispatch whose events come from outside: signals, files, processes.

#ifndef EXPLORE_EVENTS_H
#define EXPLORE_EVENTS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Knows the source from now on. It begins with its first activation.
void events_add(void *source, void *queue);

/// Activates a source that has not begun, by `activate`, and waits until Dispatch has registered it. False for any other object.
bool events_begin(void *source, void (*activate)(void *));

/// The source gives no more events.
void events_end(const void *source);

#pragma GCC visibility pop

#endif
