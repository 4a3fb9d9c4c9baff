// A program that has Dispatch in its own file: which of its code is whose.

#ifndef DISPATCH_LINKED_H
#define DISPATCH_LINKED_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#ifndef HOPSCOPE_PRELOADED

typedef enum code_owner {
    CODE_OF_PROGRAM = 0,
    CODE_OF_LIBRARY = 1,   ///< Swift's overlay or Foundation, between a block's call and the program's code
    CODE_OF_DISPATCH = 2,  ///< Dispatch, or the Swift runtime where it uses Dispatch
    CODE_OF_PROBE = 3,
} code_owner;

/// Finds out whose the program's functions are. False if Dispatch is not in the program's file, and if the file does not name its functions.
bool linked_code_learn(void);

/// The owner of the code at an address; of the program's own where nothing was learned.
code_owner linked_code_owner(const void *address);

#endif

#pragma GCC visibility pop

/// Puts the functions of a file where the linker tells their place. Only a probe that is part of the program needs to know them.
#ifdef HOPSCOPE_PRELOADED
#define PROBE_SECTION
#else
#define PROBE_SECTION _Pragma("clang section text = \"hopscope_blocks\"")
#endif

#endif
