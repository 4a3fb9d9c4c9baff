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
#include <sys/stat.h>
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
static void note_refusal(explore_header *record, const char *call, int error) {
    record->ending = EXPLORE_REFUSED;
    record->refusal = error;
    snprintf(record->refused, sizeof record->refused, "%s", call);
}

__attribute__((noreturn)) void explore_end_refused(const char *call, int error) {
    note_refusal(explore.record, call, error);
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

static void clear_result(explore_header *record) {
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

/// An order that a child runs, in a part of the file.
typedef struct running_order {
    explore_file *file;
    pid_t child;       ///< 0 for none
    int handle;        ///< of the child
    int64_t deadline;  ///< in nanoseconds
    bool is_late;      ///< the deadline is the second one
    uint64_t points;   ///< that the order had passed at the first one
} running_order;

static running_order orders[EXPLORE_SLOTS];
static int slot_count;

/// The points that the order's strands have passed.
static uint64_t points(const explore_file *file) {
    uint64_t sum = file->header.steps;
    uint32_t count = file->header.strands < EXPLORE_STRANDS ? file->header.strands : EXPLORE_STRANDS;
    for (uint32_t index = 0; index < count; index++) sum += file->strands[index].points;
    return sum;
}

enum { LAST_NANOSECONDS = 500000000 };

static void answer(int connection, char slot) {
    if (send(connection, &slot, 1, MSG_NOSIGNAL) != 1) _exit(1);
}

/// Begins an order in a child.
static void begin_child(int connection, int slot) {
    running_order *order = &orders[slot];
    explore_header *record = &order->file->header;
    clear_result(record);
    pid_t child = fork();
    if (child == 0) {
        close(connection);
        // The program has the same files in each order.
        for (int other = 0; other < slot_count; other++)
            if (orders[other].child != 0) close(orders[other].handle);
        explore.file = order->file;
        explore.record = record;
        if (slot > 0) snprintf(program.output + strlen(program.output), 8, "-%d", slot);
        run_child();
    }
    int handle = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1, error = errno;
    if (handle < 0) {
        if (child > 0) {
            kill(child, SIGKILL);
            waitpid(child, &record->status, 0);
        }
        note_refusal(record, child < 0 ? "fork" : "pidfd_open", error);
        answer(connection, (char)slot);
        return;
    }
    int64_t limit = (int64_t)record->limit_ms * 1000000;
    order->child = child;
    order->handle = handle;
    order->is_late = false;
    order->deadline = explore_real_now() + limit - LAST_NANOSECONDS;
}

static void end_child(running_order *order) {
    if (order->child == 0) return;
    kill(-order->child, SIGKILL);  // the program's own children too
    kill(order->child, SIGKILL);
    waitpid(order->child, &order->file->header.status, 0);
    close(order->handle);
    order->child = 0;
}

/// Whether the order's time is up. Ended by the limit, it hangs if it did nothing any more, and else it is only long.
static bool is_over(running_order *order) {
    if (explore_real_now() < order->deadline) return false;
    uint64_t now = points(order->file);
    if (order->is_late) {
        order->file->header.ending = now == order->points ? EXPLORE_TIMED_OUT : EXPLORE_TOO_LONG;
        return true;
    }
    order->is_late = true;
    order->points = now;
    order->deadline += LAST_NANOSECONDS;
    return false;
}

/// Waits until the command asks for something, an order's child has ended, or an order's time is up. Ends the orders that are over. True if
/// the command asks.
static bool await(int connection) {
    struct pollfd polled[EXPLORE_SLOTS + 1] = {{connection, POLLIN, 0}};
    int64_t first = INT64_MAX;
    for (int slot = 0; slot < slot_count; slot++) {
        bool runs = orders[slot].child != 0;
        polled[slot + 1] = (struct pollfd){runs ? orders[slot].handle : -1, POLLIN, 0};
        if (runs && orders[slot].deadline < first) first = orders[slot].deadline;
    }
    int64_t left = first == INT64_MAX ? -1 : (first - explore_real_now()) / 1000000 + 1;
    int count = poll(polled, (nfds_t)slot_count + 1, left < -1 ? 0 : (int)left);
    if (count < 0 && errno != EINTR) _exit(1);
    for (int slot = 0; slot < slot_count; slot++) {
        running_order *order = &orders[slot];
        if (order->child == 0 || !((count > 0 && polled[slot + 1].revents != 0) || is_over(order))) continue;
        end_child(order);
        answer(connection, (char)slot);
    }
    return count > 0 && polled[0].revents != 0;
}

// MARK: - The command's requests

static void end_children(void) {
    for (int slot = 0; slot < slot_count; slot++) end_child(&orders[slot]);
}

static int serve(int connection) {
    for (;;) {
        if (!await(connection)) continue;
        char request[2];
        bool is_whole = recv(connection, request, sizeof request, MSG_WAITALL) == sizeof request && request[1] < slot_count;
        if (!is_whole) {
            end_children();
            _exit(1);
        }
        switch (request[0]) {
        case EXPLORE_RUN: begin_child(connection, request[1]); break;
        case EXPLORE_RUN_HERE:
            close(connection);
            clear_result(explore.record);
            // The order ends with the command, whose thread waits for it.
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_here();
        case EXPLORE_END:
            end_children();
            _exit(explore.record->exit_status);
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
    struct stat status = {0};
    size_t parts = fstat(file, &status) == 0 ? (size_t)status.st_size / sizeof(explore_file) : 0;
    slot_count = parts < EXPLORE_SLOTS ? (int)parts : EXPLORE_SLOTS;
    size_t size = (size_t)slot_count * sizeof(explore_file);
    void *mapped = size > 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    if (mapped == MAP_FAILED) return -1;
    for (int slot = 0; slot < slot_count; slot++) orders[slot].file = (explore_file *)mapped + slot;
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
