#define _GNU_SOURCE
#include "explore_record.h"

#include <sched.h>

_Static_assert(sizeof(explore_choice) == 48, "the layout is the same for the command and for the library");
_Static_assert(sizeof(explore_strand) == 88, "the layout is the same for the command and for the library");

int explore_processors(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
}
