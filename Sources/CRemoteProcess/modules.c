#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t remote_module_count(const struct remote_process *process) { return process->module_count; }
struct remote_module remote_module_at(const struct remote_process *process, size_t index) {
    // The list may have moved since the pointers to the texts were set.
    struct remote_module shown = process->modules[index].shown;
    shown.path = process->modules[index].path;
    shown.name = process->modules[index].name;
    return shown;
}

bool remote_make_room(void **list, size_t count, size_t *room, size_t size) {
    if (count < *room) return true;
    size_t wanted = *room ? *room * 2 : 64;
    void *grown = realloc(*list, wanted * size);
    if (!grown) return false;
    *list = grown;
    *room = wanted;
    return true;
}

static int add(Dwfl_Module *dwfl, void **data, const char *name, Dwarf_Addr start, void *argument) {
    (void)data;
    struct remote_process *process = argument;
    if (!remote_make_room((void **)&process->modules, process->module_count, &process->module_room, sizeof(struct module)))
        return DWARF_CB_ABORT;
    struct module *module = &process->modules[process->module_count];
    memset(module, 0, sizeof *module);
    GElf_Addr bias = 0;
    Dwarf_Addr end = 0;
    const char *file = NULL;
    module->dwfl = dwfl;
    module->elf = dwfl_module_getelf(dwfl, &bias);
    dwfl_module_info(dwfl, NULL, NULL, &end, NULL, NULL, &file, NULL);
    module->shown = (struct remote_module){.low = start, .high = end, .bias = bias};
    if (file && *file == '/') snprintf(module->path, sizeof module->path, "%s", file);
    module->file = *module->path ? open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    const char *last = strrchr(name, '/');
    snprintf(module->name, sizeof module->name, "%s", last ? last + 1 : name);
    process->module_count++;
    return DWARF_CB_OK;
}

bool remote_add_modules(struct remote_process *process) {
    if (dwfl_report_end(process->dwfl, NULL, NULL) != 0) return false;
    return dwfl_getmodules(process->dwfl, add, process, 0) == 0;
}

void remote_symbols(struct remote_process *process, size_t module, const char *const *names, size_t count, uint64_t *addresses) {
    Dwfl_Module *dwfl = process->modules[module].dwfl;
    int symbols = dwfl_module_getsymtab(dwfl);
    memset(addresses, 0, count * sizeof *addresses);
    for (int i = 1; i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char *found = dwfl_module_getsym_info(dwfl, i, &symbol, &address, NULL, NULL, NULL);
        if (!found || symbol.st_shndx == SHN_UNDEF) continue;
        for (size_t k = 0; k < count; k++)
            if (strcmp(found, names[k]) == 0) addresses[k] = address;
    }
}

const char *remote_variable(struct remote_process *process, size_t module, uint64_t address) {
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(process->modules[module].dwfl, address, &offset, &symbol, NULL, NULL, NULL);
    return name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && offset < symbol.st_size ? name : NULL;
}

bool remote_imports(struct remote_process *process, size_t module, const char *name) {
    Dwfl_Module *dwfl = process->modules[module].dwfl;
    int symbols = dwfl_module_getsymtab(dwfl);
    for (int i = 1; i < symbols; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *found = dwfl_module_getsym_info(dwfl, i, &symbol, &address, NULL, NULL, NULL);
        // The name of a symbol may be followed by its version.
        if (found && symbol.st_shndx == SHN_UNDEF && strncmp(found, name, strlen(name)) == 0) return true;
    }
    return false;
}

bool remote_is_swift(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    size_t names = 0;
    bool is_swift = false;
    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
        for (Elf_Scn *section = NULL; !is_swift && (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
            is_swift = name && strncmp(name, "swift5_", 7) == 0;
        }
    }
    if (elf) elf_end(elf);
    close(file);
    return is_swift;
}

const char *remote_function(struct remote_process *process, size_t module, uint64_t address) {
    return dwfl_module_addrname(process->modules[module].dwfl, address);
}

size_t remote_data_segments(struct remote_process *process, size_t index, struct remote_range *segments, size_t room) {
    const struct module *module = &process->modules[index];
    size_t headers = 0, count = 0;
    if (!module->elf || elf_getphdrnum(module->elf, &headers) != 0) return 0;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(module->elf, (int)i, &header) || header.p_type != PT_LOAD || !(header.p_flags & PF_W)) continue;
        if (count < room)
            segments[count] = (struct remote_range){
                (header.p_vaddr + module->shown.bias + 7) & ~(uint64_t)7, header.p_vaddr + module->shown.bias + header.p_filesz, 0};
        count++;
    }
    return count;
}

size_t remote_thread_variables(struct remote_process *process) {
    size_t size = 0;
    for (size_t i = 0; i < process->module_count; i++) {
        const struct module *module = &process->modules[i];
        size_t headers = 0;
        if (!module->elf || elf_getphdrnum(module->elf, &headers) != 0) {
            // The kernel's own module has no file and no variables.
            if (!*module->path) continue;
            return 0;
        }
        for (size_t k = 0; k < headers; k++) {
            GElf_Phdr header;
            if (gelf_getphdr(module->elf, (int)k, &header) && header.p_type == PT_TLS) size += header.p_memsz + header.p_align;
        }
    }
    return size;
}
