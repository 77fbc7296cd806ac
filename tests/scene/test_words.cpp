#include "scene/words.h"

#include <gtest/gtest.h>

#include "scene/keys.h"

namespace dollop {

enum class Lacking { first, second, third };
template <>
struct Words<Lacking> {
  static constexpr Word<Lacking> all[] = {{Lacking::first, "first"}, {Lacking::third, "third"}};
};
enum class Twice { first, second };
template <>
struct Words<Twice> {
  static constexpr Word<Twice> all[] = {
      {Twice::first, "first"}, {Twice::second, "second"}, {Twice::first, "one"}};
};
enum class Ambiguous { first, second };
template <>
struct Words<Ambiguous> {
  static constexpr Word<Ambiguous> all[] = {{Ambiguous::first, "same"}, {Ambiguous::second, "same"}};
};
enum class Shuffled { first, second, third };
template <>
struct Words<Shuffled> {
  static constexpr Word<Shuffled> all[] = {
      {Shuffled::third, "c"}, {Shuffled::first, "a"}, {Shuffled::second, "b"}};
};

namespace {

TEST(Words, each_enumerator_has_exactly_one) {
  EXPECT_TRUE(has_a_word_for_each<Shuffled>());
  EXPECT_FALSE(has_a_word_for_each<Lacking>());
  EXPECT_FALSE(has_a_word_for_each<Twice>());
  EXPECT_FALSE(has_a_word_for_each<Ambiguous>());
}

template <class Enum>
void expect_round_trip() {
  static_assert(has_a_word_for_each<Enum>());
  for (const std::string& word : words_of<Enum>()) {
    ASSERT_TRUE(value_of<Enum>(word)) << word;
    EXPECT_EQ(word_of(*value_of<Enum>(word)), word);
  }
  EXPECT_FALSE(value_of<Enum>(""));
}

TEST(Words, read_back_to_the_same_value) {
  expect_round_trip<Kernel>();
  expect_round_trip<Transfer>();
  expect_round_trip<ForceForm>();
  expect_round_trip<Advection>();
  expect_round_trip<Seeding>();
  expect_round_trip<VolumeInit>();
  expect_round_trip<ResampleFields>();
  expect_round_trip<Precision>();
  expect_round_trip<ContactKind>();
}

// the order of the words is that of documentation; values do not depend on it
TEST(Words, of_a_key_map_by_value) {
  struct Object {
    Shuffled choice = Shuffled::second;
  } object;
  SectionOf<Object> section("section", "");
  const Key key = section.value("choice", &Object::choice, "");
  EXPECT_EQ(key.words, (std::vector<std::string>{"c", "a", "b"}));
  const WordSlot slot = std::get<WordSlot>(key.slot(&object));
  EXPECT_EQ(slot.get(), "b");
  slot.set("a");
  EXPECT_EQ(object.choice, Shuffled::first);
}

TEST(Words, of_keys_are_those_of_their_type) {
  EXPECT_EQ(simulation_section().find("transfer")->words,
            (std::vector<std::string>{"pic", "flip", "apic", "rpic", "fading"}));
  EXPECT_EQ(simulation_section().find("precision")->words, (std::vector<std::string>{"float", "double"}));
  EXPECT_EQ(collider_section().find("contact")->words,
            (std::vector<std::string>{"sticky", "slip", "separate", "no-slip"}));
  EXPECT_EQ(body_section().find("seeding")->words, emitter_section().find("seeding")->words);
}

}  // namespace
}  // namespace dollop
