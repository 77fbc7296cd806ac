// Formats long lists of numbers in parallel and writes them in order: the same bytes at any number of threads.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "io/atomic_file.h"

namespace dollop {

using TextBuffer = fmt::memory_buffer;

// append(buffer, i) appends the text of row i
template <class Append>
void write_text_rows(AtomicFile& out, std::size_t count, Append&& append) {
  constexpr std::size_t rows_per_chunk = 4096, chunks = 32;  // at most so many chunks are in memory
  std::vector<TextBuffer> texts(chunks);
  for (std::size_t first = 0; first < count; first += rows_per_chunk * chunks) {
    const std::size_t end = first + rows_per_chunk * chunks < count ? first + rows_per_chunk * chunks : count;
    parallel_ranges(end - first, rows_per_chunk, [&](std::size_t begin, std::size_t stop) {
      TextBuffer& text = texts[begin / rows_per_chunk];
      text.clear();
      for (std::size_t i = begin; i < stop; ++i) append(text, first + i);
    });
    for (std::size_t k = 0; k * rows_per_chunk < end - first; ++k)
      out.write(texts[k].data(), texts[k].size());
  }
}

}  // namespace dollop
