// The copied stack as memory: eight bytes at an address, or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "stallscope/unwind/unwinder.hpp"

namespace stallscope::unwind {

class stack_memory {
 public:
  explicit stack_memory(const stack_copy& copy) noexcept : copy_{copy} {}

  // False where the bytes were not copied.
  [[nodiscard]] bool read(std::uint64_t address, std::uint64_t& value,
                          std::size_t count = sizeof(std::uint64_t)) const noexcept {
    const std::uint64_t offset = address - copy_.address;
    if (offset > copy_.bytes.size() || copy_.bytes.size() - offset < count) return false;
    value = 0;
    std::memcpy(&value, copy_.bytes.data() + offset, count);
    return true;
  }
  [[nodiscard]] std::uint64_t begin() const noexcept { return copy_.address; }
  [[nodiscard]] std::uint64_t end() const noexcept { return copy_.address + copy_.bytes.size(); }

 private:
  const stack_copy& copy_;
};

}  // namespace stallscope::unwind
