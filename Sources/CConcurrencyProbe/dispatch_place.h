// The place in the program that gives a block to Dispatch.

#ifndef DISPATCH_PLACE_H
#define DISPATCH_PLACE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The entry for the label of the program's call. `frame` is the frame of the function that stands before Dispatch's; `recording` is the
/// number of the recording.
uint32_t block_place(const void *frame, uint64_t recording);

/// The same with a name that the block has.
uint32_t block_named_place(const void *frame, const char *name);

#pragma GCC visibility pop

#endif
