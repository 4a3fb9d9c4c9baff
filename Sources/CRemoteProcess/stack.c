#define _GNU_SOURCE
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { register_count = 17, frame_register = 6, stack_register = 7, program_counter_register = 16, stack_limit = 8 << 20 };

bool remote_read_call_line(struct remote_process *process, pid_t thread, struct call_line *line) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task/%d/syscall", process->pid, thread);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, line->text, sizeof line->text - 1);
    close(file);
    if (size <= 0) return false;
    line->text[size] = 0;
    return true;
}

bool remote_blocked_registers(struct remote_process *process, pid_t thread, struct remote_registers *registers, long *call) {
    struct call_line line;
    if (!remote_read_call_line(process, thread, &line)) return false;
    unsigned long long stack = 0, program_counter = 0;
    memset(registers, 0, sizeof *registers);
    *call = -1;
    if (sscanf(line.text, "%ld %*x %*x %*x %*x %*x %*x %llx %llx", call, &stack, &program_counter) != 3
        && sscanf(line.text, "-1 %llx %llx", &stack, &program_counter) != 2)
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

/// Whether the tables of the module tell how to leave the function at that address.
static bool has_rules(struct remote_process *process, uint64_t address) {
    Dwfl_Module *module = dwfl_addrmodule(process->dwfl, address);
    Dwarf_Addr bias = 0;
    Dwarf_CFI *rules = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    bool found = rules && dwarf_cfi_addrframe(rules, address - bias, &frame) == 0;
    free(frame);
    return found;
}

static int add_frame(Dwfl_Frame *state, void *argument) {
    struct remote_process *process = argument;
    struct unwinding *unwinding = &process->unwinding;
    Dwarf_Addr program_counter;
    bool is_exact;
    if (!dwfl_frame_pc(state, &program_counter, &is_exact) || program_counter == 0 || process->frame_count == process->frame_room)
        return DWARF_CB_ABORT;
    bool is_repeated = unwinding->first == first_is_known;
    if (unwinding->first == first_is_caller) is_exact = false;
    unwinding->first = first_is_exact;
    if (is_repeated) return DWARF_CB_OK;
    Dwarf_Word frame = 0, stack = 0;
    if (dwfl_frame_reg(state, stack_register, &stack) != 0) stack = 0;
    if (dwfl_frame_reg(state, frame_register, &frame) != 0) frame = 0;
    struct remote_frame *found = &process->frames[process->frame_count++];
    *found = (struct remote_frame){.address = program_counter - (is_exact ? 0 : 1), .frame = without_mark(frame)};
    unwinding->outermost = (struct remote_registers){.stack = stack, .program_counter = program_counter, .frame = frame};
    static const unsigned preserved[] = {3, 12, 13, 14, 15};
    for (int i = 0; i < 5; i++) {
        Dwarf_Word word = 0;
        if (dwfl_frame_reg(state, preserved[i], &word) == 0) found->preserved[i] = word;
    }
    // Without rules, elfutils follows the frame pointer, and leaves out the callers that have none.
    unwinding->lacks_rules = !is_exact && !has_rules(process, found->address);
    return unwinding->lacks_rules ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/// The distance that an instruction of 5 bytes after `code` goes, as a call or a jump does.
static uint64_t distance_in(const uint8_t *code) {
    int32_t distance;
    memcpy(&distance, code, sizeof distance);
    return (uint64_t)distance;
}

/// Where the code at an address goes on: through a stub of the linker, and through jumps to other functions.
static uint64_t destination(struct remote_process *process, uint64_t place) {
    enum { most = 4 };
    static const uint8_t branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};
    for (int i = 0; i < most; i++) {
        uint8_t code[16];
        if (!remote_read(process, place, code, sizeof code)) return place;
        size_t jump = memcmp(code, branch_target, sizeof branch_target) == 0 ? sizeof branch_target : 0;
        if (code[jump] == 0xe9) {
            place += jump + 5 + distance_in(code + jump + 1);
            continue;
        }
        if (code[jump] == 0xf2) jump++;
        if (code[jump] != 0xff || code[jump + 1] != 0x25) return place;
        // The loader has filled the slot.
        if (!remote_read(process, place + jump + 6 + distance_in(code + jump + 2), &place, sizeof place)) return 0;
    }
    return place;
}

/// Whether the instruction before `back` calls the function that begins at `start`: directly, through a stub, or through a function that
/// only jumps there.
static bool calls(struct remote_process *process, uint64_t back, uint64_t start) {
    uint8_t code[6];
    uint64_t target;
    if (!remote_read(process, back - sizeof code, code, sizeof code)) return false;
    if (code[0] == 0xff && code[1] == 0x15) {
        if (!remote_read(process, back + distance_in(code + 2), &target, sizeof target)) return false;
    } else if (code[1] == 0xe8) {
        target = back + distance_in(code + 2);
    } else {
        return false;
    }
    return target == start || destination(process, target) == start;
}

/// Whether the instruction before `back` can be a call by a pointer, or a direct call.
static bool follows_call(struct remote_process *process, uint64_t back) {
    enum { longest = 7, shortest = 2 };
    uint8_t code[longest];
    if (!remote_read(process, back - longest, code, longest)) return false;
    if (code[2] == 0xe8) return true;
    for (int length = shortest; length <= longest; length++) {
        const uint8_t *call = code + longest - length;
        if (*call == 0x41) call++;
        if (*call == 0xff && (call[1] >> 3 & 7) == 2) return true;
    }
    return false;
}

/// The number of bytes of its stack that a function has taken when its first instructions are over, without the return address. 0 if the
/// function does not begin by saving the frame pointer. Only the instructions before `end` count.
static uint64_t frame_size(const uint8_t *code, size_t end) {
    size_t i = memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;
    if (memcmp(code + i, "\x48\x0f\xba\xed", 4) == 0) i += 5;
    if (code[i] != 0x55) return 0;
    uint64_t size = 0;
    while (i < end) {
        const uint8_t *next = code + i;
        if (*next >> 3 == 0x50 >> 3) size += 8, i += 1;
        else if (*next == 0x41 && next[1] >> 3 == 0x50 >> 3) size += 8, i += 2;
        else if (memcmp(next, "\x48\x89\xe5", 3) == 0) i += 3;
        else if (memcmp(next, "\x48\x8d\x6c\x24", 4) == 0) i += 5;
        else if (memcmp(next, "\x48\x83\xec", 3) == 0) size += next[3], i += 4;
        else if (memcmp(next, "\x48\x81\xec", 3) == 0) size += distance_in(next + 3), i += 7;
        else break;
    }
    return size;
}

/// Where a frame keeps its return address, and what it has saved beside it.
struct return_place {
    uint64_t address, back, saved;
};

/// Whether a function with a frame pointer has saved its caller's beside the return address.
static bool has_frame_pointer(const struct return_place *place) {
    uint64_t outer = without_mark(place->saved);
    return place->address % 16 == 8 && outer > place->address && outer - place->address < stack_limit && outer % 16 == 0;
}

/// Finds the return address of the outermost frame. The first instructions of its function give the size of the frame. Else it is the first
/// word of the stack that stands behind a call of the function. False if neither tells.
static bool find_return(struct remote_process *process, struct return_place *place) {
    enum { most = 512, first_instructions = 64, longest = 8 };
    uint64_t words[most];
    uint8_t code[first_instructions + longest];
    const struct remote_registers *frame = &process->unwinding.outermost;
    Dwfl_Module *module = dwfl_addrmodule(process->dwfl, frame->program_counter - 1);
    GElf_Off offset;
    GElf_Sym symbol;
    if (!module || !dwfl_module_addrinfo(module, frame->program_counter - 1, &offset, &symbol, NULL, NULL, NULL)) return false;
    uint64_t start = frame->program_counter - 1 - offset;
    size_t count = most;
    // A stack may end within these words.
    while (count > 1 && !remote_read(process, frame->stack, words, count * sizeof *words)) count /= 2;
    if (remote_read(process, start, code, sizeof code)) {
        size_t i = frame_size(code, offset < first_instructions ? offset : first_instructions) / 8;
        if (i > 0 && i < count) {
            *place = (struct return_place){frame->stack + 8 * i, words[i], words[i - 1]};
            if (has_frame_pointer(place) && follows_call(process, place->back)) return true;
        }
    }
    for (size_t i = 1; i < count; i++) {
        if (words[i] < remote_page_size || !calls(process, words[i], start)) continue;
        *place = (struct return_place){frame->stack + 8 * i, words[i], words[i - 1]};
        return true;
    }
    return false;
}

/// Continues where the unwinder could not. The kernel does not show the frame pointer of a blocked thread, and the functions that have
/// been called may not have saved it; some functions have no rules. False if the stack ends there.
static bool find_rest(struct remote_process *process) {
    struct unwinding *unwinding = &process->unwinding;
    struct remote_registers *frame = &unwinding->outermost;
    struct return_place place;
    if (frame->stack == 0 || (frame->frame != 0 && !unwinding->lacks_rules)) return false;
    bool is_found = find_return(process, &place), has_frame = is_found && has_frame_pointer(&place);
    if (unwinding->lacks_rules && is_found) {
        bool is_own = has_frame && (frame->frame == 0 || frame->frame == place.address - 8);
        *frame = (struct remote_registers){
            .stack = place.address + 8, .program_counter = place.back, .frame = is_own ? without_mark(place.saved) : frame->frame};
        unwinding->first = first_is_caller;
        return true;
    }
    unwinding->first = first_is_known;
    if (unwinding->lacks_rules) return frame->frame != 0;
    if (!has_frame) return false;
    frame->frame = process->frames[process->frame_count - 1].frame = place.address - 8;
    return true;
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
    memset(&process->unwinding, 0, sizeof process->unwinding);
    if (!process->is_attached) return 0;
    struct remote_registers outermost;
    do {
        size_t before = process->frame_count;
        process->unwinding.lacks_rules = false;
        dwfl_getthread_frames(process->dwfl, thread, add_frame, process);
        if (process->frame_count == before || process->frame_count == room || !find_rest(process)) break;
        outermost = process->unwinding.outermost;
        process->registers = &outermost;
    } while (true);
    return process->frame_count;
}

#else

size_t remote_stack(
    struct remote_process *process, pid_t thread, const struct remote_registers *registers, struct remote_frame *frames, size_t room) {
    (void)process, (void)thread, (void)registers, (void)frames, (void)room;
    return 0;
}

#endif
