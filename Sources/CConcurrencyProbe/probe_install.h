// The installation of the probe.

#ifndef PROBE_INSTALL_H
#define PROBE_INSTALL_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Installs the probe at the first call. Called when a recording begins. In a process whose runtime the probe does not know, each call
/// states the reason in the trace.
void probe_install(void);

/// `hopscope doctor` sets this variable to ask the probe.
#define PROBE_QUESTION "HOPSCOPE_PROBE_ASKED"

/// A note that the linker adds to each program with the probe in it. `hopscope doctor` asks no other program, and a preloaded probe leaves
/// the tasks to no other one.
typedef struct probe_note {
    uint32_t name_size, size, kind;
    char name[12];
} probe_note;

#define PROBE_NOTE {.name_size = sizeof "Hopscope", .size = 0, .kind = 1, .name = "Hopscope"}

/// True for a preloaded probe if the runtime's calls reach a probe in the program's own file first. That one sees everything, and this one
/// would have the runtime's hooks only.
bool probe_leaves_tasks_to_another(void);

#pragma GCC visibility pop

#endif
