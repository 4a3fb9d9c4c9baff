// Stops one sleeping thread, lets it make the thread that loads the library, and lets it sleep on.

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "trace_files.h"

#ifdef __x86_64__

#include <elf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

enum { page = 4096, record_size = (sizeof(trace_injection) + page - 1) / page * page, mapping_size = page + record_size };

/// The stack that a call needs, and the bytes below the stack pointer that belong to the running function.
enum { least_stack = 64 << 10, red_zone = 128 };

struct stopped_thread {
    pid_t pid;
    struct sleeping_thread sleeper;
    struct user_regs_struct registers;
    uint8_t vectors[16 << 10];
    size_t vectors_size;
    uint64_t mask;
    const struct injection_code *code;
    bool has_ended;
};

// Steps

/// Waits for the next stop of the thread. False if it has ended.
static bool wait_for_stop(struct stopped_thread *thread, int *status) {
    while (waitpid(thread->sleeper.id, status, __WALL) < 0)
        if (errno != EINTR) return thread->has_ended = true, false;
    thread->has_ended = !WIFSTOPPED(*status);
    return !thread->has_ended;
}

/// Lets the thread run until the instruction `int3`, or for one instruction. The kernel may stop it before, with its whole process.
static bool run_to_trap(struct stopped_thread *thread, int request) {
    for (;;) {
        int status;
        if (ptrace(request, thread->sleeper.id, 0, 0) != 0 || !wait_for_stop(thread, &status)) return false;
        if (status >> 16 == PTRACE_EVENT_STOP) continue;
        return WSTOPSIG(status) == SIGTRAP;
    }
}

/// Makes a system call with the thread's own instruction, which is right before its program counter.
static bool make_call(struct stopped_thread *thread, long call, uint64_t a, uint64_t b, uint64_t c, uint64_t d, int64_t *result) {
    struct user_regs_struct registers = thread->registers;
    registers.rip -= 2;
    registers.rax = (uint64_t)call;
    registers.orig_rax = UINT64_MAX;
    registers.rdi = a;
    registers.rsi = b;
    registers.rdx = c;
    registers.r10 = d;
    registers.r8 = UINT64_MAX;
    registers.r9 = 0;
    if (ptrace(PTRACE_SETREGS, thread->sleeper.id, 0, &registers) != 0 || !run_to_trap(thread, PTRACE_SINGLESTEP)
        || ptrace(PTRACE_GETREGS, thread->sleeper.id, 0, &registers) != 0)
        return false;
    *result = (int64_t)registers.rax;
    return true;
}

/// Calls a function with four arguments below the thread's own stack. It returns to an instruction `int3`.
static bool call_function(struct stopped_thread *thread, uint64_t function, uint64_t a, uint64_t b, uint64_t c, uint64_t d, int *result) {
    struct user_regs_struct registers = thread->registers;
    registers.rsp = ((registers.rsp - red_zone) & ~UINT64_C(15)) - 8;
    if (!injection_write_memory(thread->pid, registers.rsp, &thread->code->trap, sizeof thread->code->trap)) return false;
    registers.rip = function;
    registers.rax = 0;
    registers.orig_rax = UINT64_MAX;
    registers.rdi = a;
    registers.rsi = b;
    registers.rdx = c;
    registers.rcx = d;
    // A function begins with the direction flag clear.
    registers.eflags &= ~UINT64_C(0x400);
    if (ptrace(PTRACE_SETREGS, thread->sleeper.id, 0, &registers) != 0 || !run_to_trap(thread, PTRACE_CONT)
        || ptrace(PTRACE_GETREGS, thread->sleeper.id, 0, &registers) != 0)
        return false;
    *result = (int)registers.rax;
    return registers.rip == thread->code->trap + 1;
}

// The state of the thread

/// Whether the thread is where it slept, with a stack of its own that no handler of a signal uses.
static bool is_safe(struct stopped_thread *thread, uint64_t low, uint64_t high) {
    const struct user_regs_struct *registers = &thread->registers;
    enum { code_of_64_bits = 0x33 };
    uint8_t instruction[2];
    return registers->cs == code_of_64_bits && registers->orig_rax == (uint64_t)thread->sleeper.call
        && registers->rsp == thread->sleeper.stack && registers->rip == thread->sleeper.program_counter
        && injection_read_memory(thread->pid, registers->rip - 2, instruction, sizeof instruction) && instruction[0] == 0x0f
        && instruction[1] == 0x05 && low <= registers->rsp - least_stack && registers->rsp < high
        && !injection_handles_signal(thread->pid, registers->rsp, high, thread->code);
}

