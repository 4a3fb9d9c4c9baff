// Functions and variables of the process by their names.

#ifndef PROCESS_SYMBOL_H
#define PROCESS_SYMBOL_H

#include <dlfcn.h>

/// A function or variable of the process, NULL if it has none with that name. A program with Swift's libraries in its own file does not export
/// their symbols.
#ifdef HOPSCOPE_PRELOADED
#define SYMBOL(name) dlsym(RTLD_DEFAULT, #name)
#else
#define SYMBOL(name)                                                                   \
    ({                                                                                 \
        extern __attribute__((weak, visibility("default"))) char name[];               \
        (void *)name;                                                                  \
    })
#endif

#endif
