/* Wall time in seconds from an arbitrary origin, never going back. */
#ifndef LW_CLOCK_H
#define LW_CLOCK_H

#if defined(_WIN32)
#include <windows.h>
static inline double lw_clock(void)
{
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
}
#else
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199309L /* for the monotonic clock under -std=c99; include this header first */
#endif
#include <time.h>
static inline double lw_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

#endif
