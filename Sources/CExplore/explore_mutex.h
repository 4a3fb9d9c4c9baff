// Synchronization's Mutex, whose uncontended lock calls no library.

#ifndef EXPLORE_MUTEX_H
#define EXPLORE_MUTEX_H

#pragma GCC visibility push(hidden)

/// Makes the order able to change where a Mutex is locked or unlocked, if the program was built without optimization.
void mutexes_begin(void);

#pragma GCC visibility pop

#endif
