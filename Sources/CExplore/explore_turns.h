// Turns: one thread runs at a time, and gives its turn to another one when it ends, waits, or is made to.

#ifndef EXPLORE_TURNS_H
#define EXPLORE_TURNS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Adds something that can run. It begins at once if nothing runs.
void turns_add(item *added);

/// Adds a timer.
void turns_add_timer(item *timer, int64_t when);

/// A point at which another thread may go on instead of the calling one. `site` is where the program calls.
void turns_offer(uint32_t place, uintptr_t site);

/// The same if the program's own code is at the site.
void turns_offer_own(uint32_t place, uintptr_t site);

/// Gives the turn away until another thread wakes those that wait for the object, or until the limit. True if the limit was reached.
bool turns_block(const void *object, int64_t limit);

/// The same where the program's thread blocks, which a recording tells. `awaited` is the block that it waits for, 0 if none is known.
bool turns_wait(const void *object, int64_t limit, uint64_t awaited);

/// Lets one thread or all that wait for an object go on.
void turns_unblock(const void *object, bool all);

/// Gives the turn away until the file is ready.
void turns_await_file(int file, short events);

/// The calling thread leaves the order to wait for files in the kernel, and comes back to it. The main thread's run loop does jobs
/// meanwhile. `is_in_time`: the order's time has ended the wait, and nothing from outside.
void turns_leave(const struct pollfd *polled, unsigned long count);
void turns_return(bool is_in_time);

/// Waits until the queue runs nothing that excludes the caller's block, and keeps it until `turns_release`.
void turns_acquire(void *queue, bool is_exclusive);
void turns_release(void *queue, bool is_exclusive);

/// The main thread runs jobs from now on.
__attribute__((noreturn)) void turns_run_main(void);

/// A new thread of the program. It may not run before its turn.
void turns_add_thread(player *thread, uintptr_t site);
void turns_begin_thread(player *thread);
void turns_end_thread(void);

/// Finds threads that wait in the kernel or compute for long, and fires timers in real time. The library's own thread calls it every few
/// milliseconds.
void turns_watch(void);

#pragma GCC visibility pop

#endif
