// Long texts of numbers, formatted on all threads and written in order: the same bytes at any number of threads.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "io/atomic_file.h"

namespace dollop {

using TextBuffer = fmt::memory_buffer;

// append(buffer, i) adds the text of row i
template <class Append>
void write_text_rows(AtomicFile& out, std::size_t count, Append&& append) {
  constexpr std::size_t rows_per_piece = 4096, pieces = 32;  // at most so many texts wait in memory
  std::vector<TextBuffer> texts(pieces);
  for (std::size_t first = 0; first < count; first += rows_per_piece * pieces) {
    const std::size_t end = first + rows_per_piece * pieces < count ? first + rows_per_piece * pieces : count;
    parallel_ranges(end - first, rows_per_piece, [&](std::size_t begin, std::size_t stop) {
      TextBuffer& text = texts[begin / rows_per_piece];
      text.clear();
      for (std::size_t i = begin; i < stop; ++i) append(text, first + i);
    });
    for (std::size_t k = 0; k * rows_per_piece < end - first; ++k)
      out.write(texts[k].data(), texts[k].size());
  }
}

}  // namespace dollop
