// Finds private functions of the runtime, and one of its classes, in the symbol table of the runtime's file.

#define _GNU_SOURCE
#include "runtime_code.h"

#include "probe_memory.h"
#include "process_symbol.h"
#include "swift_abi.h"
#include "symbol_table.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

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
    {"_ZL14future_adapterPN5swift12AsyncContextE", NULL, &probe_code.future_adapter},
    {"_ZL18non_future_adapterPN5swift12AsyncContextE", NULL, &probe_code.non_future_adapter},
    {"$ss25CheckedContinuationCanaryCfD", NULL, &probe_code.destroy_continuation_guard},
    {"$ss25CheckedContinuationCanaryCN", NULL, &probe_code.continuation_guard},
};

static void note(const char *name, code_range range) {
    if (name[0] != '_' && name[0] != 's' && name[0] != '$') return;
    for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        const wanted_function *function = &wanted[index];
        size_t length = strlen(function->start);
        if (strncmp(name, function->start, length) != 0) continue;
        if (function->contains == NULL ? name[length] != 0 : strstr(name + length, function->contains) == NULL) continue;
        *function->range = range;
        return;
    }
}

code_range code_of_file(const struct dl_phdr_info *info) {
    code_range range = {.first = UINTPTR_MAX};
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (start < range.first) range.first = start;
        if (start + segment->p_memsz > range.end) range.end = start + segment->p_memsz;
    }
    return range;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    code_range range = code_of_file(info);
    if (!is_in(range, address)) return 0;
    probe_code.module = range;
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

/// The unwinder's search for a function, NULL if the process has none.
static const void *(*find_function)(const void *address, void *bases);

const uint8_t *code_start_of_function(const void *returns) {
    struct {
        void *text, *data, *function;
    } bases = {0};
    if (find_function == NULL || find_function((const char *)returns - 1, &bases) == NULL) return NULL;
    return bases.function;
}

void runtime_code_find(void) {
    find_function = (const void *(*)(const void *, void *))SYMBOL(_Unwind_Find_FDE);
    uintptr_t base = 0;
    const char *path = runtime_file(&base);
    dl_iterate_phdr(note_module, swift_task_enqueue);
    if (path != NULL) symbols_read(path, base, note);
}
