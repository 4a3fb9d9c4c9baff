// The names of XCTest's tests.

#ifndef PROBE_TESTS_H
#define PROBE_TESTS_H

#pragma GCC visibility push(hidden)

/// The name of the running test if XCTest, to which the code at `caller` belongs, makes a task for that test. Otherwise NULL.
const char *test_name(const void *caller);

#pragma GCC visibility pop

#endif
