#pragma once

#include <stddef.h>

/// Bytes that this process has allocated and not freed, as the allocator counts them.
size_t allocated_bytes(void);
