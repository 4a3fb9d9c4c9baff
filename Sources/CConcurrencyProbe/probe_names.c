// Names that a program gives to its tasks while they run: a route of a server, or a span. The program finds the function by its name with
// `dlsym`, so it needs no header and is not linked with the probe.

#include "probe_tasks.h"
#include "probe_thread.h"
#include "trace_vocabulary.h"

#include <string.h>

/// Calls the task that the calling thread runs `name`, until it gets another name. Does nothing outside of a task.
__attribute__((visibility("default"))) void hopscope_name_task(const char *name) {
    if (name == NULL || name[0] == 0 || !probe_is_recording()) return;
    swift_task *task = probe_running();
    if (task == NULL) return;
    bool was_busy = probe_this.is_busy;
    probe_this.is_busy = true;
    trace_emit(TRACE_MARK, TRACE_MARK_NAME, 0, trace_text((const uint8_t *)name, strlen(name)), task_number(task), 0);
    probe_this.is_busy = was_busy;
}
