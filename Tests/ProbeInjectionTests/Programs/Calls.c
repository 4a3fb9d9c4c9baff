// Sleeps in the system call that its argument names, once it has read a line, with a pattern in all registers, and prints which of them the call has changed, and its
// result. The code that makes the call touches no other register, so every difference is the doing of another process.

#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct call {
    uint64_t number, arguments[6];
    uint64_t kept[12];       // rbx, rbp, r12 to r15, then what the call leaves of rdi, rsi, rdx, r10, r8, r9
    uint8_t vectors[16][16];
    int64_t result;
};

void make_call(struct call *before, struct call *after);
__asm__(
    "make_call:\n"
    "    push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n push %rsi\n"
    "    mov %rdi, %rcx\n"
    "    mov 56(%rcx), %rbx\n mov 64(%rcx), %rbp\n mov 72(%rcx), %r12\n mov 80(%rcx), %r13\n mov 88(%rcx), %r14\n mov 96(%rcx), %r15\n"
    "    .set n, 0\n .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n movdqu 152+16*\\r(%rcx), %xmm\\r\n .endr\n"
    "    mov 0(%rcx), %rax\n mov 8(%rcx), %rdi\n mov 16(%rcx), %rsi\n mov 24(%rcx), %rdx\n mov 32(%rcx), %r10\n mov 40(%rcx), %r8\n mov 48(%rcx), %r9\n"
    "    syscall\n"
    "    pop %rcx\n"
    "    mov %rbx, 56(%rcx)\n mov %rbp, 64(%rcx)\n mov %r12, 72(%rcx)\n mov %r13, 80(%rcx)\n mov %r14, 88(%rcx)\n mov %r15, 96(%rcx)\n"
    "    mov %rdi, 104(%rcx)\n mov %rsi, 112(%rcx)\n mov %rdx, 120(%rcx)\n mov %r10, 128(%rcx)\n mov %r8, 136(%rcx)\n mov %r9, 144(%rcx)\n"
    "    .irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n movdqu %xmm\\r, 152+16*\\r(%rcx)\n .endr\n"
    "    mov %rax, 408(%rcx)\n"
    "    pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n");

static void handle(int signal) { (void)signal; }

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    static struct call before, after;
    static struct timespec length = {.tv_nsec = 800000000};
    static sigset_t mask;
    static struct pollfd input = {.fd = 0, .events = POLLIN};
    static struct epoll_event found;
    int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &(struct epoll_event){.events = EPOLLIN});
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    // Blocked outside of sigsuspend, as programs do that wait for signals.
    sigset_t usual;
    sigemptyset(&usual);
    if (strcmp(name, "sigsuspend") == 0) sigaddset(&usual, SIGUSR1);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    struct {
        const char *name;
        long number;
        uint64_t arguments[6];
    } calls[] = {
        {"nanosleep", SYS_nanosleep, {(uint64_t)&length}},
        {"sigsuspend", SYS_rt_sigsuspend, {(uint64_t)&mask, 8}},
        {"pause", SYS_pause, {0}},
        {"poll", SYS_poll, {(uint64_t)&input, 1, (uint64_t)-1}},
        {"ppoll", SYS_ppoll, {(uint64_t)&input, 1, 0, 0, 8}},
        {"epoll", SYS_epoll_wait, {(uint64_t)epoll, (uint64_t)&found, 1, (uint64_t)-1}},
        {"handler", SYS_poll, {(uint64_t)&input, 1, (uint64_t)-1}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(name, calls[i].name) != 0) continue;
        for (size_t k = 0; k < sizeof before.kept; k++) ((uint8_t *)before.kept)[k] = (uint8_t)(k * 37 + 11);
        for (size_t k = 0; k < sizeof before.vectors; k++) ((uint8_t *)before.vectors)[k] = (uint8_t)(k * 53 + 7);
        before.number = (uint64_t)calls[i].number;
        memcpy(before.arguments, calls[i].arguments, sizeof before.arguments);
        memcpy(&before.kept[6], before.arguments, sizeof before.arguments);
        struct timespec start, end;
        puts("ready");
        fflush(stdout);
        char letter = 0;
        while (letter != '\n' && read(0, &letter, 1) == 1) {}
        clock_gettime(CLOCK_MONOTONIC, &start);
        make_call(&before, &after);
        clock_gettime(CLOCK_MONOTONIC, &end);
        // nanosleep's time is its own to tell: no shorter than asked for.
        int64_t slept = (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
        int is_short = calls[i].number == SYS_nanosleep && slept < length.tv_nsec;
        int is_same = memcmp(before.kept, after.kept, sizeof before.kept) == 0;
        int are_same = memcmp(before.vectors, after.vectors, sizeof before.vectors) == 0;
        sigset_t now;
        sigprocmask(SIG_BLOCK, NULL, &now);
        printf("registers %s vectors %s mask %d short %d result %ld\n", is_same ? "same" : "changed", are_same ? "same" : "changed",
            sigismember(&now, SIGUSR1), is_short, (long)after.result);
        return 0;
    }
    return 1;
}
