// The process that stops in front of `main` and runs one child for each order. It has its libraries and no other thread yet.

#define _GNU_SOURCE
#include "explore_choice.h"
#include "explore_mutex.h"
#include "explore_players.h"
#include "explore_queues.h"
#include "explore_strands.h"
#include "explore_turns.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);

static struct {
    main_function *main;
    int count;
    char **arguments, **environment;
    char output[128];
} program;

// MARK: - One order

/// Notes that the system refused a call without which there is no order.
static void note_refusal(const char *call, int error) {
    explore.record->ending = EXPLORE_REFUSED;
    explore.record->refusal = error;
    snprintf(explore.record->refused, sizeof explore.record->refused, "%s", call);
}

__attribute__((noreturn)) void explore_end_refused(const char *call, int error) {
    note_refusal(call, error);
    _exit(96);
}

static void *watch(void *unused) {
    (void)unused;
    explore_this.is_inside = true;
    for (;;) {
        struct timespec pause = {.tv_nsec = 3000000};
        explore_kernel(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
        turns_watch();
    }
    return NULL;
}

/// A fork of an explored process is not explored.
static void leave_child(void) {
    explore.is_on = false;
}

static void note_fork(void) {
    if (explore.is_on) explore.record->saw |= EXPLORE_SAW_PROCESSES;
}

static void begin_order(void) {
    explore.has_virtual_time = explore.record->is_real_time == 0;
    explore.main_is_busy = true;
    explore.program_chance = 42;
    explore.now = 1000000000000;
    explore.wall_base = 1700000000000000000 - explore.now;
    explore.record->hash = 0xcbf29ce484222325u;
    explore.is_fine = explore.record->is_fine != 0;
    *(void **)&explore.tell = dlsym(RTLD_DEFAULT, "hopscope_probe_choice");
    strands_begin();
    choice_begin();
    conditions_begin();
    explore.main.strand = STRAND_MAIN;
    explore.main.tid = (int)explore_kernel(SYS_gettid, 0, 0, 0, 0, 0, 0);
    explore.holder = explore_this.player = &explore.main;
    pthread_atfork(note_fork, NULL, leave_child);
    pthread_t watcher;
    int error = pthread_create(&watcher, NULL, watch, NULL);
    if (error != 0) explore_end_refused("pthread_create", error);
    explore.is_on = true;
}

static void clear_result(void) {
    explore_header *record = explore.record;
    record->status = 0;
    record->ending = EXPLORE_ENDED;
    record->choices = record->steps = record->jobs = record->timers = record->early = record->foreign = 0;
    record->outside = record->lost = record->strands = record->saw = record->blocked = 0;
    record->refusal = 0;
    record->hash = 0;
}

/// Runs the order in this process. What the program prints goes to a file.
static __attribute__((noreturn)) void run_here(void) {
    int output = open(program.output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), input = open("/dev/null", O_RDONLY);
    if (output < 0 || input < 0) explore_end_refused("open", errno);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    begin_order();
    exit(program.main(program.count, program.arguments, program.environment));
}

static __attribute__((noreturn)) void run_child(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    run_here();
}

/// Waits for one of the files. Returns how many are ready.
static int await(struct pollfd *polled, int milliseconds) {
    int count;
    do count = poll(polled, 2, milliseconds);
    while (count < 0 && errno == EINTR);
    return count;
}

/// The points that the order's strands have passed.
static uint64_t points(void) {
    uint64_t sum = explore.record->steps;
    uint32_t count = explore.record->strands < EXPLORE_STRANDS ? explore.record->strands : EXPLORE_STRANDS;
    for (uint32_t index = 0; index < count; index++) sum += explore.file->strands[index].points;
    return sum;
}

/// Waits for the order's end. Ended by the limit, it hangs if it did nothing any more, and else it is only long.
static void await_end(struct pollfd *polled) {
    enum { LAST = 500 };
    int limit = (int)explore.record->limit_ms;
    if (await(polled, limit - LAST) != 0) return;
    uint64_t before = points();
    if (await(polled, LAST) == 0) explore.record->ending = points() == before ? EXPLORE_TIMED_OUT : EXPLORE_TOO_LONG;
}

/// Runs one order in a child. False if the command has gone.
static bool run_order(int connection) {
    clear_result();
    pid_t child = fork();
    if (child < 0) {
        note_refusal("fork", errno);
        return true;
    }
    if (child == 0) {
        close(connection);
        run_child();
    }
    int handle = (int)syscall(SYS_pidfd_open, child, 0), error = errno;
    struct pollfd polled[] = {{handle, POLLIN, 0}, {connection, 0, 0}};
    if (handle >= 0) await_end(polled);
    bool is_wanted = (polled[1].revents & (POLLHUP | POLLERR)) == 0;
    kill(-child, SIGKILL);  // the program's own children too
    kill(child, SIGKILL);
    waitpid(child, &explore.record->status, 0);
    if (handle < 0) note_refusal("pidfd_open", error);
    if (handle >= 0) close(handle);
    return is_wanted;
}

// MARK: - The command's requests

static int serve(int connection) {
    for (;;) {
        char request;
        if (read(connection, &request, 1) != 1) _exit(1);
        switch (request) {
        case EXPLORE_RUN:
            if (!run_order(connection) || write(connection, &request, 1) != 1) _exit(1);
            break;
        case EXPLORE_RUN_HERE:
            close(connection);
            clear_result();
            // The order ends with the command, whose thread waits for it.
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_here();
        case EXPLORE_END: _exit(explore.record->exit_status);
        default: close(connection); return program.main(program.count, program.arguments, program.environment);
        }
    }
}

static int note_range(struct dl_phdr_info *module, size_t size, void *argument) {
    (void)size;
    bool *has_program = argument;
    uintptr_t end = 0;
    for (int index = 0; index < module->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_vaddr + header->p_memsz > end) end = header->p_vaddr + header->p_memsz;
    }
    address_range range = {module->dlpi_addr, module->dlpi_addr + end};
    if (!*has_program) explore.program = range;  // the program is the first
    *has_program = true;
    if (strstr(module->dlpi_name, "libdispatch.so") != NULL) explore.dispatch = range;
    if (strstr(module->dlpi_name, "HopscopeProbe.so") != NULL) explore.probe = range;
    if (is_in(range, (uintptr_t)note_range)) explore.own = range;
    if (strstr(module->dlpi_name, "libswiftDispatch.so") != NULL) explore.overlay = range;
    return 0;
}

