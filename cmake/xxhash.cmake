# xxHash: checksums. Debian: libxxhash-dev. Gives xxhash::xxhash.
find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_library(XXHASH_LIBRARY xxhash)
if(NOT XXHASH_INCLUDE_DIR OR NOT XXHASH_LIBRARY)
  message(FATAL_ERROR "xxHash is missing; on Debian: apt-get install libxxhash-dev")
endif()
add_library(xxhash::xxhash INTERFACE IMPORTED)
target_include_directories(xxhash::xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_link_libraries(xxhash::xxhash INTERFACE ${XXHASH_LIBRARY})
