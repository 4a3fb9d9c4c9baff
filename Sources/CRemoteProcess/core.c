#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

static void add_thread(struct remote_process *process, size_t *room, const struct elf_prstatus *status) {
    if (!remote_make_room((void **)&process->threads, process->thread_count, room, sizeof(struct core_thread))) return;
    if (process->thread_count == 0) process->signal = status->pr_cursig;
    struct core_thread *thread = &process->threads[process->thread_count++];
    *thread = (struct core_thread){.id = status->pr_pid};
#ifdef __x86_64__
    struct user_regs_struct r;
    memcpy(&r, status->pr_reg, sizeof r);
    thread->registers = (struct remote_registers){
        .stack = r.rsp, .program_counter = r.rip, .frame = r.rbp, .thread = r.fs_base, .is_complete = true,
        .all = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip}};
#endif
}

enum { most_notes = 1 << 30 };

static void read_notes(struct remote_process *process, const GElf_Phdr *header, size_t *room) {
    if (header->p_filesz > most_notes) return;
    Elf_Data *notes = elf_getdata_rawchunk(process->core_elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_NHDR);
    GElf_Nhdr note;
    size_t at = 0, name, body;
    while (notes && (at = gelf_getnote(notes, at, &note, &name, &body)) > 0) {
        if (note.n_type == NT_PRSTATUS && note.n_descsz >= sizeof(struct elf_prstatus)) {
            struct elf_prstatus status;
            memcpy(&status, (const char *)notes->d_buf + body, sizeof status);
            add_thread(process, room, &status);
        } else if (note.n_type == NT_PRPSINFO && note.n_descsz >= sizeof(struct elf_prpsinfo)) {
            struct elf_prpsinfo information;
            memcpy(&information, (const char *)notes->d_buf + body, sizeof information);
            process->pid = information.pr_pid;
        }
    }
}

static int by_address(const void *one, const void *other) {
    uint64_t a = ((const struct remote_range *)one)->low, b = ((const struct remote_range *)other)->low;
    return a < b ? -1 : a > b;
}

static const uint64_t user_limit = UINT64_C(1) << 62;

static bool read_headers(struct remote_process *process) {
    size_t count = 0, room = 0, thread_room = 0, cut_room = 0;
    GElf_Ehdr elf;
    if (!gelf_getehdr(process->core_elf, &elf) || elf.e_type != ET_CORE || elf_getphdrnum(process->core_elf, &count) != 0) return false;
    struct stat status;
    if (fstat(process->core, &status) != 0) return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(process->core_elf, (int)i, &header)) continue;
        if (header.p_type == PT_NOTE) read_notes(process, &header, &thread_room);
        bool is_cut = header.p_filesz < header.p_memsz || header.p_offset + header.p_filesz > (uint64_t)status.st_size;
        bool lacks_memory = header.p_type == PT_LOAD && header.p_flags & PF_W && is_cut;
        if (lacks_memory && header.p_filesz > 0) process->has_hidden_memory = true;
        if (lacks_memory && header.p_filesz == 0) {
            if (!remote_make_room((void **)&process->cut, process->cut_count, &cut_room, sizeof(struct remote_range))) return false;
            process->cut[process->cut_count++] = (struct remote_range){header.p_vaddr, header.p_vaddr + header.p_memsz, 0};
        }
        if (header.p_type != PT_LOAD || header.p_filesz == 0 || header.p_offset >= (uint64_t)status.st_size) continue;
        // A core file may end early.
        uint64_t size = header.p_filesz;
        if (size > (uint64_t)status.st_size - header.p_offset) size = (uint64_t)status.st_size - header.p_offset;
        // Programs have no memory beyond this address. The kernel's own pages there have no tasks.
        if (header.p_vaddr > user_limit || size > user_limit - header.p_vaddr) continue;
        if (!remote_make_room((void **)&process->ranges, process->range_count, &room, sizeof(struct remote_range))) return false;
        process->ranges[process->range_count++] = (struct remote_range){header.p_vaddr, header.p_vaddr + size, header.p_offset};
    }
    qsort(process->ranges, process->range_count, sizeof *process->ranges, by_address);
    return process->range_count > 0;
}

struct remote_process *remote_open_core(const char *core, const char *program, enum remote_problem *problem) {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = remote_find_no_debug_information};
    struct remote_process *process = remote_make_process(&callbacks);
    process->core = open(core, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *problem = process->core >= 0 ? remote_not_a_core : errno == EACCES ? remote_refused : remote_missing;
    char *resolved = realpath(program, NULL);
    // The file is not mapped: if it were cut off meanwhile, a look at its mapping would end this program.
    if (process->core >= 0) process->core_elf = elf_begin(process->core, ELF_C_READ, NULL);
    bool is_core = process->core_elf && elf_kind(process->core_elf) == ELF_K_ELF && read_headers(process)
        && dwfl_core_file_report(process->dwfl, process->core_elf, resolved) >= 0 && remote_add_modules(process);
    free(resolved);
    if (is_core) {
        *problem = remote_fine;
        return process;
    }
    remote_close(process);
    return NULL;
}

int remote_core_signal(const struct remote_process *process) { return process->signal; }

size_t remote_core_threads(const struct remote_process *process, pid_t *threads, struct remote_registers *registers, size_t room) {
    for (size_t i = 0; i < process->thread_count && i < room; i++) {
        threads[i] = process->threads[i].id;
        registers[i] = process->threads[i].registers;
    }
    return process->thread_count;
}