static bool keep_state(struct stopped_thread *thread) {
    struct iovec vectors = {thread->vectors, sizeof thread->vectors};
    if (ptrace(PTRACE_GETREGSET, thread->sleeper.id, NT_X86_XSTATE, &vectors) != 0
        || ptrace(PTRACE_GETSIGMASK, thread->sleeper.id, sizeof thread->mask, &thread->mask) != 0)
        return false;
    thread->vectors_size = vectors.iov_len;
    // Signals wait until the thread is as it was. The kernel sets the action of a blocked signal back if an instruction raises it, so these
    // stay as they are.
    static const int raised[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    uint64_t mask = UINT64_MAX;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) mask &= ~(UINT64_C(1) << (raised[i] - 1));
    return ptrace(PTRACE_SETSIGMASK, thread->sleeper.id, sizeof mask, &mask) == 0;
}

/// Whether a signal waits for the thread that it does not block.
static bool has_signal(const struct stopped_thread *thread) {
    for (unsigned flags = 0; flags <= PTRACE_PEEKSIGINFO_SHARED; flags++) {
        siginfo_t found[16];
        struct __ptrace_peeksiginfo_args range = {.off = 0, .flags = flags, .nr = 16};
        long count;
        while ((count = ptrace(PTRACE_PEEKSIGINFO, thread->sleeper.id, &range, found)) > 0) {
            for (long i = 0; i < count; i++)
                if (!(thread->mask >> (found[i].si_signo - 1) & 1)) return true;
            range.off += (uint64_t)count;
        }
    }
    return false;
}

static void restore_state(struct stopped_thread *thread) {
    struct iovec vectors = {thread->vectors, thread->vectors_size};
    ptrace(PTRACE_SETREGSET, thread->sleeper.id, NT_X86_XSTATE, &vectors);
    ptrace(PTRACE_SETSIGMASK, thread->sleeper.id, sizeof thread->mask, &thread->mask);
    ptrace(PTRACE_SETREGS, thread->sleeper.id, 0, &thread->registers);
}

/// The kernel ends some calls of a thread that it stops, as for a signal. Without a signal they are made again.
static void repeat_call(struct stopped_thread *thread) {
    if ((int64_t)thread->registers.rax != -EINTR || !injection_repeats((long)thread->registers.orig_rax) || has_signal(thread)) return;
    struct user_regs_struct registers = thread->registers;
    registers.rip -= 2;
    registers.rax = registers.orig_rax;
    ptrace(PTRACE_SETREGS, thread->sleeper.id, 0, &registers);
}

// The injection

struct attempt {
    pid_t pid;
    const char *path;
    const struct injection_functions *functions;
    struct injection_code code;
    /// The thread that was stopped last; its id is 0 for none.
    struct sleeping_thread last;
    /// The memory that the process has made; 0 for none.
    uint64_t mapping;
    struct injection_result result;
};

static enum injection_problem make_memory(struct stopped_thread *thread, struct attempt *attempt) {
    int64_t mapping;
    // The code makes its own page unwritable, which takes no time of the stopped thread.
    const int protection = PROT_READ | PROT_WRITE | PROT_EXEC;
    if (!make_call(thread, SYS_mmap, 0, mapping_size, protection, MAP_PRIVATE | MAP_ANONYMOUS, &mapping)) return injection_unreadable;
    if (mapping < 0 && mapping > -page) return attempt->result.error = (int)-mapping, injection_no_room;
    attempt->mapping = (uint64_t)mapping;
    return injection_fine;
}

static enum injection_problem make_thread(struct stopped_thread *thread, struct attempt *attempt) {
    uint64_t record = attempt->mapping + page, place = record + offsetof(trace_injection, thread);
    int status;
    if (!call_function(thread, attempt->functions->pthread_create, place, 0, attempt->mapping, record, &status)) return injection_unreadable;
    attempt->result.error = status;
    return status == 0 ? injection_fine : injection_no_room;
}

static enum injection_problem release_memory(struct stopped_thread *thread, struct attempt *attempt) {
    int64_t result;
    return make_call(thread, SYS_munmap, attempt->mapping, mapping_size, 0, 0, &result) ? injection_fine : injection_unreadable;
}

