// The registers of one frame, by their DWARF numbers, and which of them are known.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace stallscope::unwind {

enum class architecture : std::uint8_t { x86_64, arm64 };

// DWARF numbers that the unwinder names. On x86-64 the return address is column 16; on arm64 the
// caller's address is in the link register, and pc has no number in old tables: 32 is used here.
namespace x86_64 {
inline constexpr unsigned rbp = 6;
inline constexpr unsigned rsp = 7;
inline constexpr unsigned rip = 16;
}  // namespace x86_64
namespace arm64 {
inline constexpr unsigned fp = 29;
inline constexpr unsigned lr = 30;
inline constexpr unsigned sp = 31;
inline constexpr unsigned pc = 32;
}  // namespace arm64

class registers {
 public:
  static constexpr unsigned count = 33;

  [[nodiscard]] bool known(unsigned number) const noexcept {
    return number < count && ((known_ >> number) & 1U) != 0;
  }
  // 0 where it is not known.
  [[nodiscard]] std::uint64_t at(unsigned number) const noexcept {
    return known(number) ? values_[number] : 0;
  }
  void set(unsigned number, std::uint64_t value) noexcept {
    if (number >= count) return;
    values_[number] = value;
    known_ |= std::uint64_t{1} << number;
  }
  void forget(unsigned number) noexcept {
    if (number < count) known_ &= ~(std::uint64_t{1} << number);
  }

 private:
  std::array<std::uint64_t, count> values_{};
  std::uint64_t known_ = 0;
};

// What a perf sample holds: the architecture that a mask of registers (perf_event_attr's
// sample_regs_user) can only be of, and its values by DWARF numbers. `mask` counts in perf's order
// (arch/*/include/uapi/asm/perf_regs.h); values stand in the order of its bits.
registers from_perf(architecture arch, std::uint64_t mask, std::span<const std::uint64_t> values);

// The mask to ask the kernel for: what unwinding needs, no more.
std::uint64_t perf_mask(architecture arch);

}  // namespace stallscope::unwind
