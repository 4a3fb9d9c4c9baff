// Records into a file as on a machine whose pages have the size of the first argument, and prints where the region's parts begin and which
// parts of the file it reserves. The second argument is the folder for the file.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace_files.h"
#include "trace_lanes.h"

static long page;

/// Stands before the C library's function.
long sysconf(int name) {
    long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    return name == _SC_PAGESIZE ? page : next(name);
}

/// Likewise.
int fallocate(int file, int mode, off_t offset, off_t length) {
    int (*next)(int, int, off_t, off_t) = (int (*)(int, int, off_t, off_t))dlsym(RTLD_NEXT, "fallocate");
    printf("reserved %lld %lld\n", (long long)offset, (long long)length);
    return next(file, mode, offset, length);
}

enum { THREADS = 40 };
static pthread_barrier_t all_have_emitted;

static void *emit(void *unused) {
    for (int count = 0; count < 3000; count++) trace_emit(200, 0, 0, 0, 0, 0);
    pthread_barrier_wait(&all_have_emitted);
    return unused;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    page = strtol(arguments[1], NULL, 10);
    trace_problem problem;
    int directory = trace_directory_open(arguments[2], false, &problem);
    trace_region_options options = {
        .lane_limit = 1000, .lane_slots = TRACE_DEFAULT_SLOTS, .entry_limit = 70000, .entries_size = 100000};
    trace_region *region = trace_region_create_file(&options, directory, &problem);
    if (region == NULL || !trace_region_publish(region, &problem)) {
        fprintf(stderr, "%s\n", problem.sentence);
        return 1;
    }
    trace_install(region);
    // Each thread lives until all have emitted, so each has a lane of its own.
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_have_emitted, NULL, THREADS);
    for (int thread = 0; thread < THREADS; thread++) pthread_create(&threads[thread], NULL, emit, NULL);
    for (int thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
    for (int text = 0; text < 2000; text++) trace_text((const uint8_t *)&text, sizeof text);
    const trace_header *header = trace_region_header(region);
    printf("part %lld 0\n", (long long)header->lane_headers_offset);
    printf("part %lld 0\n", (long long)header->entry_index_offset);
    printf("part %lld 0\n", (long long)header->entries_offset);
    printf("part %lld 0\n", (long long)header->rings_offset);
    return 0;
}
