#include "core/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace dollop {
namespace {

constexpr std::size_t most_names = 4, longest_word = 60;

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], int(i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int cost = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = std::exchange(row[j], cost);
    }
  }
  return row.back();
}

// whether a word is one of the parts of a name between hyphens
bool is_part(const std::string& word, const std::string& name) {
  const std::string text = "-" + name + "-", part = "-" + word + "-";
  return name != word && text.find(part) != std::string::npos;
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  int least = 1 + int(word.size()) / 3;  // a word with more edits than this is another word
  for (const auto& candidate : known)
    if (const int d = edit_distance(word, candidate); d <= least) least = d - 1, best = candidate;
  return best;
}

std::vector<std::string> names_meant(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  if (word.empty() || word.size() > longest_word) return names;
  std::string plain = word;
  for (char& c : plain) c = c == '_' || c == ' ' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string& name : known)
    if (is_part(plain, name) && names.size() < most_names) names.push_back(name);
  if (names.empty())
    if (const std::string near = nearest_name(word, known); !near.empty()) names.push_back(near);
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string> names = names_meant(word, known);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "; did you mean '" : i + 1 == names.size() ? " or '" : ", '") + names[i] + "'";
  return text.empty() ? "" : text + "?";
}

}  // namespace dollop
