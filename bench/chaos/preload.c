/* Loaded before libc: a clock that jumps, and a disk that says no.
 *
 * CHAOS_JUMP=seconds:calls   from that call on, the wall clock is ahead by so much (or behind)
 * CHAOS_FAULT=errno:n        the n-th write, sync or rename below CHAOS_BELOW fails once
 * CHAOS_COUNT=path           how many there were is written here at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long asked, shift_after = -1, shift, done, fault_at = -1;
static int fault;
static const char *below;

__attribute__((constructor)) static void set_up(void) {
    const char *jump = getenv("CHAOS_JUMP"), *wanted = getenv("CHAOS_FAULT");
    below = getenv("CHAOS_BELOW");
    if (jump) sscanf(jump, "%ld:%ld", &shift, &shift_after);
    if (wanted) sscanf(wanted, "%d:%ld", &fault, &fault_at);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("CHAOS_COUNT");
    FILE *file = path && done ? fopen(path, "w") : NULL;
    if (file) { fprintf(file, "%ld\n", done); fclose(file); }
}

static long ahead(void) {
    return shift_after >= 0 && __sync_add_and_fetch(&asked, 1) > shift_after ? shift : 0;
}

int clock_gettime(clockid_t id, struct timespec *t) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int r = real(id, t);
    if (!r && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) t->tv_sec += ahead();
    return r;
}

time_t time(time_t *out) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}

static int ours(int fd) {
    char link[64], path[4096];
    if (!below) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return !strncmp(path, below, strlen(below));
}

static int refused(int is_ours) {
    if (!is_ours || __sync_add_and_fetch(&done, 1) != fault_at) return 0;
    errno = fault;
    return 1;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *b, size_t n) { REAL(ssize_t, "write", int, const void *, size_t); return refused(ours(fd)) ? -1 : real(fd, b, n); }
ssize_t pwrite64(int fd, const void *b, size_t n, off_t o) { REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t); return refused(ours(fd)) ? -1 : real(fd, b, n, o); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { return pwrite64(fd, b, n, o); }
int fsync(int fd) { REAL(int, "fsync", int); return refused(ours(fd)) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(int, "fdatasync", int); return refused(ours(fd)) ? -1 : real(fd); }
int rename(const char *a, const char *b) { REAL(int, "rename", const char *, const char *); return refused(below && !strncmp(b, below, strlen(below))) ? -1 : real(a, b); }
