// Memory of another process, read without stopping it (process_vm_readv): one system call for any
// number of ranges, some 0.5 us and a copy. What is read may change while it is being read. Needs
// the right to ptrace the process. Any thread may read.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace stallscope::python_frames {

struct memory_range {
  std::uint64_t address = 0;
  std::span<std::byte> into;
};

class process_memory {
 public:
  explicit process_memory(pid_t pid) noexcept : pid_{pid} {}

  // Reads all ranges, in this order; false where any of them could not be read whole.
  [[nodiscard]] bool read(std::span<const memory_range> ranges) const noexcept;
  [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> into) const noexcept;
  // How many of the range's bytes could be read, from its beginning.
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

// The value at an offset of bytes that were read; the caller has checked that they reach so far.
template <class T>
[[nodiscard]] T value_at(std::span<const std::byte> bytes, std::size_t offset) noexcept {
  T value{};
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace stallscope::python_frames
