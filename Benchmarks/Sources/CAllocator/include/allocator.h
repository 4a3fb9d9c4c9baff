#pragma once

#include <stddef.h>

/// Bytes that this process has allocated and not freed, by the allocator's own count.
size_t allocated_bytes(void);
