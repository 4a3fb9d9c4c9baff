// Errors: their types, their throws, and the task that each comes from.

#ifndef PROBE_ERRORS_H
#define PROBE_ERRORS_H

#include <stdbool.h>
#include <stdint.h>
#include "swift_abi.h"

#pragma GCC visibility push(hidden)

/// Records that the code with entry `code` throws the error, for the first time or again. `is_runtime` is true if that is the runtime's code.
void error_was_thrown(void *error, uint32_t code, bool is_runtime);
void typed_error_was_thrown(void *box, uint32_t code, uintptr_t frame);
/// Keeps the thread's typed error for the task, which suspends, and gives it back when the task goes on.
void typed_error_is_kept(uint64_t task);
void typed_error_goes_on(uint64_t task);

/// The type of an error in a box. A typed throw arrives as a box that contains an `any Error`; the result is then the inner error's type.
const void *error_type(void *box);

/// Records that a continuation is resumed with the error, and the code that gets it. That code counts as the throw in the place of
/// the runtime's, which throws the error to it, and if there is no throw. False if there is no error at the address.
bool error_arrives(void *box, uint32_t code);

/// Records that `ended` ends with the error on that executor. `task` is the number of `ended`.
void error_ended_task(void *error, swift_task *ended, uint64_t task, uint16_t executor);

/// Records that the Swift task `reader` received the error in `box` from the chain's task `task`.
void error_is_of_chain(const void *box, uint64_t task, uint64_t reader);

/// The latest task that ended with the error in `box`, 0 for none.
uint64_t error_source(const void *box);

// MARK: - For chains in the same process

/// The lanes call this when a chain's task hands an error to the Swift task that the calling thread runs.
void hopscope_error_left(const void *box, uint64_t task);

/// The latest Swift task that ended with the error in `box`, 0 for none or if nothing is recorded.
uint64_t hopscope_error_source(const void *box);

#pragma GCC visibility pop

#endif
