// The symbols of a program's or library's file.

#ifndef SYMBOL_TABLE_H
#define SYMBOL_TABLE_H

#include "runtime_code.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Calls `use` with each function and object of a file that is loaded at `base`. They come from the full symbol table if the file has one,
/// else from the table of exports, which a stripped file still has. True if it has the full one.
bool symbols_read(const char *path, uintptr_t base, void (*use)(const char *name, code_range range));

#pragma GCC visibility pop

#endif
