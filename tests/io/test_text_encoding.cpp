#include "io/text_encoding.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

std::string utf16(const std::u16string& text, bool big_endian, bool mark) {
  std::string bytes;
  const auto put = [&](unsigned unit) {
    const char high = char(unit >> 8), low = char(unit & 0xFF);
    bytes += big_endian ? high : low, bytes += big_endian ? low : high;
  };
  if (mark) put(0xFEFF);
  for (const char16_t unit : text) put(unit);
  return bytes;
}

TEST(TextEncoding, KeepsUtf8) {
  for (const char* text : {"", "plain", "Viskosität γ̇ 1/s \U0001F600", "\xEF\xBB\xBF with a mark"})
    EXPECT_EQ(to_utf8(text), text);
}

TEST(TextEncoding, ReadsUtf16EitherWayRound) {
  for (const bool big : {false, true})
    for (const bool mark : {false, true})
      EXPECT_EQ(to_utf8(utf16(u"Viskosität\t[mPa·s]\r\n1,5\t\U0001F600", big, mark)),
                "Viskosität\t[mPa·s]\r\n1,5\t\U0001F600");
  EXPECT_EQ(to_utf8(utf16({u'a', u'b', char16_t(0xD800), u'c', u'd', u'e'}, false, true)), "ab\uFFFDcde");
  EXPECT_EQ(to_utf8(utf16({u'a', u'b', u'c', char16_t(0xD83D)}, true, true)), "abc\uFFFD");
  EXPECT_EQ(to_utf8(std::string("\xFF\xFE") + "a"), "");  // half a unit
}

TEST(TextEncoding, TakesOtherBytesForWindows1252) {
  EXPECT_EQ(to_utf8("Viskosit\xE4t in mPa\xB7s"), "Viskosität in mPa·s");
  EXPECT_EQ(to_utf8("\x80 5 \x96 10 \xBA"
                    "C"),
            "€ 5 – 10 ºC");
  for (const char* broken : {"\xC3", "\xE2\x82", "\xF5\x80\x80\x80", "\xC0\xAF", "\x80"})
    EXPECT_NE(to_utf8(broken), broken);
}

}  // namespace
}  // namespace dollop
