// libcurl's functions as Foundation calls them, each found in libcurl.so.4 at its first call. `make dist` links this file in libcurl's place:
// only `hopscope ship` needs libcurl, and the other commands run where there is none. `ship` looks for it before it makes a request.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "The functions pass their arguments on as the calling conventions of x86-64 and aarch64 have them on Linux."
#endif

/// A function with whole-number and pointer arguments. Functions with a variable list take theirs in the same registers.
typedef long late_function(long first, long second, ...);

static late_function *find(const char *name) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function != NULL) return (late_function *)function;
    fprintf(stderr, "hopscope: libcurl.so.4 has no %s.\n", name);
    abort();
}

#define LATE(name)                                                                          \
    long name(long a, long b, long c, long d, long e) {                                     \
        static late_function *found;                                                        \
        late_function *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);                \
        if (function == NULL) __atomic_store_n(&found, function = find(#name), __ATOMIC_RELEASE); \
        return function(a, b, c, d, e);                                                     \
    }

LATE(curl_easy_cleanup)
LATE(curl_easy_getinfo)
LATE(curl_easy_init)
LATE(curl_easy_pause)
LATE(curl_easy_setopt)
LATE(curl_easy_strerror)
LATE(curl_free)
LATE(curl_global_init)
LATE(curl_multi_add_handle)
LATE(curl_multi_assign)
LATE(curl_multi_cleanup)
LATE(curl_multi_info_read)
LATE(curl_multi_init)
LATE(curl_multi_remove_handle)
LATE(curl_multi_setopt)
LATE(curl_multi_socket_action)
LATE(curl_slist_append)
LATE(curl_slist_free_all)
LATE(curl_url)
LATE(curl_url_cleanup)
LATE(curl_url_get)
LATE(curl_url_set)
LATE(curl_url_strerror)
LATE(curl_version)
LATE(curl_version_info)