static bool fill_memory(const struct attempt *attempt) {
    const struct injection_functions *functions = attempt->functions;
    trace_injection record = {
        .dlopen = functions->dlopen, .dlsym = functions->dlsym, .dlerror = functions->dlerror, .pthread_self = functions->pthread_self,
        .pthread_detach = functions->pthread_detach, .munmap = functions->munmap, .usleep = functions->usleep,
        .mprotect = functions->mprotect, .mapping = attempt->mapping, .mapping_size = mapping_size, .entry = TRACE_INJECTION_ENTRY,
        .command = getpid(), .command_start = trace_process_start((uint32_t)getpid()),
    };
    strncpy(record.path, attempt->path, sizeof record.path - 1);
    size_t size = (size_t)(injection_code_end - injection_code_begin);
    return injection_write_memory(attempt->pid, attempt->mapping, injection_code_begin, size)
        && injection_write_memory(attempt->pid, attempt->mapping + page, &record, sizeof record);
}

typedef enum injection_problem action(struct stopped_thread *thread, struct attempt *attempt);

/// Acts in a thread that was stopped. `injection_no_safe_thread` if it does not sleep where it did.
static enum injection_problem act_in(const struct sleeping_thread *sleeper, struct attempt *attempt, action *action) {
    struct stopped_thread thread = {.pid = attempt->pid, .sleeper = *sleeper, .code = &attempt->code};
    uint64_t low, high;
    if (!injection_find_stack(attempt->pid, sleeper->stack, &low, &high)) return injection_no_safe_thread;
    if (ptrace(PTRACE_SEIZE, sleeper->id, 0, 0) != 0) {
        attempt->result.error = errno;
        return errno == ESRCH ? injection_no_safe_thread : injection_refused;
    }
    uint64_t began = injection_now();
    int status;
    if (ptrace(PTRACE_INTERRUPT, sleeper->id, 0, 0) != 0 || !wait_for_stop(&thread, &status)) return injection_ended;
    enum injection_problem problem = injection_no_safe_thread;
    bool is_known = ptrace(PTRACE_GETREGS, sleeper->id, 0, &thread.registers) == 0;
    // On a machine that is this late, the rest would be late, too.
    if (is_known && injection_now() - began < injection_search / 2 && is_safe(&thread, low, high)) {
        problem = injection_unreadable;
        if (keep_state(&thread)) {
            problem = action(&thread, attempt);
            if (!thread.has_ended) restore_state(&thread);
        }
    }
    if (is_known && !thread.has_ended) repeat_call(&thread);
    ptrace(PTRACE_DETACH, sleeper->id, 0, 0);
    attempt->last = *sleeper;
    uint64_t stop = injection_now() - began;
    if (stop > attempt->result.stop) attempt->result.stop = stop;
    return thread.has_ended ? injection_ended : problem;
}

/// Acts in a thread that sleeps, which it looks for.
static enum injection_problem act(struct attempt *attempt, action *action) {
    uint64_t deadline = injection_now() + injection_search;
    const struct sleeping_thread last = attempt->last;
    for (size_t skipped = 0;;) {
        struct sleeping_thread sleeper;
        bool sleeps_on = skipped == 0 && last.id != 0 && injection_sleeps_on(attempt->pid, &last, &sleeper);
        if (sleeps_on || injection_find_sleeper(attempt->pid, skipped, &sleeper)) {
            enum injection_problem problem = act_in(&sleeper, attempt, action);
            if (problem != injection_no_safe_thread) return problem;
            skipped++;
        } else if (injection_now() < deadline) {
            skipped = 0;
            usleep(200);
        } else {
            return injection_no_safe_thread;
        }
    }
}

/// While a thread is stopped it waits for this one, which must not wait for its turn. Without the right, it does.
static void hurry(void) {
    const struct sched_param first = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) != 0) setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
}

static void *run(void *argument) {
    struct attempt *attempt = argument;
    hurry();
    enum injection_problem problem = act(attempt, make_memory);
    if (problem == injection_fine) {
        attempt->result.record = attempt->mapping + page;
        problem = fill_memory(attempt) ? act(attempt, make_thread) : injection_unreadable;
        if (problem != injection_fine) act(attempt, release_memory);
    }
    attempt->result.problem = problem;
    return NULL;
}

struct injection_result injection_begin(pid_t pid, const char *path, const struct injection_functions *functions) {
    struct attempt attempt = {.pid = pid, .path = path, .functions = functions};
    if (!injection_find_code(pid, &attempt.code)) return (struct injection_result){.problem = injection_unreadable};
    // A signal that ended this process now would leave the other one's thread in the midst of a call.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // The kernel lets go of all threads that a thread has stopped when that thread ends.
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, &attempt);
    if (error == 0) pthread_join(thread, NULL);
    else attempt.result = (struct injection_result){.problem = injection_no_room, .error = error};
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return attempt.result;
}

#else

struct injection_result injection_begin(pid_t pid, const char *path, const struct injection_functions *functions) {
    (void)pid, (void)path, (void)functions;
    return (struct injection_result){.problem = injection_unsupported};
}

#endif
