# cpp-httplib: the viewer's server. Debian: libcpp-httplib-dev, and libssl-dev for its header. Gives httplib::httplib.
find_path(HTTPLIB_INCLUDE_DIR httplib.h)
find_library(HTTPLIB_LIBRARY cpp-httplib)
if(NOT HTTPLIB_INCLUDE_DIR OR NOT HTTPLIB_LIBRARY)
  message(FATAL_ERROR "cpp-httplib is missing; on Debian: apt-get install libcpp-httplib-dev libssl-dev")
endif()
add_library(httplib::httplib INTERFACE IMPORTED)
target_include_directories(httplib::httplib SYSTEM INTERFACE ${HTTPLIB_INCLUDE_DIR})
target_link_libraries(httplib::httplib INTERFACE ${HTTPLIB_LIBRARY})
# as Debian's library was built: the layout of its classes depends on these
target_compile_definitions(httplib::httplib INTERFACE
  CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
