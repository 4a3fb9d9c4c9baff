// The facts that the installation finds out. Only the installation, the hooks and the statement in the trace write them.

#include "probe_state.h"

bool probe_is_installed;
bool probe_shares_numbers;
bool probe_has_hooks_only;
bool probe_sees_dequeuing;
bool probe_is_in_listed_runtime;
bool probe_misses_ends;
