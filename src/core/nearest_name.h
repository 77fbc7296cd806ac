// Suggestions for misspelt names.
#pragma once

#include <string>
#include <vector>

namespace dollop {

// the known word that is nearest to a misspelt one; empty if none is near
std::string nearest_name(const std::string& word, const std::vector<std::string>& known);

// The known words that may be meant: those of which it is a part between hyphens, as sand is of dry-sand, at most four;
// otherwise the nearest.
std::vector<std::string> names_meant(const std::string& word, const std::vector<std::string>& known);

// "; did you mean 'dry-sand' or 'sand-castle'?" or nothing
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace dollop
