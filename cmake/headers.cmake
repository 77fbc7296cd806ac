# Precompiled headers: of the standard library and of other libraries, never of this project, since a change of a header in
# the list compiles everything anew. Where a file names its includes itself they cost nothing.
set(DOLLOP_COMMON_HEADERS <algorithm> <array> <bit> <charconv> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <numbers> <optional> <set> <span> <stdexcept> <string> <string_view> <tuple> <utility> <variant>
  <vector> <fmt/format.h>)

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

# Where nothing is hot, -O1: -O3 takes the compiler up to twice as long. Such targets share one set of precompiled headers.
dollop_header_unit(header_unit quiet_headers)
add_library(quiet_headers OBJECT ${header_unit})
function(dollop_compile_quietly target)
  target_link_libraries(${target} PRIVATE dollop_flags dollop_exact fmt::fmt)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(${target} STREQUAL quiet_headers)
    target_precompile_headers(${target} PRIVATE ${DOLLOP_COMMON_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM quiet_headers)
  endif()
endfunction()
