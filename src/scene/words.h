// The words by which scene files name the values of enumerations.
#pragma once

#include <dollop/colliders.h>
#include <dollop/numerics.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dollop {

template <class Enum>
struct Word {
  Enum value;
  const char* text;
};

// Words<Enum>::all: one word for each enumerator, in the order of documentation.
template <class Enum>
struct Words;
template <>
struct Words<Kernel> {
  static constexpr Word<Kernel> all[] = {{Kernel::quadratic, "quadratic"}, {Kernel::cubic, "cubic"}};
};
template <>
struct Words<Transfer> {
  static constexpr Word<Transfer> all[] = {{Transfer::pic, "pic"},
                                           {Transfer::flip, "flip"},
                                           {Transfer::apic, "apic"},
                                           {Transfer::rpic, "rpic"},
                                           {Transfer::fading, "fading"}};
};
template <>
struct Words<ForceForm> {
  static constexpr Word<ForceForm> all[] = {{ForceForm::mls, "mls"}, {ForceForm::gradient, "gradient"}};
};
template <>
struct Words<Advection> {
  static constexpr Word<Advection> all[] = {{Advection::grid_velocity, "grid"},
                                            {Advection::particle_velocity, "particle"}};
};
template <>
struct Words<Seeding> {
  static constexpr Word<Seeding> all[] = {
      {Seeding::lattice, "lattice"}, {Seeding::jittered, "jittered"}, {Seeding::poisson, "poisson"}};
};
template <>
struct Words<VolumeInit> {
  static constexpr Word<VolumeInit> all[] = {{VolumeInit::exact, "exact"},
                                             {VolumeInit::estimated, "estimated"}};
};
template <>
struct Words<ResampleFields> {
  static constexpr Word<ResampleFields> all[] = {{ResampleFields::donors, "donors"},
                                                 {ResampleFields::grid, "grid"}};
};
template <>
struct Words<Precision> {
  static constexpr Word<Precision> all[] = {{Precision::single_precision, "float"},
                                            {Precision::double_precision, "double"}};
};
template <>
struct Words<ContactKind> {
  static constexpr Word<ContactKind> all[] = {{ContactKind::sticky, "sticky"},
                                              {ContactKind::slip, "slip"},
                                              {ContactKind::separate, "separate"},
                                              {ContactKind::no_slip, "no-slip"}};
};

// whether a value is one of its enumeration's: compilers print an enumerator by its name, any other value as a cast
template <auto value>
constexpr bool is_enumerator() {
  return std::string_view(__PRETTY_FUNCTION__).find("= (") == std::string_view::npos;
}

// whether each enumerator has exactly one word, and no word stands for two of them
template <class Enum>
constexpr bool has_a_word_for_each() {
  constexpr auto& all = Words<Enum>::all;
  constexpr std::size_t most = 32;  // values of an enumeration begin at 0
  static_assert(!is_enumerator<Enum(most)>());
  for (std::size_t i = 0; i < std::size(all); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::string_view(all[i].text) == all[k].text) return false;
  return [&]<std::size_t... value>(std::index_sequence<value...>) {
    const auto count = [&](Enum wanted) {
      std::size_t found = 0;
      for (const Word<Enum>& word : all) found += word.value == wanted;
      return found;
    };
    return ((count(Enum(value)) == (is_enumerator<Enum(value)>() ? 1 : 0)) && ...);
  }
  (std::make_index_sequence<most>());
}

template <class Enum>
std::vector<std::string> words_of() {
  static_assert(has_a_word_for_each<Enum>());
  std::vector<std::string> result;
  for (const Word<Enum>& word : Words<Enum>::all) result.emplace_back(word.text);
  return result;
}

template <class Enum>
std::string word_of(Enum value) {
  for (const Word<Enum>& word : Words<Enum>::all)
    if (word.value == value) return word.text;
  return "";
}

// nothing if the text is none of the words
template <class Enum>
std::optional<Enum> value_of(std::string_view text) {
  for (const Word<Enum>& word : Words<Enum>::all)
    if (text == word.text) return word.value;
  return std::nullopt;
}

}  // namespace dollop
