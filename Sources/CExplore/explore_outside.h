// Events that no order decides: input for which threads wait, and the events of Dispatch sources.

#ifndef EXPLORE_OUTSIDE_H
#define EXPLORE_OUTSIDE_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

// The caller of each function holds the lock.

/// True if something from outside may let the program go on.
bool outside_is_awaited(void);

/// Notes a thread that others go on beside, because it waits in a call or a loop that this library does not see; and that it is back.
void outside_note_lost(player *thread);
void outside_forget_lost(player *thread);

/// The thread was not lost after all: nothing can go on beside it.
void outside_take_back(player *thread);

/// True if a thread waits in a call that only another thread of the process ends. Another process, a file or a signal may end any other
/// call.
bool outside_waits_for_thread(int thread);

/// Lets threads go on whose files have become ready. Returns how many.
uint32_t outside_wake_readers(void);

/// The same while nothing ran: the input came from outside.
void outside_note_input(void);

/// Gives what comes from outside real time, before that much virtual time passes because nothing else can run. True if something has come.
bool outside_await_input(int64_t passing);

/// True if the calling thread is about to wait for files of which one is ready.
bool outside_is_ready(void);

/// Waits for other threads whose wait for input ends, until they have asked for their turn. Else the order would depend on real time.
void outside_await_pollers(void);

#pragma GCC visibility pop

#endif
