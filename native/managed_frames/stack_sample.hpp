// A sample of a thread: its registers and the top of its stack at the time of the sample, as the
// kernel copied them. Plain values.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "unwind/registers.hpp"

namespace stallscope::managed_frames {

struct stack_sample {
  pid_t pid = 0;
  pid_t tid = 0;
  std::uint64_t time_ns = 0;
  unwind::registers registers;       // user registers by DWARF number
  std::uint64_t stack_address = 0;   // of the first byte: the stack pointer
  std::span<const std::byte> stack;  // valid during the walk
  unwind::architecture arch = unwind::this_architecture();

  [[nodiscard]] bool is_arm64() const noexcept { return arch == unwind::architecture::arm64; }
  [[nodiscard]] std::uint64_t pc() const noexcept {
    return registers.at(is_arm64() ? unwind::arm64::pc : unwind::x86_64::rip);
  }
  [[nodiscard]] std::uint64_t fp() const noexcept {
    return registers.at(is_arm64() ? unwind::arm64::fp : unwind::x86_64::rbp);
  }
  // The link register of arm64, which has the return address of a function without a frame record;
  // 0 on x86-64.
  [[nodiscard]] std::uint64_t link() const noexcept {
    return is_arm64() ? without_signature(registers.at(unwind::arm64::lr)) : 0;
  }
  // Return addresses of arm64 may be signed in the bits above those of user addresses. (Addresses
  // of 52 bits are not supported; a process gets them only if it asks for them.)
  [[nodiscard]] std::uint64_t without_signature(std::uint64_t address) const noexcept {
    constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48U) - 1;
    return is_arm64() ? address & address_mask : address;
  }
  // Reads a return address. Returns false and leaves the value if it was not copied.
  bool return_address(std::uint64_t place, std::uint64_t& value) const noexcept {
    std::uint64_t copied = 0;
    if (!word(place, copied)) return false;
    value = without_signature(copied);
    return true;
  }

  // Returns false and leaves the value if the word was not copied.
  bool word(std::uint64_t address, std::uint64_t& value) const noexcept {
    const std::uint64_t offset = address - stack_address;
    if (address < stack_address || offset > stack.size() || stack.size() - offset < sizeof value)
      return false;
    std::memcpy(&value, stack.data() + offset, sizeof value);
    return true;
  }
};

}  // namespace stallscope::managed_frames
