// A growable array of plain numbers, aligned to cache lines and padded so that whole vectors may be read past
// its end. Growing keeps the contents; new elements and the padding are zero.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace dollop {

void* allocate_aligned(std::size_t bytes);  // zeroed; throws std::bad_alloc
void free_aligned(void* memory, std::size_t bytes);

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t padding = 32;  // elements that may be read past the end

  AlignedArray() = default;
  explicit AlignedArray(std::size_t n) { resize(n); }
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  AlignedArray(const AlignedArray& other) {
    resize(other.size_);
    if (size_) std::memcpy(data_, other.data_, size_ * sizeof(T));
  }
  AlignedArray& operator=(const AlignedArray& other) {
    AlignedArray copy(other);
    swap(copy);
    return *this;
  }
  ~AlignedArray() { free_aligned(data_, bytes()); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return capacity_ ? (capacity_ + padding) * sizeof(T) : 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void reserve(std::size_t n) {
    if (n <= capacity_) return;
    T* fresh = static_cast<T*>(allocate_aligned((n + padding) * sizeof(T)));
    if (size_) std::memcpy(fresh, data_, size_ * sizeof(T));
    free_aligned(data_, bytes());
    data_ = fresh;
    capacity_ = n;
  }
  void resize(std::size_t n) {
    if (n > capacity_) reserve(size_ == 0 ? n : n + n / 4);  // exact at first, then by a quarter
    if (n > size_) std::memset(static_cast<void*>(data_ + size_), 0, (n - size_) * sizeof(T));
    size_ = n;
    if (data_) std::memset(static_cast<void*>(data_ + size_), 0, padding * sizeof(T));
  }
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace dollop
