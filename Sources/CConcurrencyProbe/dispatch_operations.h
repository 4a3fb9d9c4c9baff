// Foundation's operations. An OperationQueue gives Dispatch a work item for each, whose block is Foundation's own.

#ifndef DISPATCH_OPERATIONS_H
#define DISPATCH_OPERATIONS_H

#include "dispatch_abi.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum { OPERATION_NAME_ROOM = 256 };

/// Stores the name of the operation that a block will perform: the one that the program has given it, or its class. False for any other
/// block.
bool operation_name(const dispatch_block *block, char room[OPERATION_NAME_ROOM]);

#pragma GCC visibility pop

#endif
