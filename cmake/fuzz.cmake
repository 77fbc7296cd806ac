# fuzz/fuzz_*.cpp -> bin/fuzz/fuzz_*, with libFuzzer; clang only. `scripts/fuzz` builds and runs them.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.cpp)
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/fuzz)
  target_link_libraries(${name} PRIVATE dollop_core dollop_exact)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
