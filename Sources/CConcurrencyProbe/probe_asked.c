// Answers `hopscope doctor` with the facts that the probe would see in this program. The process ends with the answer, before the program
// begins.

#define _GNU_SOURCE
#include "concurrency_probe.h"
#include "interposition.h"
#include "probe_install.h"
#include "probe_routes.h"
#include "probe_runtime.h"
#include "probe_state.h"
#include "probe_statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((section(".note.hopscope"), used, retain, aligned(4))) static const probe_note note = PROBE_NOTE;

static const char *state_word(void) {
    if (!runtime_is_there()) return "none";
    switch (hopscope_probe_current_state()) {
    case HOPSCOPE_PROBE_IDLE: return "idle";
    case HOPSCOPE_PROBE_COMPLETE: return "complete";
    case HOPSCOPE_PROBE_HOOKS_ONLY: return "hooks";
    }
    return "none";
}

/// Names the functions for which the linker must lead the program's calls to a probe that is part of the program, if it has not.
static void name_wrapped(void) {
#ifndef HOPSCOPE_PRELOADED
    if (!probe_has_hooks_only || interposed_wraps_library_functions()) return;
    const char *name;
    for (size_t index = 0; (name = interposed_library_function(index)) != NULL; index++) dprintf(STDOUT_FILENO, "wrap %s\n", name);
#endif
}

/// Writes lines to the standard output, each with a word and its value. Readers ignore words that they do not know.
__attribute__((constructor)) static void answer(void) {
    if (secure_getenv(PROBE_QUESTION) == NULL || probe_leaves_tasks_to_another()) return;
    probe_install();
    dprintf(STDOUT_FILENO, "probe %s\n", state_word());
    if (runtime_is_there()) {
        runtime_describe(STDOUT_FILENO);
        dprintf(STDOUT_FILENO, "routes %u\nwhy %s\n", probe_is_installed ? probe_routes : 0, statement_idle_reason);
        name_wrapped();
    }
    _exit(0);
}
