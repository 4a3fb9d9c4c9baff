#ifndef HOPSCOPE_PROBE_INJECTION_INTERNAL_H
#define HOPSCOPE_PROBE_INJECTION_INTERNAL_H

#include "CProbeInjection.h"

#include <stddef.h>

/// The system call in which a thread sleeps, as /proc/PID/task/TID/syscall states it.
struct sleeping_thread {
    pid_t id;
    long call;
    uint64_t arguments[6];
    uint64_t stack, program_counter;
};

/// Finds a thread that sleeps in a call in which it holds no lock, and that the kernel begins again as if it had not been interrupted. `skipped`
/// is the number of such threads to leave out. False if there is no further one.
bool injection_find_sleeper(pid_t pid, size_t skipped, struct sleeping_thread *thread);

/// Whether a thread that was stopped sleeps on. The kernel has another number for some of the calls that it has begun again.
bool injection_sleeps_on(pid_t pid, const struct sleeping_thread *before, struct sleeping_thread *thread);

/// Whether the kernel ends this system call when its thread is stopped, so that it must be made again.
bool injection_repeats(long call);

/// Facts of the process's memory that the stop needs, read before it.
struct injection_code {
    /// The address of a byte in the C library's code that is the instruction `int3`.
    uint64_t trap;
    /// The addresses to which handlers of signals return.
    uint64_t restorers[8];
    size_t restorer_count;
};

bool injection_find_code(pid_t pid, struct injection_code *code);

/// The stack that contains an address. False if the address is in no writable memory.
bool injection_find_stack(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high);

/// Whether a thread with this stack handles a signal. True also if the stack cannot be read.
bool injection_handles_signal(pid_t pid, uint64_t stack, uint64_t high, const struct injection_code *code);

bool injection_read_memory(pid_t pid, uint64_t address, void *into, size_t size);
bool injection_write_memory(pid_t pid, uint64_t address, const void *from, size_t size);

/// The machine code of the new thread.
extern const char injection_code_begin[], injection_code_end[];

uint64_t injection_now(void);

#endif
