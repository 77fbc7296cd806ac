// Text files of other programs as UTF-8.
#pragma once

#include <string>

namespace dollop {

// UTF-8 of a text in UTF-16, either way round, in UTF-8, or in Windows-1252, which is what bytes that are not UTF-8 are
// taken for. UTF-16 is recognised by its byte order mark or by its zero bytes.
std::string to_utf8(const std::string& bytes);

}  // namespace dollop
