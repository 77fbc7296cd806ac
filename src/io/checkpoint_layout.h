// The binary layout of a checkpoint, shared by writer and reader. Numbers are little endian.
#pragma once

#include <cstdint>
#include <string_view>

namespace dollop::checkpoint_layout {

// The file: magic, u32 format, string of the program's version; then, in this format: string of the scene, i64 frame,
// u64 number of notes and two strings for each; payload; trailer. A string is its u64 length and its bytes. The part up
// to the version of the program is the same in every format, so that each can name the program of any other.
constexpr std::string_view magic = "DOLLOPCP";
constexpr std::string_view name_start = "checkpoint.", name_end = ".dollop";

struct Trailer {
  std::uint64_t payload_bytes;
  std::uint64_t file_bytes;
  std::uint64_t checksum;  // of all bytes before it
};
static_assert(sizeof(Trailer) == 24);

constexpr std::uint64_t min_note_bytes = 16;  // two lengths

}  // namespace dollop::checkpoint_layout
