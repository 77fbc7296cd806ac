// The files of the viewer's page. They are put into the program when it is built: cmake/viewer.cmake.
#pragma once

#include <span>
#include <string_view>

namespace dollop {

struct PageFile {
  std::string_view path;  // as a browser asks for it, such as "/index.html"
  std::string_view type;  // MIME
  std::string_view bytes;
};

// Empty if the program was built without Node.js and npm.
std::span<const PageFile> page_files();

}  // namespace dollop
