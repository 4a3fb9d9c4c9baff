// The choices of the library that `hopscope explore` preloads, as events. That library finds this function by its name.

#include "probe_state.h"
#include "probe_thread.h"
#include "trace_lanes.h"
#include "trace_vocabulary.h"

#include <string.h>

/// Records something that can run at a choice. `choice` is the number of the choice and of the strand, as in the record. `task` is the
/// runtime's number of the task, 0 for something else, which has a name. `place` is where it goes on; NULL if that is not known.
__attribute__((visibility("default"))) void hopscope_probe_choice(
    uint64_t choice, uint8_t manner, uint64_t task, const char *name, const void *place
) {
    if (!probe_is_recording()) return;
    bool was_busy = probe_this.is_busy;
    probe_this.is_busy = true;
    if (__atomic_load_n(&probe_shares_numbers, __ATOMIC_RELAXED)) {  // the task has another number, which only the task itself knows
        if (task != 0) name = "a task";
        task = 0;
    }
    uint32_t code = place != NULL ? trace_code(TRACE_CODE_RESUMES, &place, 1) : TRACE_ENTRY_NONE;
    uint32_t label = TRACE_ENTRY_NONE;
    if (name != NULL) label = trace_label_of_code(name, strlen(name), code);
    else if (code != TRACE_ENTRY_NONE) label = trace_label_of_code(NULL, 0, code);
    trace_emit(TRACE_CHOICE, manner, 0, label, task, choice);
    probe_this.is_busy = was_busy;
}
