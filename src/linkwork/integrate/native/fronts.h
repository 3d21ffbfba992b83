/* What factorisation and substitution by fronts share: packed triangles, and loops whose lengths are known. */
#ifndef LW_FRONTS_H
#define LW_FRONTS_H

#include "schedule.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define LW_WIDE __attribute__((target_clones("avx2", "default"))) /* the same operations, four at once */
#else
#define LW_WIDE
#endif
#if defined(__GNUC__)
#define LW_INLINE static inline __attribute__((always_inline))
#else
#define LW_INLINE static __forceinline
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define LW_UNROLL _Pragma("GCC unroll 20")
#else
#define LW_UNROLL
#endif

/* Most fronts of a mechanism are of a few sizes. With these for constants its loops have no ends to be guessed, and take
 * half the time; the operations stay the same. They are those of chains and trees of revolute, universal and spherical
 * joints in space and of any joint in the plane, of planar loops, and of nets of rods. */
#define LW_SIZE(order, from, to) (((order) * 64 + (from)) * 64 + (to))

/* Where column j begins in the lower triangle of order n. */
LW_INLINE int64_t lw_column(int n, int j)
{
    return (int64_t)j * n - (int64_t)j * (j - 1) / 2;
}

#endif
