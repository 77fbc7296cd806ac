// OFF files in their plainest form, since assimp trusts the counts of others and crashes.
#pragma once

#include <string>

namespace dollop {

// The same points and faces without comments, colours and normals, with the counts that they have. Faces with fewer than
// three corners are left out. Throws std::runtime_error with the reason if the text is not an OFF file, ends too early, has a
// corner that is not there or a coordinate that is not finite, or has a face of more corners than assimp reads.
std::string plain_off(const std::string& text);

}  // namespace dollop
