// Text inside of XML: VTK's files and SVG.
#pragma once

#include <string>

namespace dollop {

// with &amp; &lt; &gt; &quot; for what means something, and blanks for control characters, which XML does not have
std::string escape_xml(const std::string& text);

}  // namespace dollop
