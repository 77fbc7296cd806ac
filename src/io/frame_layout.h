// Shared by the writers of particles: the columns of a frame and their conversion to rows.
#pragma once

#include <dollop/simulation.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.h"
#include "io/atomic_file.h"

namespace dollop {

// number of particles; every column must have as many entries, but ids and materials may be empty
std::size_t count_particles(const ParticleFrame& frame);

// Whether the frame has these columns. A frame without particles has both, so that its files have the same columns.
inline bool has_ids(const ParticleFrame& frame) { return frame.id.size() == frame.position.size() / 3; }
inline bool has_materials(const ParticleFrame& frame) {
  return frame.material.size() == frame.position.size() / 3;
}

// The attribute with this name and number of components; null: the frame has none, or not for every particle.
const Attribute* find_attribute(const ParticleFrame& frame, std::string_view name, int components);

// The current volume of each particle [m^3]: the rest volume "volume" times "J"; scattered grains keep their size.
// Empty: the frame has no volumes.
std::vector<float> present_volumes(const ParticleFrame& frame);

// Suffixes of an attribute's name for its components: none for a scalar; x y z for a vector; xx yy zz xy xz yz for a
// symmetric tensor (the order of SymMat3); xx xy xz yx ... zz for a matrix (rows of Mat3); 0 1 2 ... otherwise.
std::vector<std::string> component_names(int components);

// Writes a table of 32-bit words in blocks of rows. `ByteOrder` converts a word to the byte order of the file.
template <class ByteOrder>
class RowWriter {
 public:
  RowWriter(AtomicFile& out, std::size_t words_per_row)
      : out_(out), stride_(words_per_row), rows_(rows_per_block * words_per_row) {}

  // Calls fill() for each block of rows; fill calls one of the functions below for each column.
  template <class Fill>
  void write(std::size_t rows, Fill&& fill) {
    for (first_ = 0; first_ < rows; first_ += rows_per_block) {
      count_ = rows - first_ < rows_per_block ? rows - first_ : rows_per_block;
      offset_ = 0;
      fill();
      DOLLOP_ASSERT(offset_ == stride_);
      out_.write(rows_.data(), count_ * stride_ * sizeof(std::uint32_t));
    }
  }

  // the next column: `components` values of 32 bits per row
  template <class T>
  void column(const T* values, std::size_t components) {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    const T* from = values + first_ * components;
    std::uint32_t* to = rows_.data() + offset_;
    for (std::size_t row = 0; row < count_; ++row, from += components, to += stride_)
      for (std::size_t k = 0; k < components; ++k) to[k] = ByteOrder{}(std::bit_cast<std::uint32_t>(from[k]));
    offset_ += components;
  }
  // the next column: the word value(row)
  template <class Value>
  void computed_column(Value&& value) {
    std::uint32_t* to = rows_.data() + offset_;
    for (std::size_t row = 0; row < count_; ++row, to += stride_) *to = ByteOrder{}(value(first_ + row));
    ++offset_;
  }

 private:
  static constexpr std::size_t rows_per_block =
      4096;  // a block stays in the cache between filling and writing
  AtomicFile& out_;
  std::size_t stride_, first_ = 0, count_ = 0, offset_ = 0;
  std::vector<std::uint32_t> rows_;
};

}  // namespace dollop
