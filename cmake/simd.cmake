# The instruction sets that hot loops are compiled for; the program chooses one when it runs.
#   DOLLOP_ISA_SETS                         which to build: all, native (baseline and the best of this processor), or names
#   DOLLOP_ISAS                             list of their names
#   DOLLOP_HAVE_AVX2, DOLLOP_HAVE_AVX512    defined for all code when they are among them
#   DOLLOP_ISA, DOLLOP_VECTOR_BYTES         defined for each unit of a set
# All code of such units lives in `namespace dollop::inline DOLLOP_ISA`: the linker keeps one copy of an inline
# function, and must never take one that uses instructions which another machine lacks.
include(CheckCXXCompilerFlag)

set(DOLLOP_ISA_SETS all CACHE STRING
  "instruction sets: all, as for packages; native: baseline and the best of this processor; or names, with commas")

set(isa_baseline_options)
set(isa_baseline_bytes 16)
set(isa_avx2_options -march=x86-64-v3)
set(isa_avx2_bytes 32)
set(isa_avx512_options -march=x86-64-v4 -mprefer-vector-width=512)
set(isa_avx512_bytes 64)

# those that the compiler has, slowest first; with sanitizers only the baseline: the loops are the same source, and
# instrumented wide vectors take GCC minutes
set(known_isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT DOLLOP_SANITIZE)
  foreach(isa IN ITEMS avx2 avx512)
    list(GET isa_${isa}_options 0 march)
    check_cxx_compiler_flag(${march} compiler_has_${isa})
    if(compiler_has_${isa})
      list(APPEND known_isas ${isa})
    endif()
  endforeach()
endif()

# the best set of this processor, asked anew each time: a build folder may have moved to another machine
function(dollop_find_native_isa result)
  set(source ${PROJECT_BINARY_DIR}/CMakeFiles/native_isa.cpp)
  file(WRITE ${source} [[
#include <cstdio>
#include "core/processor.h"
int main() { std::puts(dollop::processor_has_avx512() ? "avx512" : dollop::processor_has_avx2() ? "avx2" : "baseline"); }
]])
  unset(native_isa_ran CACHE)
  try_run(native_isa_ran native_isa_compiled ${PROJECT_BINARY_DIR}/CMakeFiles/native_isa ${source}
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src RUN_OUTPUT_VARIABLE name)
  string(STRIP "${name}" name)
  if(NOT native_isa_compiled OR NOT native_isa_ran EQUAL 0 OR NOT name IN_LIST known_isas)
    list(GET known_isas -1 name)
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" wanted_isas "${DOLLOP_ISA_SETS}")
set(DOLLOP_ISAS baseline)
if(NOT DOLLOP_SANITIZE)
  if(wanted_isas STREQUAL "all")
    set(wanted_isas ${known_isas})
  elseif(wanted_isas STREQUAL "native")
    dollop_find_native_isa(wanted_isas)
  endif()
  foreach(isa IN LISTS wanted_isas)
    if(NOT isa IN_LIST known_isas)
      list(JOIN known_isas ", " names)
      message(FATAL_ERROR "DOLLOP_ISA_SETS: there is no instruction set '${isa}'; there are ${names}, and native and all")
    endif()
  endforeach()
  foreach(isa IN ITEMS avx2 avx512)
    if(isa IN_LIST wanted_isas)
      list(APPEND DOLLOP_ISAS ${isa})
      string(TOUPPER ${isa} upper)
      target_compile_definitions(dollop_flags INTERFACE DOLLOP_HAVE_${upper}=1)
    endif()
  endforeach()
endif()
# Beside a faster set the baseline only serves processors that lack it, and -O3 takes the compiler two to four times as long. In
# a native build it is there for the case that the program is carried to such a processor. Results do not depend on the level:
# the baseline has no fused multiplications.
list(LENGTH DOLLOP_ISAS count)
if(DOLLOP_ISA_SETS STREQUAL "native" AND count GREATER 1)
  set(isa_baseline_options $<$<CONFIG:Release>:-O1>)
elseif(count GREATER 1)
  set(isa_baseline_options $<$<CONFIG:Release>:-O2>)
endif()
list(JOIN DOLLOP_ISAS ", " names)
message(STATUS "Instruction sets: ${names}")

# dollop_add_simd_library(target kind isa namespace sources...): the sources compiled for one instruction set
function(dollop_add_simd_library target kind isa namespace)
  add_library(${target} ${kind} ${ARGN})
  target_compile_options(${target} PRIVATE ${isa_${isa}_options})
  target_compile_definitions(${target} PRIVATE DOLLOP_ISA=${namespace} DOLLOP_VECTOR_BYTES=${isa_${isa}_bytes})
  target_link_libraries(${target} PRIVATE dollop_flags dollop_vector_math)
  if(DOLLOP_FUZZ)
    set_target_properties(${target} PROPERTIES DOLLOP_PLAIN ON)  # readers are fuzzed, not loops; clang takes minutes else
    return()
  endif()
  if(DOLLOP_SANITIZE)
    # Code of packs has thousands of temporaries and references. Watching the scope of each, and checking each, makes the
    # loops several times as slow; the address sanitizer sees a bad access all the same.
    target_compile_options(${target} PRIVATE -g1 -finline-small-functions -fno-sanitize-address-use-after-scope
                           -fno-sanitize=null,alignment,object-size,pointer-overflow)
  endif()
endfunction()
