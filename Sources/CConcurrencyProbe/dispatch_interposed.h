// Recording of the program's calls of Dispatch.

#ifndef DISPATCH_INTERPOSED_H
#define DISPATCH_INTERPOSED_H

#pragma GCC visibility push(hidden)

/// Lets the program's calls of Dispatch pass through the probe.
void dispatch_watch(void);

#pragma GCC visibility pop

#endif
