// The machine code of the thread that an injection makes in the process. It calls dlopen, dlsym and the probe's function, and releases the
// memory that it is in. The offsets are those of trace_injection.

#include "internal.h"

#ifdef __x86_64__

__asm__(
    ".pushsection .rodata\n"
    ".globl injection_code_begin, injection_code_end\n"
    ".hidden injection_code_begin, injection_code_end\n"
    "injection_code_begin:\n"
    "    push %rbx\n"
    "    push %r12\n"
    "    sub $8, %rsp\n"
    "    mov %rdi, %rbx\n"
    // From here on the page of the code is not writable.
    "    mov 64(%rbx), %rdi\n"  // mapping
    "    mov $4096, %esi\n"
    "    mov $5, %edx\n"     // PROT_READ | PROT_EXEC
    "    call *56(%rbx)\n"   // mprotect
    "    lea 672(%rbx), %rdi\n"  // path
    "    mov $2, %esi\n"         // RTLD_NOW
    "    call *0(%rbx)\n"        // dlopen
    "    test %rax, %rax\n"
    "    jz 1f\n"
    "    mov %rax, %rdi\n"
    "    lea 96(%rbx), %rsi\n"  // entry
    "    call *8(%rbx)\n"       // dlsym
    "    test %rax, %rax\n"
    "    jz 1f\n"
    "    mov %rbx, %rdi\n"
    "    call *%rax\n"
    "    jmp 5f\n"
    // Not loaded: keep the loader's sentence until the command has read it, but at most two seconds.
    "1:  call *16(%rbx)\n"  // dlerror
    "    test %rax, %rax\n"
    "    jz 3f\n"
    "    lea 160(%rbx), %rdi\n"  // sentence
    "    mov $511, %ecx\n"
    "2:  mov (%rax), %dl\n"
    "    mov %dl, (%rdi)\n"
    "    test %dl, %dl\n"
    "    jz 3f\n"
    "    inc %rax\n"
    "    inc %rdi\n"
    "    dec %ecx\n"
    "    jnz 2b\n"
    "3:  movl $1, 80(%rbx)\n"  // state: TRACE_INJECTION_NOT_LOADED
    "    mov $2000, %r12d\n"
    "4:  cmpl $0, 84(%rbx)\n"  // order
    "    jne 5f\n"
    "    mov $1000, %edi\n"
    "    call *48(%rbx)\n"  // usleep
    "    dec %r12d\n"
    "    jnz 4b\n"
    "5:  call *24(%rbx)\n"  // pthread_self
    "    mov %rax, %rdi\n"
    "    call *32(%rbx)\n"  // pthread_detach
    // munmap returns to the thread's beginning, because this code is gone then.
    "    mov 40(%rbx), %rax\n"
    "    mov 64(%rbx), %rdi\n"
    "    mov 72(%rbx), %rsi\n"
    "    add $8, %rsp\n"
    "    pop %r12\n"
    "    pop %rbx\n"
    "    jmp *%rax\n"
    "injection_code_end:\n"
    ".popsection\n");

#else

const char injection_code_begin[1], injection_code_end[1];

#endif
