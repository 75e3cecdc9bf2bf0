// Bounds-checked reads from the copied stack. Costs a comparison and a copy of 8 bytes. Belongs to
// the walking thread, because it records whether a read missed the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "unwind/unwinder.hpp"

namespace stallscope::unwind {

class stack_memory {
 public:
  explicit stack_memory(const stack_copy& copy) noexcept : copy_{copy} {}

  // Returns false if the bytes were not copied.
  [[nodiscard]] bool read(std::uint64_t address, std::uint64_t& value,
                          std::size_t count = sizeof(std::uint64_t)) const noexcept {
    if (!holds(address, count)) return false;
    value = 0;
    std::memcpy(&value, copy_.bytes.data() + (address - copy_.address), count);
    return true;
  }
  [[nodiscard]] bool holds(std::uint64_t address, std::size_t count) const noexcept {
    const std::uint64_t offset = address - copy_.address;
    if (offset <= copy_.bytes.size() && copy_.bytes.size() - offset >= count) return true;
    missed_ = missed_ || address >= copy_.address;
    return false;
  }
  [[nodiscard]] std::uint64_t begin() const noexcept { return copy_.address; }
  // Whether a read went past the end of the copy. If so, a longer copy could give another chain.
  [[nodiscard]] bool missed() const noexcept { return missed_; }

 private:
  const stack_copy& copy_;
  mutable bool missed_ = false;
};

}  // namespace stallscope::unwind
