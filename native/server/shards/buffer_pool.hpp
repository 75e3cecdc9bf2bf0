// Buffers that connections borrow while they contain bytes: a thousand idle connections hold no
// buffer, and a busy thread reuses the same few, which stay in its cache. Cost: an allocation only
// if the pool is empty. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "resp/byte_buffer.hpp"

namespace stallscope::server {

class buffer_pool {
 public:
  using buffer = std::unique_ptr<resp::byte_buffer>;
  static constexpr std::size_t kept_bytes = std::size_t{32} << 10U;

  explicit buffer_pool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {
    free_.reserve(max_kept);  // give_back() then needs no memory
  }

  buffer take() {
    if (free_.empty()) return std::make_unique<resp::byte_buffer>(limit_bytes_);
    buffer taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  // The buffer must be empty. A buffer that grew large or overflowed is freed.
  void give_back(buffer used) noexcept {
    if (used->overflowed() || used->capacity() > kept_bytes || free_.size() >= max_kept) return;
    free_.push_back(std::move(used));
  }

 private:
  static constexpr std::size_t max_kept = 256;

  std::size_t limit_bytes_;
  std::vector<buffer> free_;
};

}  // namespace stallscope::server
