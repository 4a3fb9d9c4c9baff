// Pages of memory, and slots of the runtime that the probe stores functions in.

#define _GNU_SOURCE
#include "probe_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

uintptr_t memory_page_size(void) {
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

bool memory_is_of_one_file(const void *first, const void *second) {
    Dl_info one, other;
    return dladdr(first, &one) != 0 && dladdr(second, &other) != 0 && one.dli_fbase == other.dli_fbase;
}

bool memory_is_mapped(const void *address, size_t length) {
    uintptr_t first = (uintptr_t)address & ~(memory_page_size() - 1), end = (uintptr_t)address + length;
    return msync((void *)first, end - first, MS_ASYNC) == 0;
}

/// True if the address is in a segment that the loader makes read-only after relocation.
static int is_read_only(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_RELRO && (uintptr_t)address >= first && (uintptr_t)address < first + segment->p_memsz) return 1;
    }
    return 0;
}

bool slot_set(void **slot, void *function) {
    uintptr_t size = memory_page_size();
    void *page = (void *)((uintptr_t)slot & ~(size - 1));
    bool was_read_only = dl_iterate_phdr(is_read_only, slot) != 0;
    if (was_read_only && mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    if (was_read_only) mprotect(page, size, PROT_READ);
    return true;
}
