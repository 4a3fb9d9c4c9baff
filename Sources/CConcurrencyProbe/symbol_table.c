// The symbols of a program's or library's file.

#define _GNU_SOURCE
#include "symbol_table.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_symbols(const uint8_t *file, size_t size, uintptr_t base, void (*use)(const char *name, code_range range)) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return false;
    if (header->e_shoff > size || (size - header->e_shoff) / sizeof(ElfW(Shdr)) < header->e_shnum) return false;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + header->e_shoff), *table = NULL;
    for (int index = 0; index < header->e_shnum; index++) {
        if (sections[index].sh_type == SHT_SYMTAB) table = &sections[index];
        else if (sections[index].sh_type == SHT_DYNSYM && table == NULL) table = &sections[index];
    }
    if (table == NULL || table->sh_link >= header->e_shnum || table->sh_offset > size || table->sh_size > size - table->sh_offset)
        return false;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    if (names->sh_offset > size || names->sh_size > size - names->sh_offset || names->sh_size == 0) return false;
    const char *text = (const char *)file + names->sh_offset;
    if (text[names->sh_size - 1] != 0) return false;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + table->sh_offset);
    for (size_t index = 0; index < table->sh_size / sizeof *symbols; index++) {
        const ElfW(Sym) *symbol = &symbols[index];
        unsigned char type = ELF64_ST_TYPE(symbol->st_info);
        if (type != STT_FUNC && type != STT_OBJECT) continue;
        if (symbol->st_size == 0 || symbol->st_name >= names->sh_size) continue;
        use(text + symbol->st_name, (code_range){.first = base + symbol->st_value, .end = base + symbol->st_value + symbol->st_size});
    }
    return table->sh_type == SHT_SYMTAB;
}

bool symbols_read(const char *path, uintptr_t base, void (*use)(const char *name, code_range range)) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat status;
    bool is_full = false;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            is_full = read_symbols(bytes, size, base, use);
            munmap((void *)bytes, size);
        }
    }
    close(file);
    return is_full;
}
