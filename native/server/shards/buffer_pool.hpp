// Buffers that connections borrow while they have bytes in them: a thousand idle connections hold
// none, and a busy thread uses the same few, which are in its cache. One thread.
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

  explicit buffer_pool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  buffer take() {
    if (free_.empty()) return std::make_unique<resp::byte_buffer>(limit_bytes_);
    buffer taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  // The buffer is empty; one that grew large or overflowed is not kept.
  void give_back(buffer used) {
    if (used->overflowed() || used->capacity() > kept_bytes || free_.size() >= most_kept) return;
    free_.push_back(std::move(used));
  }

 private:
  static constexpr std::size_t most_kept = 256;

  std::size_t limit_bytes_;
  std::vector<buffer> free_;
};

}  // namespace stallscope::server
