// Text in XML files: VTK and SVG.
#pragma once

#include <string>

namespace dollop {

// escapes special characters as &amp; &lt; &gt; &quot; and replaces control characters, invalid in XML, by blanks
std::string escape_xml(const std::string& text);

}  // namespace dollop
