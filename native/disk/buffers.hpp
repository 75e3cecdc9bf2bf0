// Memory for requests: a read buffer per slot and, if a point writes, a write buffer per slot with
// incompressible content, so that a device cannot compress it. The memory is in whole pages, which
// the constructor touches. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::disk {

class buffers {
 public:
  // Throws std::system_error if the memory cannot be mapped.
  buffers(unsigned depth, std::uint32_t block_bytes, bool for_writes, std::uint64_t seed);
  buffers(const buffers&) = delete;
  buffers& operator=(const buffers&) = delete;
  buffers(buffers&&) = delete;
  buffers& operator=(buffers&&) = delete;
  ~buffers();

  [[nodiscard]] std::byte* of(unsigned slot, bool write) const noexcept {
    return memory_ + stride_ * (slot + (write ? depth_ : 0U));
  }
  [[nodiscard]] std::span<std::byte> all() const noexcept { return {memory_, size_}; }

 private:
  std::size_t stride_;
  std::size_t depth_;
  std::size_t size_;
  std::byte* memory_;
};

}  // namespace stallscope::disk