/// Maps the file and connects to the command. -1 if this process is not to be explored.
static int find_command(const char *folder) {
    char path[128];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/" EXPLORE_SOCKET, folder) >= (int)sizeof address.sun_path) return -1;
    snprintf(path, sizeof path, "%s/" EXPLORE_RECORD, folder);
    snprintf(program.output, sizeof program.output, "%s/" EXPLORE_OUTPUT, folder);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    void *mapped = mmap(NULL, sizeof(explore_file), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return -1;
    explore.file = mapped;
    explore.record = &explore.file->header;
    // The command reads the name as soon as it sees the connection.
    ssize_t length = readlink("/proc/self/exe", explore.record->program, sizeof explore.record->program - 1);
    explore.record->program[length > 0 ? length : 0] = 0;
    explore.record->process = getpid();
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (explore.record->version != EXPLORE_VERSION || connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
        close(connection);
        return -1;
    }
    bool has_program = false;
    dl_iterate_phdr(note_range, &has_program);
    return connection;
}

/// `swift test --filter` has a process of its own list the tests, and reads what it prints.
static bool lists_tests(const char *argument) {
    return strcmp(argument, "--dump-tests-json") == 0 || strcmp(argument, "--list-tests") == 0;
}

static bool is_asked_for(int count, char **arguments) {
    const char *only = getenv(EXPLORE_ONLY);
    bool is_named = only == NULL;
    for (int index = 0; only != NULL && index < count; index++) {
        if (lists_tests(arguments[index])) return false;
        is_named = is_named || strstr(arguments[index], only) != NULL;
    }
    return is_named;
}

static int run_main(int count, char **arguments, char **environment) {
    const char *folder = getenv(EXPLORE_FOLDER);
    bool has_runtime = dlsym(RTLD_DEFAULT, "swift_job_run") != NULL && dlsym(RTLD_DEFAULT, "dispatch_get_global_queue") != NULL;
    if (folder == NULL || !has_runtime || !is_asked_for(count, arguments)) return program.main(count, arguments, environment);
    int connection = find_command(folder);
    if (connection < 0) return program.main(count, arguments, environment);
    queues_begin();
    mutexes_begin();
    unsetenv(EXPLORE_FOLDER);  // programs that this one starts are not explored
    program.count = count;
    program.arguments = arguments;
    program.environment = environ;
    return serve(connection);
}

EXPORTED int __libc_start_main(
    main_function *main, int count, char **arguments, void (*initialize)(void), void (*finish)(void), void (*finish_loader)(void),
    void *stack_end);

int __libc_start_main(
    main_function *main, int count, char **arguments, void (*initialize)(void), void (*finish)(void), void (*finish_loader)(void),
    void *stack_end
) {
    program.main = main;
    return NEXT(__libc_start_main)(run_main, count, arguments, initialize, finish, finish_loader, stack_end);
}
