// The installation of the probe.

#ifndef PROBE_INSTALL_H
#define PROBE_INSTALL_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Installs the probe at the first call. Called when a recording begins. In a process whose runtime the probe does not know, each call
/// states the reason in the trace.
void probe_install(void);

/// `hopscope doctor` sets this variable to ask the probe, and looks for its name in a program's file to learn whether the probe is linked
/// into it.
#define PROBE_QUESTION "HOPSCOPE_PROBE_ASKED"

/// True for a preloaded probe if the runtime's calls reach a probe in the program's own file first. That one sees everything, and this one
/// would have the runtime's hooks only.
bool probe_leaves_tasks_to_another(void);

#pragma GCC visibility pop

#endif
