// A library that is loaded as long as nobody opens the named pipe SLOW_GATE for writing.

#include <fcntl.h>
#include <stdlib.h>

__attribute__((constructor)) static void wait_at_the_gate(void) {
    open(getenv("SLOW_GATE"), O_RDONLY);
}
