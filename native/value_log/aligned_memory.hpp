// Memory aligned and padded to blocks, for I/O that bypasses the page cache. Cost: one allocation;
// the bytes are not cleared. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "value_log/record.hpp"

namespace stallscope::value_log {

class aligned_memory {
 public:
  aligned_memory() = default;
  explicit aligned_memory(std::size_t bytes)
      : bytes_(padded(bytes, block_bytes)),
        memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{block_bytes}))) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {memory_.get(), bytes_}; }

 private:
  struct freer {
    void operator()(std::byte* memory) const {
      ::operator delete (memory, std::align_val_t{block_bytes});
    }
  };

  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[], freer> memory_;
};

}  // namespace stallscope::value_log
