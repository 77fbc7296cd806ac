// Splits rows of 32-bit words, as .bgeo and .ply store particles, into columns.
#pragma once

#include <dollop/simulation.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/parallel.h"

namespace dollop {

// `ByteOrder` converts a word of the file to the byte order of this machine.
template <class ByteOrder>
class RowReader {
 public:
  // `bytes` contains at least rows * words_per_row words
  RowReader(std::string_view bytes, std::size_t rows, std::size_t words_per_row)
      : bytes_(bytes.data()), rows_(rows), stride_(words_per_row) {}

  // the column that begins at word `offset` of each row
  template <class T>
  std::vector<T> column(std::size_t offset, std::size_t components) const {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    std::vector<T> values(rows_ * components);
    parallel_ranges(rows_, rows_per_chunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        for (std::size_t k = 0; k < components; ++k) {
          const std::uint32_t word = at(row, offset + k);
          std::memcpy(&values[row * components + k], &word, sizeof(word));
        }
    });
    return values;
  }

  std::uint32_t at(std::size_t row, std::size_t word) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_ + (row * stride_ + word) * sizeof(value), sizeof(value));
    return ByteOrder{}(value);
  }

 private:
  static constexpr std::size_t rows_per_chunk = 16384;
  const char* bytes_;
  std::size_t rows_, stride_;
};

}  // namespace dollop
