// Loops that gain from wider vectors are compiled twice, and the processor picks. The results are the same: no
// fused multiply-add, no reordering.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define ASKEW_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define ASKEW_WIDE_VECTORS
#endif
