// The environment variable HOPSCOPE: an unchanged program publishes its trace.

#define _GNU_SOURCE
#include "trace_region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

/// Installed between the request for a recording and the first event, which makes the real region. No thread's lane has its generation,
/// so the generation check that every event makes anyway detects it.
trace_region trace_awaited = {.generation = UINT64_MAX, .file = -1, .directory = -1};

static pthread_mutex_t environment_lock = PTHREAD_MUTEX_INITIALIZER;
static trace_region *environment_region;
static char asked[TRACE_PATH_ROOM];

static bool means(const char *value, const char *const words[]) {
    for (; *words != NULL; words++) if (strcasecmp(value, *words) == 0) return true;
    return false;
}

static const char *const no[] = {"", "0", "no", "off", "false", NULL}, *const yes[] = {"1", "yes", "on", "true", NULL},
                         *const flight[] = {"flight", NULL};

void trace_environment_ask(const char *value) {
    if (value == NULL || means(value, no)) return;
    strncpy(asked, value, sizeof asked - 1);
    __atomic_store_n(&trace_active, &trace_awaited, __ATOMIC_RELEASE);
    if (trace_registered.recording_began != NULL) trace_registered.recording_began();
}

/// Reads the environment once at load; a program without HOPSCOPE pays for nothing else. A program that runs with another user's rights
/// (set-user-ID) ignores the variable.
__attribute__((constructor)) static void look_at_environment(void) {
    trace_find_other_lanes();
    trace_environment_ask(secure_getenv("HOPSCOPE"));
}

const char *trace_environment_directory(void) {
    if (asked[0] == '/') return asked;
    // A reader looks for regions in this directory too, without publishing one itself.
    const char *value = secure_getenv("HOPSCOPE");
    return value != NULL && value[0] == '/' ? value : NULL;
}

/// The number of descriptors that must be free before recording takes two of them. A program that gets no descriptor for its event queue
/// is ended by the system's libraries.
enum { FREE_DESCRIPTORS = 16 };

bool trace_environment_has_descriptors(bool is_for_child, trace_problem *problem) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return true;
    int free = 0;
    int next = limit.rlim_cur < INT32_MAX ? (int)limit.rlim_cur : INT32_MAX;
    // Descriptors are given out from 0 on, so the search from the end is short unless nearly all are used.
    while (--next >= 0 && free < FREE_DESCRIPTORS) {
        int flags = fcntl(next, F_GETFD);
        if (flags < 0 || (is_for_child && (flags & FD_CLOEXEC) != 0)) free++;
    }
    if (free == FREE_DESCRIPTORS) return true;
    trace_explain(
        problem, "Nothing is recorded where a program may open fewer than %d more files; here it may open %d ('ulimit -n').",
        FREE_DESCRIPTORS, free);
    errno = EMFILE;
    return false;
}

/// Writes the directory's path into a buffer of TRACE_PATH_ROOM bytes.
static trace_region *make_region(char *path, trace_problem *problem) {
    if (asked[0] != '/' && !means(asked, yes) && !means(asked, flight)) {
        trace_explain(problem, "HOPSCOPE takes 1, flight or the full path of a directory, and not \"%.200s\".", asked);
        return NULL;
    }
    if (!trace_environment_has_descriptors(false, problem)) return NULL;
    int directory = trace_directory_open_own(path, TRACE_PATH_ROOM, problem);
    if (directory < 0) return NULL;
    // The same sizes as for a region that a program requests itself.
    trace_region_options options = {
        .clock = TRACE_CLOCK_FASTEST, .lane_limit = TRACE_DEFAULT_LANES, .lane_slots = TRACE_DEFAULT_SLOTS,
        .entry_limit = TRACE_DEFAULT_ENTRIES, .entries_size = TRACE_DEFAULT_ENTRY_BYTES,
    };
    trace_region *region = trace_region_create_file(&options, directory, problem);
    if (region != NULL && means(asked, flight)) trace_region_set_flight(region, TRACE_FLIGHT_ASKED);
    if (region != NULL && !trace_region_publish(region, problem)) {
        trace_region_discard(region);
        region = NULL;
    }
    if (region != NULL) trace_prune(directory);
    close(directory);
    return region;
}

trace_region *trace_environment_publish(void) {
    trace_problem problem;
    char path[TRACE_PATH_ROOM];
    bool is_new = false;
    int error = errno;
    pthread_mutex_lock(&environment_lock);
    if (__atomic_load_n(&trace_active, __ATOMIC_ACQUIRE) == &trace_awaited) {
        trace_region *region = trace_other_lanes != NULL ? trace_other_lanes->region() : make_region(path, &problem);
        // Before the region is installed: a thread that finds it installed compares it with this.
        __atomic_store_n(&environment_region, region, __ATOMIC_RELEASE);
        is_new = trace_install_awaited(region) && region != NULL;
        if (!is_new && trace_other_lanes == NULL) {
            if (region != NULL) trace_region_discard(region);
            else fprintf(stderr, "hopscope: %s\n", problem.sentence);
        }
    }
    trace_region *active = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE);
    pthread_mutex_unlock(&environment_lock);
    if (is_new && trace_registered.region_published != NULL) trace_registered.region_published();
    bool is_flight = is_new && active->header->flight == TRACE_FLIGHT_ASKED;
    if (is_flight && trace_registered.flight_asked != NULL) trace_registered.flight_asked();
    errno = error;
    return active;
}

trace_region *trace_environment_begin(char *path, size_t room, trace_problem *problem) {
    const char *directory = trace_environment_directory();
    char folder[TRACE_PATH_ROOM], link[32];
    pthread_mutex_lock(&environment_lock);
    trace_region *active = __atomic_load_n(&trace_active, __ATOMIC_ACQUIRE), *region = active;
    bool is_new = active == NULL || active == &trace_awaited;
    if (is_new) {
        strncpy(asked, directory != NULL ? directory : "1", sizeof asked - 1);
        region = make_region(folder, problem);
        __atomic_store_n(&environment_region, region, __ATOMIC_RELEASE);
    }
    if (is_new && region == NULL) {
        __atomic_store_n(&trace_active, NULL, __ATOMIC_RELEASE);
    } else if (is_new) {
        trace_install(region);
    }
    pthread_mutex_unlock(&environment_lock);
    if (region == NULL) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", region->directory);
    ssize_t length = readlink(link, folder, sizeof folder - 1);
    folder[length > 0 ? length : 0] = 0;
    snprintf(path, room, "%s/%s", folder, trace_region_name(region));
    return region;
}

trace_region *trace_environment_region(void) {
    trace_region *active = trace_recorded_into();
    return active != NULL && active == __atomic_load_n(&environment_region, __ATOMIC_ACQUIRE) ? active : NULL;
}
