#ifndef HOPSCOPE_DEBUG_INFO_H
#define HOPSCOPE_DEBUG_INFO_H

#include <stddef.h>
#include <stdint.h>

/// The functions and lines of one program or library, from its debug information and its symbols. One thread at a time uses it.
struct debug_file;

/// Opens an ELF file. NULL if there is none. Separate debug information is found in the usual places of this machine; no server is asked.
struct debug_file *debug_open(const char *path);

void debug_close(struct debug_file *file);

/// A function that an address is in. The texts live until the file is closed.
struct debug_frame {
    /// The linkage name, or NULL.
    const char *function;
    /// The path of the source file, or NULL. A relative one is below `folder`.
    const char *path, *folder;
    uint32_t line;
    /// The line at which the function begins, or 0.
    uint32_t begin;
};

/// The functions at an address of the file, the innermost inlined one first, the function itself last. An inlined function's caller has
/// the line of the call. For the beginning of the piece of a function behind an await they are those of the await. Returns their number, at
/// most `room`, and 0 if the address is in no known function.
size_t debug_frames(struct debug_file *file, uint64_t address, struct debug_frame *frames, size_t room);

#endif
