// The place in the program that gives a block to Dispatch.

#ifndef DISPATCH_PLACE_H
#define DISPATCH_PLACE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The entry for the label of the program's call. `frame` is the frame of the function that stands before Dispatch's.
uint32_t block_place(const void *frame);

#pragma GCC visibility pop

#endif
