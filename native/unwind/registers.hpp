// The registers of a frame by DWARF number, with a bit set of the known registers. Fixed size of
// 272 bytes, no allocation. A value belongs to a single thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace stallscope::unwind {

enum class architecture : std::uint8_t { x86_64, arm64 };

// The architecture that this program was built for.
constexpr architecture this_architecture() {
#ifdef __aarch64__
  return architecture::arm64;
#else
  return architecture::x86_64;
#endif
}

// DWARF numbers used by the unwinder. On x86-64 the return address is column 16. On arm64 the
// return address is in the link register; old tables have no number for pc, so 32 is used.
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
  // Returns 0 if the register is unknown.
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

// Converts the registers of a perf sample to DWARF numbers. `mask` is perf_event_attr's
// sample_regs_user in perf's bit order (arch/*/include/uapi/asm/perf_regs.h); `values` are in the
// order of its bits.
registers from_perf(architecture arch, std::uint64_t mask, std::span<const std::uint64_t> values);

// The sample_regs_user mask with the registers that unwinding needs.
std::uint64_t perf_mask(architecture arch);

}  // namespace stallscope::unwind
