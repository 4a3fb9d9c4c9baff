// The threads that run jobs, and the handing over of the turn.

#ifndef EXPLORE_PLAYERS_H
#define EXPLORE_PLAYERS_H

#include "explore_state.h"

#pragma GCC visibility push(hidden)

/// Blocks the calling thread until it gets the turn.
void players_wait(player *self);

/// Gives the turn to what can run next. The caller holds the lock, and the strand does not go on.
void players_run_next(uint32_t strand);

/// Gives the turn to an item. The caller holds the lock.
void players_give(item *next);

/// Runs a job or a block on the calling thread, and frees the item.
void players_run(item *job);

/// Notes that a queue runs something, and that it no longer does.
void players_occupy(void *queue, bool is_exclusive);
void players_vacate(void *queue, bool is_exclusive);

/// Ends the process if nothing can ever run again. `is_long`: nothing has run for a second, so unknown threads count less.
void players_judge_silence(bool is_long);

/// The kernel's letter for the state of a thread of this process; S if it sleeps, or has gone.
char players_state(int thread);

/// The real time, of the clock that timers use.
int64_t explore_real_now(void);

#pragma GCC visibility pop

#endif
