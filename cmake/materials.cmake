# Two units for each model of src/materials/material_list.h and precision, so that they are compiled side by side and a
# change of one model compiles that model alone. The header of a model has its name, written with underscores.
#   material_sources    the units, to be compiled for each instruction set
#   material_units      Model:header of each model
set(material_list ${PROJECT_SOURCE_DIR}/src/materials/material_list.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${material_list})
file(READ ${material_list} text)
if(NOT text MATCHES "using MaterialList =[ \n]+std::tuple<([^>]*)>;")
  message(FATAL_ERROR "${material_list}: no line 'using MaterialList = std::tuple<...>;'")
endif()
string(REGEX REPLACE "[ \n]" "" models "${CMAKE_MATCH_1}")
string(REPLACE "," ";" models "${models}")

set(material_sources)
set(material_units)
foreach(model IN LISTS models)
  string(REGEX REPLACE "([a-z0-9])([A-Z])" "\\1_\\2" header ${model})
  string(TOLOWER ${header} header)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/materials/${header}.h)
    message(FATAL_ERROR "${material_list} names ${model}, so there must be a header src/materials/${header}.h")
  endif()
  list(APPEND material_units ${model}:${header})
  foreach(scalar IN ITEMS float double)
    set(unit ${PROJECT_BINARY_DIR}/materials/${header}_${scalar}.simd.cpp)
    file(CONFIGURE OUTPUT ${unit} @ONLY CONTENT [[
// Made by cmake/materials.cmake: the loops of one model in one precision.
#include "materials/@header@.h"

#include "materials/implicit_loops.h"
#include "materials/material_loops.h"

namespace dollop::inline DOLLOP_ISA {

template const MaterialKernels<@scalar@>* material_loops<@model@, @scalar@>(bool);
template const ImplicitMaterial<@scalar@>* implicit_loops<@model@, @scalar@>(bool, StepForces);

}  // namespace dollop::inline DOLLOP_ISA
]])
    set(admm_unit ${PROJECT_BINARY_DIR}/materials/${header}_admm_${scalar}.simd.cpp)
    file(CONFIGURE OUTPUT ${admm_unit} @ONLY CONTENT [[
// Made by cmake/materials.cmake: the local step of ADMM of one model in one precision.
#include "materials/@header@.h"

#include "materials/admm_loops.h"

namespace dollop::inline DOLLOP_ISA {

template const AdmmMaterial<@scalar@>* admm_loops<@model@, @scalar@>(bool);

}  // namespace dollop::inline DOLLOP_ISA
]])
    list(APPEND material_sources ${unit} ${admm_unit})
  endforeach()
endforeach()
