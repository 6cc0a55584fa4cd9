/* Preloaded into a process, adds the seconds in the file CLOCK_SHIFT to its time of day. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void map_shift(void) {
    int file = open(getenv("CLOCK_SHIFT"), O_RDONLY);
    void *page = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED)
        abort();
    close(file);
    shift = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && shift)
        now->tv_sec += *shift;
    return failed;
}
