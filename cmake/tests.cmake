# tests/<folder>/**/*.cpp -> bin/tests/<folder>_tests, its tests named <folder>.<Suite>.<test>
# tests/<folder>/**/test_*.simd.cpp -> bin/tests/<folder>_simd_<isa>_tests for each instruction set, its tests
# named <folder>.<isa>.<Suite>.<test>; they show as skipped on a machine that lacks the instruction set.

# found when ctest starts, so a build never runs tests
function(dollop_discover_tests target prefix)
  gtest_discover_tests(${target} TEST_PREFIX ${prefix} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
endfunction()

function(dollop_test_settings target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/tests)
endfunction()

# What must be fast is in the library; -O3 takes the compiler up to twice as long, for code that runs once.
# headers: the target that has the precompiled headers; itself, or one with the same options
function(dollop_compile_quickly target headers)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_link_libraries(${target} PRIVATE dollop_exact TBB::tbb fmt::fmt GTest::gtest)
  if(${headers} STREQUAL ${target})
    target_precompile_headers(${target} PRIVATE <gtest/gtest.h> ${DOLLOP_COMMON_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

dollop_header_unit(header_unit test_headers)
add_library(test_headers OBJECT ${header_unit})
target_link_libraries(test_headers PRIVATE dollop_flags)
dollop_compile_quickly(test_headers test_headers)

add_library(test_source_folder OBJECT ${PROJECT_SOURCE_DIR}/tests/source_folder.cpp)
target_compile_definitions(test_source_folder PRIVATE DOLLOP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(test_source_folder PRIVATE dollop_flags)

# The units live in namespace <isa>_exact: they are compiled without fused multiply-add, and the linker must not
# mix their inline functions with those of the library's own units for the same instruction set.
function(dollop_add_simd_test_units target isa headers)
  dollop_add_simd_library(${target} OBJECT ${isa} ${isa}_exact ${ARGN})
  dollop_test_settings(${target})
  # GCC 12 vectorises scalar code with fused instructions even where contraction is off
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize>)
  dollop_compile_quickly(${target} ${headers})
endfunction()
foreach(isa IN LISTS DOLLOP_ISAS)
  dollop_header_unit(header_unit test_headers_${isa})
  dollop_add_simd_test_units(test_headers_${isa} ${isa} test_headers_${isa} ${header_unit})
endforeach()

function(dollop_add_simd_tests folder isa)
  set(target ${folder}_simd_${isa}_tests)
  dollop_add_simd_test_units(${target}_objects ${isa} test_headers_${isa} ${ARGN})
  add_executable(${target} ${PROJECT_SOURCE_DIR}/tests/simd_main.cpp $<TARGET_OBJECTS:${target}_objects>)
  dollop_test_settings(${target})
  target_compile_definitions(${target} PRIVATE DOLLOP_NEEDS_${isa}=1)
  target_link_libraries(${target} PRIVATE dollop_core dollop_exact GTest::gtest)
  dollop_discover_tests(${target} ${folder}.${isa}.)
endfunction()

# One unit for each model, with the tests that every model has to pass: a change of one model compiles its tests alone.
set(model_test_units)
foreach(unit IN LISTS material_units)
  string(REPLACE ":" ";" unit ${unit})
  list(GET unit 0 model)
  list(GET unit 1 header)
  set(unit ${PROJECT_BINARY_DIR}/materials/test_${header}.simd.cpp)
  file(CONFIGURE OUTPUT ${unit} @ONLY CONTENT [[
// Made by cmake/tests.cmake: the tests of every model, for one of them.
#include "materials/@header@.h"
#define DOLLOP_TESTED_MODEL @model@

#include "materials/each_model.h"
#include "materials/each_model_extremes.h"
#include "materials/each_model_lanes.h"
#include "materials/each_model_mechanics.h"
#include "materials/each_model_states.h"
#include "materials/each_model_tangents.h"
]])
  list(APPEND model_test_units ${unit})
endforeach()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests/*/*.cpp)
set(test_folders ${test_sources})
list(TRANSFORM test_folders REPLACE "^tests/([^/]+)/.*" "\\1")
list(REMOVE_DUPLICATES test_folders)
foreach(folder IN LISTS test_folders)
  set(plain ${test_sources})
  list(FILTER plain INCLUDE REGEX "^tests/${folder}/")
  set(simd ${plain})
  list(FILTER plain EXCLUDE REGEX "\\.simd\\.cpp$")
  list(FILTER simd INCLUDE REGEX "/test_[^/]*\\.simd\\.cpp$")
  if(folder STREQUAL materials)
    list(APPEND simd ${model_test_units})
  endif()
  if(plain)
    add_executable(${folder}_tests ${plain})
    dollop_test_settings(${folder}_tests)
    target_link_libraries(${folder}_tests PRIVATE dollop_core dollop_exact GTest::gtest_main OpenVDB::openvdb
      assimp::assimp embree httplib::httplib)
    target_sources(${folder}_tests PRIVATE $<TARGET_OBJECTS:test_source_folder>)
    dollop_compile_quickly(${folder}_tests test_headers)
    dollop_discover_tests(${folder}_tests ${folder}.)
  endif()
  if(simd)
    foreach(isa IN LISTS DOLLOP_ISAS)
      dollop_add_simd_tests(${folder} ${isa} ${simd})
    endforeach()
  endif()
endforeach()

# --- the method that docs/adding-a-solver.md adds, built from the page: its files, and those that include the list of methods
set(solver_page ${PROJECT_SOURCE_DIR}/docs/adding-a-solver.md)
set(solver_example ${PROJECT_BINARY_DIR}/adding-a-solver)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${solver_page} ${PROJECT_SOURCE_DIR}/scripts/extract-example)
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/extract-example ${solver_page} ${solver_example}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE example_sources ${solver_example}/*.cpp)
file(GLOB frame_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/solvers/frame/*.cpp)
add_executable(adding_a_solver_tests ${example_sources} ${frame_sources} ${PROJECT_SOURCE_DIR}/src/run/estimate.cpp)
dollop_test_settings(adding_a_solver_tests)
target_include_directories(adding_a_solver_tests BEFORE PRIVATE ${solver_example}/src)
target_link_libraries(adding_a_solver_tests PRIVATE dollop_core dollop_exact GTest::gtest_main)
dollop_compile_quickly(adding_a_solver_tests test_headers)
dollop_discover_tests(adding_a_solver_tests docs.)

# --- checks of the source tree and of the built objects
foreach(check IN ITEMS includes tags twins isa-symbols)
  add_test(NAME check.${check}.self-test COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-${check} --self-test)
endforeach()
add_test(NAME compare-builds.self-test COMMAND ${PROJECT_SOURCE_DIR}/scripts/compare-builds --self-test)
add_test(NAME attack.self-test COMMAND ${PROJECT_SOURCE_DIR}/scripts/attack --self-test)
add_test(NAME build-time.self-test COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-time --self-test)
add_test(NAME transfer-waves.self-test COMMAND ${PROJECT_SOURCE_DIR}/scripts/transfer-waves --self-test)
add_test(NAME check.includes COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-includes)
add_test(NAME check.tags COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-tags)
add_test(NAME check.twins COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-twins)
# A debug build inlines too little for this check to hold; it is never packaged.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME check.isa-symbols COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-isa-symbols ${PROJECT_BINARY_DIR})
endif()

# --- the program from outside, one test for each class of tests/cli/test_*.py
function(dollop_add_cli_tests script)
  foreach(class IN LISTS ARGN)
    add_test(NAME cli.${class}
      COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/cli/${script} $<TARGET_FILE:dollop> ${class})
  endforeach()
endfunction()
dollop_add_cli_tests(test_cli.py Runs Scenes HeavyScenes Meshes BadInput Information)
dollop_add_cli_tests(test_faults.py Interruptions Folders Checkpoints)
dollop_add_cli_tests(test_rheometer.py FlowCurves Fits RheometerFiles RheometerInput)
dollop_add_cli_tests(test_rheometer_times.py Histories Moduli)
dollop_add_cli_tests(test_advice.py Summaries Notes SignsOfLife)
dollop_add_cli_tests(test_schema.py EditorSchema)
dollop_add_cli_tests(test_hostile.py SpecialFiles DamagedFrames Errors)
dollop_add_cli_tests(test_streams.py Streams Unheard Hangups)
dollop_add_cli_tests(test_extremes.py Extremes LongExtremes)
dollop_add_cli_tests(test_export.py Exports RunFiles ExportInput UsdParser Plots ParaViewMacro BlenderAddon LongBlender
  LongParaView)
dollop_add_cli_tests(test_colliders.py Colliders UsdColliders LongBlenderColliders)
dollop_add_cli_tests(test_surface.py Surfaces SurfaceInput)
dollop_add_cli_tests(test_surface_mesh.py SurfaceMeshes)
dollop_add_cli_tests(test_render.py Pictures RenderInput Previews)
dollop_add_cli_tests(test_viewer.py ViewCommand ViewPage)
# a few attacks of each part, the same ones each time
add_test(NAME cli.LongAttack COMMAND ${PROJECT_SOURCE_DIR}/scripts/attack $<TARGET_FILE:dollop> --seconds 1200 --count 30
  --findings ${PROJECT_BINARY_DIR}/attack-findings)
set_tests_properties(cli.LongAttack PROPERTIES RUN_SERIAL ON)  # it measures how long a request takes
set_tests_properties(cli.ViewPage PROPERTIES RUN_SERIAL ON)  # a browser that draws without a graphics card
