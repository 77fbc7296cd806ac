# Flags as link-less targets, so that every target names what it is compiled with.

# dollop_flags: for everything
add_library(dollop_flags INTERFACE)
target_compile_features(dollop_flags INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(dollop_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(dollop_flags INTERFACE DOLLOP_VERSION="${PROJECT_VERSION}")
# -Wno-psabi: vector types wider than the baseline's registers are only ever passed between functions of one unit
target_compile_options(dollop_flags INTERFACE -Wall -Wextra -Wshadow -Wno-psabi)
# GCC 12 warns of overlapping copies inside its own std::string::insert and operator+, wrongly (its bug 105651)
target_compile_options(dollop_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(DOLLOP_WERROR)
  target_compile_options(dollop_flags INTERFACE -Werror)
endif()

target_compile_definitions(dollop_flags INTERFACE $<$<CONFIG:Debug>:DOLLOP_DEBUG=1 _GLIBCXX_ASSERTIONS>)
if(DOLLOP_SANITIZE)
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # not for targets that ask to be left plain
  target_compile_options(dollop_flags INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:DOLLOP_PLAIN>>>:${sanitize}>")
  target_link_options(dollop_flags INTERFACE ${sanitize})
  # GCC's flow analysis is misled by the inserted checks and warns of variables that are set
  target_compile_options(dollop_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# ccache preprocesses first, and then the compiler must find the precompiled headers in their places
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(dollop_flags INTERFACE -fpch-preprocess)
endif()

if(DOLLOP_FUZZ)
  target_compile_options(dollop_flags INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:DOLLOP_PLAIN>>>:-fsanitize=fuzzer-no-link>")
endif()

# dollop_exact: for all code but the hot loops.
# No fused multiply-add: the same expression rounds the same in every unit, with every compiler, so tests may
# compare bitwise.
add_library(dollop_exact INTERFACE)
target_compile_options(dollop_exact INTERFACE -ffp-contract=off)

# dollop_fused: for the hot loops.
# Fused multiply-add: it is faster and more accurate; within one instruction set a unit is compiled once, so
# results still do not depend on the caller or on the number of threads.
add_library(dollop_fused INTERFACE)
target_compile_options(dollop_fused INTERFACE -ffp-contract=fast)

# dollop_vector_math: sqrt becomes one instruction without a branch that sets errno, and both sides of a select
# may be computed although one of them could trap. Neither changes a result.
add_library(dollop_vector_math INTERFACE)
target_compile_options(dollop_vector_math INTERFACE -fno-math-errno -fno-trapping-math)
