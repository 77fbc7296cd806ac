#include "io/xml.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

TEST(xml, text_is_escaped) {
  EXPECT_EQ(escape_xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(escape_xml("&amp;"), "&amp;amp;");
  EXPECT_EQ(escape_xml("one\ntwo\x01"), "one two ");
  EXPECT_EQ(escape_xml("kg/m³"), "kg/m³");  // bytes above 127 stay
  EXPECT_EQ(escape_xml(""), "");
}

}  // namespace
}  // namespace dollop
