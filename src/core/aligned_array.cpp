#include "core/aligned_array.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace dollop {

void* allocate_aligned(std::size_t bytes) {
  constexpr std::size_t line = 64, huge = std::size_t(2) << 20;
  const std::size_t alignment = bytes >= 2 * huge ? huge : line;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  // huge pages avoid TLB misses in the many streams of a step; the call is harmless where they are not available
  if (alignment == huge) madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return memory;
}

void free_aligned(void* memory, std::size_t) { std::free(memory); }

}  // namespace dollop
