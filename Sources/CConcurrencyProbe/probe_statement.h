// The sentences in the trace on what the probe can and cannot see.

#ifndef PROBE_STATEMENT_H
#define PROBE_STATEMENT_H

#pragma GCC visibility push(hidden)

enum { STATEMENT_REASON_ROOM = 400 };

/// The reason why the probe is idle although the process has Swift Concurrency: a sentence, empty if there is no reason. Written by the
/// installation.
extern char statement_idle_reason[STATEMENT_REASON_ROOM];

/// Prepares the list of the facts that the probe cannot see, from the routes that it has.
void statement_prepare(void);

/// States in the trace, once per recording, which events the probe can and cannot see.
void statement_tell(void);

/// States in the trace that no route reports Swift's tasks, and why.
void statement_tell_idle(void);

#pragma GCC visibility pop

#endif
