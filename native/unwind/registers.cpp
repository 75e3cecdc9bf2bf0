#include "unwind/registers.hpp"

#include <array>
#include <bit>

namespace stallscope::unwind {
namespace {

constexpr unsigned none = registers::count;

// DWARF numbers in the order of arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP
// FLAGS CS SS DS ES FS GS R8..R15.
constexpr std::array<unsigned, 24> x86_64_order{0,  3,    2,    1,    4,    5,    6,    7,
                                                16, none, none, none, none, none, none, none,
                                                8,  9,    10,   11,   12,   13,   14,   15};

unsigned dwarf_number(architecture arch, unsigned bit) noexcept {
  // arm64: perf's order (x0..x29, lr, sp, pc) is DWARF's order.
  if (arch == architecture::arm64) return bit;
  return bit < x86_64_order.size() ? x86_64_order[bit] : none;
}

}  // namespace

registers from_perf(architecture arch, std::uint64_t mask, std::span<const std::uint64_t> values) {
  registers result;
  for (const std::uint64_t value : values) {
    if (mask == 0) break;
    result.set(dwarf_number(arch, static_cast<unsigned>(std::countr_zero(mask))), value);
    mask &= mask - 1;
  }
  return result;
}

std::uint64_t perf_mask(architecture arch) {
  if (arch == architecture::arm64) return (std::uint64_t{1} << registers::count) - 1;
  std::uint64_t mask = 0;
  for (unsigned bit = 0; bit < x86_64_order.size(); ++bit) {
    if (x86_64_order[bit] != none) mask |= std::uint64_t{1} << bit;
  }
  return mask;
}

}  // namespace stallscope::unwind
