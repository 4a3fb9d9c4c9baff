#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { register_count = 17, frame_register = 6, stack_register = 7, program_counter_register = 16 };

bool remote_blocked_registers(struct remote_process *process, pid_t thread, struct remote_registers *registers, long *call) {
    char name[64], line[512];
    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", process->pid, thread);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, line, sizeof line - 1);
    close(file);
    if (size <= 0) return false;
    line[size] = 0;
    unsigned long long stack = 0, program_counter = 0;
    memset(registers, 0, sizeof *registers);
    *call = -1;
    if (sscanf(line, "%ld %*x %*x %*x %*x %*x %*x %llx %llx", call, &stack, &program_counter) != 3
        && sscanf(line, "-1 %llx %llx", &stack, &program_counter) != 2)
        return false;
    registers->stack = stack;
    registers->program_counter = program_counter;
    return stack != 0;
}

#ifdef __x86_64__

/// The callbacks of elfutils receive the process, which names the thread to unwind.
static pid_t next_thread(Dwfl *dwfl, void *process, void **state) {
    (void)dwfl;
    if (*state) return 0;
    *state = process;
    return ((struct remote_process *)process)->unwound;
}

/// Swift marks an asynchronous frame by bit 60 of the saved frame pointer.
static uint64_t without_mark(uint64_t address) { return address & ~(UINT64_C(1) << 60); }

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *into, void *process) {
    (void)dwfl;
    return remote_read(process, without_mark(address), into, sizeof *into);
}

static bool set_registers(Dwfl_Thread *thread, void *process) {
    const struct remote_registers *registers = ((struct remote_process *)process)->registers;
    Dwarf_Word values[register_count];
    if (registers->is_complete) {
        for (int i = 0; i < register_count; i++) values[i] = registers->all[i];
    } else {
        memset(values, 0, sizeof values);
        values[frame_register] = registers->frame;
        values[stack_register] = registers->stack;
        values[program_counter_register] = registers->program_counter;
    }
    return dwfl_thread_state_registers(thread, 0, register_count, values);
}

static int add_frame(Dwfl_Frame *state, void *argument) {
    struct remote_process *process = argument;
    Dwarf_Addr program_counter;
    bool is_exact;
    if (!dwfl_frame_pc(state, &program_counter, &is_exact) || program_counter == 0 || process->frame_count == process->frame_room)
        return DWARF_CB_ABORT;
    Dwarf_Word frame = 0;
    if (dwfl_frame_reg(state, frame_register, &frame) != 0) frame = 0;
    struct remote_frame *found = &process->frames[process->frame_count++];
    *found = (struct remote_frame){.address = program_counter - (is_exact ? 0 : 1), .frame = without_mark(frame)};
    static const unsigned preserved[] = {3, 12, 13, 14, 15};
    for (int i = 0; i < 5; i++) {
        Dwarf_Word word = 0;
        if (dwfl_frame_reg(state, preserved[i], &word) == 0) found->preserved[i] = word;
    }
    return DWARF_CB_OK;
}

size_t remote_stack(
    struct remote_process *process, pid_t thread, const struct remote_registers *registers, struct remote_frame *frames, size_t room) {
    static const Dwfl_Thread_Callbacks callbacks = {
        .next_thread = next_thread, .memory_read = read_word, .set_initial_registers = set_registers};
    process->unwound = thread;
    process->registers = registers;
    process->frames = frames;
    process->frame_count = 0;
    process->frame_room = room;
    // A core file names no process; any number but 0 will do.
    if (!process->is_attached)
        process->is_attached = dwfl_attach_state(process->dwfl, process->core_elf, process->pid ? process->pid : 1, &callbacks, process);
    if (process->is_attached) dwfl_getthread_frames(process->dwfl, thread, add_frame, process);
    return process->frame_count;
}

#else

size_t remote_stack(
    struct remote_process *process, pid_t thread, const struct remote_registers *registers, struct remote_frame *frames, size_t room) {
    (void)process, (void)thread, (void)registers, (void)frames, (void)room;
    return 0;
}

#endif
