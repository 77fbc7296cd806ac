# OpenVDB: level sets, and the files that hold them. Debian: libopenvdb-dev. Gives OpenVDB::openvdb.
# Not by the module that OpenVDB brings along: it asks for parts of Boost that the library was built with but that nothing
# here needs, and has modules of its own for TBB.
find_path(OPENVDB_INCLUDE_FOLDER openvdb/openvdb.h REQUIRED)
find_library(OPENVDB_LIBRARY openvdb REQUIRED)
find_library(IMATH_LIBRARY Imath)  # of numbers of 16 bits; a build of OpenVDB may do without
mark_as_advanced(OPENVDB_INCLUDE_FOLDER OPENVDB_LIBRARY IMATH_LIBRARY)
file(STRINGS ${OPENVDB_INCLUDE_FOLDER}/openvdb/version.h version_line
  REGEX "#define OPENVDB_LIBRARY_MAJOR_VERSION_NUMBER")
string(REGEX MATCH "[0-9]+" openvdb_version "${version_line}")
if(openvdb_version LESS 10)
  message(FATAL_ERROR "OpenVDB 10 or later is needed, ${OPENVDB_INCLUDE_FOLDER} has version '${openvdb_version}'")
endif()
add_library(OpenVDB::openvdb UNKNOWN IMPORTED)
set_target_properties(OpenVDB::openvdb PROPERTIES
  IMPORTED_LOCATION ${OPENVDB_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${OPENVDB_INCLUDE_FOLDER}
  INTERFACE_LINK_LIBRARIES TBB::tbb)
if(IMATH_LIBRARY)
  set_property(TARGET OpenVDB::openvdb APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${IMATH_LIBRARY})
endif()
