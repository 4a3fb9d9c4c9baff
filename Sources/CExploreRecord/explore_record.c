#include "explore_record.h"

_Static_assert(sizeof(explore_choice) == 48, "the layout is the same for the command and for the library");
_Static_assert(sizeof(explore_strand) == 88, "the layout is the same for the command and for the library");
