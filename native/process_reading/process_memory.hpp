// Reads memory of another process without stopping it (process_vm_readv). A read of up to 64 ranges
// costs a system call, about 0.5 us, and a copy. The memory may change during the read. Requires
// permission to ptrace the process. Any thread may read.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace stallscope::process_reading {

struct memory_range {
  std::uint64_t address = 0;
  std::span<std::byte> into;
};

class process_memory {
 public:
  explicit process_memory(pid_t pid) noexcept : pid_{pid} {}

  // Reads all ranges in order. Returns false if a range could not be read completely.
  [[nodiscard]] bool read(std::span<const memory_range> ranges) const noexcept;
  [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> into) const noexcept;
  // Reads a prefix of the range and returns its length in bytes.
  [[nodiscard]] std::size_t read_some(std::uint64_t address,
                                      std::span<std::byte> into) const noexcept;

  template <class T>
  [[nodiscard]] bool read_value(std::uint64_t address, T& value) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(address, std::as_writable_bytes(std::span{&value, 1}));
  }

 private:
  pid_t pid_;
};

// The value at an offset in `bytes`; zero if it is not within them. Offsets may come from the
// process.
template <class T>
[[nodiscard]] T value_at(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace stallscope::process_reading
