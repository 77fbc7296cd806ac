# Precompiled headers: of the standard library and of other libraries, never of this project, since a change of a header in
# the list compiles everything anew. Where a file names its includes itself they cost nothing.
set(DOLLOP_COMMON_HEADERS <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <numbers> <optional> <set> <span> <stdexcept> <string> <string_view> <tuple> <utility> <variant>
  <vector> <fmt/format.h>)
# where most units have parallel loops; they bring all of the compiler's intrinsics, which take it half a second
set(DOLLOP_PARALLEL_HEADERS <tbb/blocked_range.h> <tbb/parallel_for.h> <tbb/partitioner.h>)

# dollop_header_unit(result name): an empty unit for an object library that is there for its precompiled headers. Others take
# them over by target_precompile_headers(... REUSE_FROM ...): they need the same options, and at least its definitions.
function(dollop_header_unit result name)
  set(unit ${PROJECT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "// Made by cmake/headers.cmake: precompiled headers need a unit.\n")
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

# dollop_add_part(target): a part of dollop_core as an archive of its own. Objects of one library that another one takes in
# are all compiled before its own; archives, which may need each other, are compiled side by side.
function(dollop_add_part target)
  target_link_libraries(dollop_core PRIVATE ${target})
  target_link_libraries(${target} INTERFACE dollop_core)
endfunction()

# dollop_add_quiet_part(target level sources...): a part in which nothing is hot, optimised to this level in release builds
function(dollop_add_quiet_part target level)
  add_library(${target} STATIC ${ARGN})
  target_link_libraries(${target} PRIVATE dollop_flags dollop_exact TBB::tbb fmt::fmt)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  dollop_add_part(${target})
endfunction()
