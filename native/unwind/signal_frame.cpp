#include <array>

#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);

// arch/x86/include/uapi/asm/sigcontext.h and ucontext.h: sigreturn expects struct ucontext at the
// stack pointer, with uc_stack at offset 16 and the registers at offset 40.
constexpr std::array<unsigned, 17> x86_64_context_order{8, 9, 10, 11, 12, 13, 14, 15, 5,
                                                        4, 6, 3,  1,  0,  2,  7,  16};
constexpr std::uint64_t x86_64_registers = 40;
constexpr std::uint64_t x86_64_selectors = x86_64_registers + 18 * word;
constexpr std::uint64_t user_selectors = 0x002b'0000'0000'0033;  // ss, fs, gs, cs

// arch/arm64/include/uapi/asm/sigcontext.h: struct siginfo of 128 bytes, then struct ucontext with
// the registers at offset 184. After sp, pc and pstate follows the first record, always the vector
// registers.
constexpr std::uint64_t arm64_context = 128;
constexpr std::uint64_t arm64_registers = arm64_context + 184;
constexpr std::uint64_t arm64_records = arm64_registers + 35 * word;
constexpr std::uint64_t vector_record_head = 0x0000'0210'4650'8001;  // size, FPSIMD_MAGIC

constexpr std::uint64_t stack_in_context = 16;

// Whether the handler ran on an alternate stack and the interrupted code did not.
bool left_other_stack(const cursor& at, std::uint64_t context, std::uint64_t interrupted_sp) {
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  if (!at.stack.read(context + stack_in_context, start) ||
      !at.stack.read(context + stack_in_context + 16, size)) {
    return false;
  }
  return context - start < size && interrupted_sp - start >= size;
}

bool read_x86_64(const cursor& at, std::uint64_t sp, registers& interrupted) {
  std::uint64_t value = 0;
  if (!at.stack.read(sp + x86_64_selectors, value) || value != user_selectors) return false;
  std::uint64_t place = sp + x86_64_registers;
  for (const unsigned number : x86_64_context_order) {
    if (!at.stack.read(place, value)) return false;
    interrupted.set(number, value);
    place += sizeof value;
  }
  return true;
}

bool read_arm64(const cursor& at, std::uint64_t sp, registers& interrupted) {
  std::uint64_t value = 0;
  if (!at.stack.read(sp + arm64_records, value) || value != vector_record_head) return false;
  for (unsigned number = 0; number <= arm64::pc; ++number) {
    if (!at.stack.read(sp + arm64_registers + number * sizeof value, value)) return false;
    interrupted.set(number, value);
  }
  return true;
}

}  // namespace

bool step_over_signal_frame(cursor& at) {
  const std::uint64_t sp = at.values.at(at.sp());
  const bool is_x86_64 = at.arch == architecture::x86_64;
  registers interrupted;
  if (!(is_x86_64 ? read_x86_64(at, sp, interrupted) : read_arm64(at, sp, interrupted))) {
    return false;
  }
  const std::uint64_t pc = interrupted.at(at.counter());
  if (at.code.find(pc) == nullptr) return false;
  const std::uint64_t context = is_x86_64 ? sp : sp + arm64_context;
  at.on_other_stack = left_other_stack(at, context, interrupted.at(at.sp()));
  at.values = interrupted;
  at.unmoved_steps = 0;
  at.by_record = false;
  at.pc = pc;
  at.exact = true;
  return true;
}

}  // namespace stallscope::unwind
