// Synchronization's Mutex in debug builds. An uncontended one calls no library, but in code without optimization it asks a small function of the
// program's own for the number of the thread, when it is locked and when it is unlocked. That function is replaced.

#define _GNU_SOURCE
#include "explore_mutex.h"

#include "explore_turns.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t number_of_thread(void) {
    static __thread uint32_t number;
    turns_offer(EXPLORE_AT_LOCK, CALLER);
    if (number == 0) number = (uint32_t)explore_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    return number;
}

/// A jump to an address that follows it.
static const uint8_t jump[] = {
#if defined(__x86_64__)
    0xff, 0x25, 0, 0, 0, 0,  // jmp *(%rip)
#elif defined(__aarch64__)
    0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6,  // ldr x16, #8; br x16
#endif
};

static void replace(uintptr_t function) {
    const uintptr_t with = (uintptr_t)number_of_thread, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(function & ~(page - 1));
    size_t size = function + sizeof jump + sizeof with - (uintptr_t)start;
    if (mprotect(start, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    memcpy((void *)function, jump, sizeof jump);
    memcpy((char *)function + sizeof jump, &with, sizeof with);
    mprotect(start, size, PROT_READ | PROT_EXEC);
    __builtin___clear_cache((char *)function, (char *)function + sizeof jump + sizeof with);
}

static bool is_within(size_t size, size_t offset, size_t count) {
    return offset <= size && count <= size - offset;
}

/// Replaces the function wherever the program has it. A module may have its own.
static void replace_in(const char *file, size_t size) {
    const ElfW(Ehdr) *header = (const void *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return;
    if (!is_within(size, header->e_shoff, header->e_shnum * sizeof(ElfW(Shdr)))) return;
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        const ElfW(Shdr) *table = &sections[index];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum || !is_within(size, table->sh_offset, table->sh_size)) continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        if (!is_within(size, names->sh_offset, names->sh_size)) continue;
        static const char name[] = "_swift_stdlib_gettid";
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        for (size_t symbol = 0; symbol < table->sh_size / sizeof *symbols; symbol++) {
            const ElfW(Sym) *found = &symbols[symbol];
            if (!is_within(names->sh_size, found->st_name, sizeof name) || found->st_size < sizeof jump + sizeof(uintptr_t)) continue;
            if (memcmp(file + names->sh_offset + found->st_name, name, sizeof name) != 0 || found->st_shndx == SHN_UNDEF) continue;
            uintptr_t function = (header->e_type == ET_DYN ? explore.program.low : 0) + found->st_value;
            if (is_in(explore.program, function)) replace(function);
        }
    }
}

void mutexes_begin(void) {
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || sizeof jump < 2) return;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED) {
            replace_in(mapped, size);
            munmap(mapped, size);
        }
    }
    close(file);
}
