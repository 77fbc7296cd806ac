# The viewer: cpp-httplib for src/view, and the page of viewer/ as part of dollop_core. To be included after the library
# is defined. Without Node.js and npm, or where its packages cannot be fetched, the program has no page and says so.
include(httplib)
target_link_libraries(dollop_core PRIVATE httplib::httplib)
target_link_libraries(dollop_quiet PRIVATE httplib::httplib)

option(DOLLOP_VIEWER "build the viewer's page (needs Node.js and npm)" ON)
set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)

# --- the packages, into the build folder, anew only when the list of them has changed
set(viewer_ready OFF)
if(DOLLOP_VIEWER)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_program(NPM_PROGRAM npm)
  set(node_version 0)
  if(NODE_PROGRAM)
    execute_process(COMMAND ${NODE_PROGRAM} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "v" "" node_version "${node_version}")
  endif()
  if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
    message(STATUS "Viewer: no, Node.js or npm is missing (Debian: nodejs, npm)")
  elseif(node_version VERSION_LESS 18)
    message(STATUS "Viewer: no, Node.js ${node_version} is too old, it needs 18")
  else()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_source}/package-lock.json)
    file(SHA256 ${viewer_source}/package-lock.json viewer_packages)
    set(viewer_stamp ${viewer_build}/packages-${viewer_packages})
    if(NOT EXISTS ${viewer_stamp})
      file(MAKE_DIRECTORY ${viewer_build})
      file(COPY ${viewer_source}/package.json ${viewer_source}/package-lock.json DESTINATION ${viewer_build})
      # install, not ci: registries that lack the packages of other systems make lists that ci finds incomplete
      execute_process(COMMAND ${NPM_PROGRAM} install --no-audit --no-fund --loglevel=error
        WORKING_DIRECTORY ${viewer_build} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE reason TIMEOUT 300)
      if(failed)
        string(SUBSTRING "${reason}" 0 400 reason)
        message(STATUS "Viewer: no, npm could not install its packages (${failed}): ${reason}")
      else()
        file(TOUCH ${viewer_stamp})
      endif()
    endif()
    if(EXISTS ${viewer_stamp})
      set(viewer_ready ON)
    endif()
  endif()
endif()

# --- the page, when its sources have changed
if(viewer_ready)
  message(STATUS "Viewer: yes")
  file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS ${viewer_source}/src/*)
  list(APPEND viewer_files ${viewer_source}/index.html ${viewer_source}/vite.config.js ${viewer_source}/compress.js)
  set(page_folder ${viewer_build}/dist)
  set(page_parts ${page_folder}/index.html ${page_folder}/assets/viewer.js ${page_folder}/assets/viewer.css)
  set(page_archives ${page_parts})
  list(TRANSFORM page_archives APPEND .gz)
  add_custom_command(OUTPUT ${page_parts} ${page_archives}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${viewer_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer_source}/index.html ${viewer_source}/vite.config.js
      ${viewer_source}/compress.js ${viewer_build}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${viewer_source}/src ${viewer_build}/src
    COMMAND ${NODE_PROGRAM} node_modules/vite/bin/vite.js build --logLevel warn
    COMMAND ${NODE_PROGRAM} compress.js ${page_parts}
    DEPENDS ${viewer_files} ${viewer_stamp}
    WORKING_DIRECTORY ${viewer_build}
    COMMENT "Building the viewer's page" VERBATIM)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/page.cpp.in ${viewer_build}/page.cpp @ONLY)
  set_source_files_properties(${viewer_build}/page.cpp PROPERTIES OBJECT_DEPENDS "${page_parts};${page_archives}")
else()
  file(CONFIGURE OUTPUT ${viewer_build}/page.cpp CONTENT [[
// Made by cmake/viewer.cmake: there is no page in this program.
#include "view/page.h"

std::span<const dollop::PageFile> dollop::page_files() { return {}; }
]] @ONLY)
endif()
target_sources(dollop_core PRIVATE ${viewer_build}/page.cpp)
