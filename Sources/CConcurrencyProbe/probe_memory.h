// Pages of memory, and slots of the runtime that the probe stores functions in.

#ifndef PROBE_MEMORY_H
#define PROBE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The size of a page of memory: 4 KiB on x86-64, up to 64 KiB on aarch64.
uintptr_t memory_page_size(void);

/// True if the bytes are mapped, according to the kernel.
bool memory_is_mapped(const void *address, size_t length);

/// True if both addresses belong to one library, or to the program.
bool memory_is_of_one_file(const void *first, const void *second);

/// Stores a function in a slot of the runtime, which may be read-only memory. False if the memory cannot be made writable.
/// Everything that the function needs is written before: the store has release order.
bool slot_set(void **slot, void *function);

/// A function that was reached by a slot calls this before it reads what `slot_set` published. The runtime reads its slots without an order.
static inline void slot_was_reached(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

#pragma GCC visibility pop

#endif
