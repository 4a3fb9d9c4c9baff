#include "allocator.h"

#include <malloc.h>

size_t allocated_bytes(void) {
    struct mallinfo2 counts = mallinfo2();
    return counts.uordblks + counts.hblkhd;
}
