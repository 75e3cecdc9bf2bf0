// The memory requests read into and write from: a buffer for each slot, and where a point writes
// others that hold what cannot be compressed, so that no device makes less of it. Whole pages,
// taken and touched when made. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::disk {

class buffers {
 public:
  // Throws std::system_error where there is no memory for them.
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
