// Finds private functions of the runtime, and one of its classes, in the symbol table of the runtime's file.

#define _GNU_SOURCE
#include "runtime_code.h"

#include "probe_memory.h"
#include "swift_abi.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

runtime_code probe_code;

typedef struct wanted_function {
    const char *start;     ///< the symbol's prefix
    const char *contains;  ///< text after the prefix; NULL if the prefix is the whole symbol
    code_range *range;
} wanted_function;

static const wanted_function wanted[] = {
    {"swift_task_enqueue", NULL, &probe_code.enqueue},
    {"swift_task_switch", NULL, &probe_code.switch_executor},
    {"swift_task_cancel", NULL, &probe_code.cancel},
    {"_ZN5swift23_swift_taskGroup_cancelEPNS_9TaskGroupE", NULL, &probe_code.cancel_group},
    {"_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE", NULL, &probe_code.run_job},
    {"_ZN5swift9AsyncTask10waitFuture", "", &probe_code.wait_for_future},
    {"_ZN5swift15addStatusRecordEPNS_9AsyncTaskEPNS_16TaskStatusRecordERNS_16ActiveTaskStatusE", "", &probe_code.add_status_record},
    {"swift_continuation_throwingResumeWithError", NULL, &probe_code.resume_with_error},
    {"swift_taskGroup_wait_next_throwing", NULL, &probe_code.group_next},
    {"_ZN12_GLOBAL__N_113TaskGroupBase26prepareWaitingTaskWithTask", "", &probe_code.group_hand_over},
    {"$sScg22awaitAllRemainingTasks9isolation", "TQ0_", &probe_code.group_scope[0]},
    {"$sScg22awaitAllRemainingTasksyy", "TQ0_", &probe_code.group_scope[1]},
    {"_ZN7__swift9__runtime4llvm12function_ref", "callback_fnIZL21swift_task_cancelImpl", &probe_code.cancel_child},
    {"$ss25CheckedContinuationCanaryCfD", NULL, &probe_code.destroy_continuation_guard},
    {"$ss25CheckedContinuationCanaryCN", NULL, &probe_code.continuation_guard},
};

static void note(const char *name, code_range range) {
    for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        const wanted_function *function = &wanted[index];
        size_t length = strlen(function->start);
        if (strncmp(name, function->start, length) != 0) continue;
        if (function->contains == NULL ? name[length] != 0 : strstr(name + length, function->contains) == NULL) continue;
        *function->range = range;
        return;
    }
}

/// Reads the full symbol table if the file has one, else the table of exports: a stripped file has only the latter.
static void read_symbols(const uint8_t *file, size_t size, uintptr_t base) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr))) return;
    if (header->e_shoff > size || (size - header->e_shoff) / sizeof(ElfW(Shdr)) < header->e_shnum) return;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + header->e_shoff), *table = NULL;
    for (int index = 0; index < header->e_shnum; index++) {
        if (sections[index].sh_type == SHT_SYMTAB) table = &sections[index];
        else if (sections[index].sh_type == SHT_DYNSYM && table == NULL) table = &sections[index];
    }
    if (table == NULL || table->sh_link >= header->e_shnum || table->sh_offset > size || table->sh_size > size - table->sh_offset) return;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    if (names->sh_offset > size || names->sh_size > size - names->sh_offset || names->sh_size == 0) return;
    const char *text = (const char *)file + names->sh_offset;
    if (text[names->sh_size - 1] != 0) return;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + table->sh_offset);
    for (size_t index = 0; index < table->sh_size / sizeof *symbols; index++) {
        const ElfW(Sym) *symbol = &symbols[index];
        unsigned char type = ELF64_ST_TYPE(symbol->st_info);
        if (type != STT_FUNC && type != STT_OBJECT) continue;
        if (symbol->st_size == 0 || symbol->st_name >= names->sh_size) continue;
        const char *name = text + symbol->st_name;
        if (name[0] != '_' && name[0] != 's' && name[0] != '$') continue;
        note(name, (code_range){.first = base + symbol->st_value, .end = base + symbol->st_value + symbol->st_size});
    }
}

static int note_module(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    uintptr_t first = UINTPTR_MAX, end = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (start < first) first = start;
        if (start + segment->p_memsz > end) end = start + segment->p_memsz;
    }
    if ((uintptr_t)address < first || (uintptr_t)address >= end) return 0;
    probe_code.module = (code_range){.first = first, .end = end};
    return 1;
}

/// The path of the file that contains the runtime, NULL if it is not known; `*base` is its load address.
static const char *runtime_file(uintptr_t *base) {
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(swift_task_enqueue, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return NULL;
    *base = map->l_addr;
    bool is_program = getauxval(AT_PHDR) / memory_page_size() == (uintptr_t)info.dli_fbase / memory_page_size();
    return is_program ? "/proc/self/exe" : info.dli_fname;
}

void runtime_code_find(void) {
    uintptr_t base = 0;
    const char *path = runtime_file(&base);
    dl_iterate_phdr(note_module, swift_task_enqueue);
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            read_symbols(bytes, size, base);
            munmap((void *)bytes, size);
        }
    }
    close(file);
}
