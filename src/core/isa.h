// The instruction set this translation unit is compiled for.
//
// Files named *.simd.cpp are compiled once for each instruction set, with these macros set by the build. All
// numeric templates live in `namespace dollop::inline DOLLOP_ISA`, so that the linker can never merge code of
// a wide instruction set into a function that runs everywhere. See docs/decisions.md.
#pragma once

#ifndef DOLLOP_ISA
#define DOLLOP_ISA baseline
#define DOLLOP_VECTOR_BYTES 16
#endif

// Inlining without exception makes one function of a loop, which the sanitizers' checks would make too large to compile:
// a debug build leaves the choice to the compiler.
#ifdef DOLLOP_DEBUG
#define DOLLOP_INLINE inline
#define DOLLOP_INLINE_LAMBDA
#else
#define DOLLOP_INLINE inline __attribute__((always_inline))
#define DOLLOP_INLINE_LAMBDA __attribute__((always_inline))  // behind the parameters of a lambda
#endif

// Unrolls the loop that follows, where registers are wide enough that the sums of a stencil fit into them.
// Elsewhere it would only make code large and slow to compile.
#if DOLLOP_VECTOR_BYTES >= 32 && !defined(DOLLOP_DEBUG)
#define DOLLOP_UNROLL _Pragma("GCC unroll 16")
#else
#define DOLLOP_UNROLL _Pragma("GCC unroll 1")
#endif

// For long functions that are called rarely: compiled once, not in every loop.
#define DOLLOP_APART __attribute__((noinline))
