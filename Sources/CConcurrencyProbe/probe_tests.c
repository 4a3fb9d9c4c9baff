// The names of XCTest's tests. XCTest makes the task of an asynchronous test, and those of its `setUp` and `tearDown`, with its own functions
// only on the stack, so all of them would have one name. The probe interposes the function in which XCTest performs a test: a task that
// XCTest makes meanwhile on that thread is part of the test.

#define _GNU_SOURCE
#include "probe_tests.h"

#include "interposition.h"
#include "probe_memory.h"
#include "probe_thread.h"
#include "swift_string.h"

enum { NAME_ROOM = 256 };

struct running_test {
    void *object;  ///< the XCTestCase
    const void *library;  ///< a function of XCTest
    bool is_asked;
    char name[NAME_ROOM];  ///< empty if it is not known
    struct running_test *outer;
};

// MARK: - Names

SWIFT_RUNTIME SWIFT_CC swift_string name_of_test(SWIFT_CONTEXT void *test) __asm__("$s6XCTest0A4CaseC4nameSSvg");

static void ask_for_name(struct running_test *test) {
    test->is_asked = true;
    if (name_of_test == NULL) return;
    swift_string name = name_of_test(test->object);
    string_copy(&name, test->name, NAME_ROOM);
    string_release(&name);
}

const char *test_name(const void *caller) {
    struct running_test *test = probe_this.test;
    if (test == NULL || swift_task_getCurrent() != NULL || !memory_is_of_one_file(caller, test->library)) return NULL;
    if (!test->is_asked) ask_for_name(test);
    return test->name[0] != 0 ? test->name : NULL;
}

// MARK: - Tests

#ifdef HOPSCOPE_PRELOADED

typedef SWIFT_CC void perform_function(void *run, SWIFT_CONTEXT void *test);

/// Performs a test on the calling thread: XCTestCase.perform(_:).
static SWIFT_CC void probe_perform(void *run, SWIFT_CONTEXT void *object) {
    perform_function *next = NEXT($s6XCTest0A4CaseC7performyyAA0A3RunCF, perform_function);
    struct running_test test = {.object = object, .library = (const void *)next, .outer = probe_this.test};
    probe_this.test = &test;
    next(run, object);
    probe_this.test = test.outer;
}
STANDS_BEFORE($s6XCTest0A4CaseC7performyyAA0A3RunCF, probe_perform);

#endif
