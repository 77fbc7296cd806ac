// Writes and reads plain values and arrays, as a binary stream in the native byte order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace dollop {

class BinaryWriter {
 public:
  explicit BinaryWriter(std::ostream& out) : out_(out) {}

  template <class T>
  void value(const T& a) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.write(reinterpret_cast<const char*>(&a), sizeof a);
  }
  template <class T>
  void array(const T* data, std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(std::uint64_t(n));
    out_.write(reinterpret_cast<const char*>(data), std::streamsize(n * sizeof(T)));
  }
  template <class T>
  void array(const std::vector<T>& a) {
    array(a.data(), a.size());
  }

 private:
  std::ostream& out_;
};

// Throws std::runtime_error if the stream ends early or an array is longer than the rest of the stream.
class BinaryReader {
 public:
  // the stream must know its length, as streams of files, strings and checkpoints do
  explicit BinaryReader(std::istream& in) : in_(in), left_(bytes_ahead(*in.rdbuf())) {}

  template <class T>
  T value() {
    static_assert(std::is_trivially_copyable_v<T>);
    T a;
    read(&a, sizeof a);
    return a;
  }
  // the length of an array, whose elements the caller reads next
  template <class T>
  std::size_t array_size() {
    const auto n = value<std::uint64_t>();
    if (n > left_ / sizeof(T)) throw std::runtime_error("the stored state is shorter than it says");
    return std::size_t(n);
  }
  template <class T>
  void elements(T* data, std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    read(data, n * sizeof(T));
  }
  template <class T>
  std::vector<T> array() {
    std::vector<T> a(array_size<T>());
    elements(a.data(), a.size());
    return a;
  }
  std::uint64_t left() const { return left_; }  // bytes that are not yet read

 private:
  static std::uint64_t bytes_ahead(std::streambuf& buffer) {
    const std::streamoff here = buffer.pubseekoff(0, std::ios::cur, std::ios::in);
    if (here < 0) return std::uint64_t(std::max<std::streamsize>(0, buffer.in_avail()));  // it cannot seek
    const std::streamoff end = buffer.pubseekoff(0, std::ios::end, std::ios::in);
    buffer.pubseekoff(here, std::ios::beg, std::ios::in);
    return std::uint64_t(end - here);
  }
  void read(void* to, std::size_t bytes) {
    if (bytes > left_ || !in_.read(static_cast<char*>(to), std::streamsize(bytes)))
      throw std::runtime_error("the stored state ends early");
    left_ -= bytes;
  }

  std::istream& in_;
  std::uint64_t left_;
};

}  // namespace dollop
