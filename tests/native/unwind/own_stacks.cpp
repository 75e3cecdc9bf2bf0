#include "own_stacks.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <array>

#include "own_process.hpp"

namespace unwind = stallscope::unwind;

namespace {

unwind::registers registers_of(const ucontext_t& context) {
  unwind::registers result;
#if defined(__x86_64__)
  static constexpr std::array<int, 17> order{REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned number = 0; number < order.size(); ++number) {
    result.set(number, static_cast<std::uint64_t>(context.uc_mcontext.gregs[order[number]]));
  }
#else
  for (unsigned number = 0; number < 31; ++number) {
    result.set(number, context.uc_mcontext.regs[number]);
  }
  result.set(unwind::arm64::sp, context.uc_mcontext.sp);
  result.set(unwind::arm64::pc, context.uc_mcontext.pc);
#endif
  return result;
}

constexpr auto arch =
#if defined(__x86_64__)
    unwind::architecture::x86_64;
#else
    unwind::architecture::arm64;
#endif

_Unwind_Reason_Code remember(_Unwind_Context* context, void* into) {
  int exact = 0;
  const std::uint64_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) return _URC_END_OF_STACK;
  static_cast<std::vector<unwind::frame>*>(into)->push_back({address, exact != 0});
  return _URC_NO_REASON;
}

both_walks in_handler;  // NOLINT(cert-err58-cpp): empty vectors allocate nothing

void handle(int /*signal*/) { in_handler = walk_here(); }

}  // namespace

// Both walks begin in this function. Their first return addresses differ; all other frames are
// equal.
[[gnu::noinline]] both_walks walk_here(std::size_t max_bytes) {
  both_walks result;
  own_process process;
  _Unwind_Backtrace(remember, &result.theirs);
  ucontext_t context{};
  getcontext(&context);
  const auto registers = registers_of(context);
  const std::uint64_t sp = registers.at(arch == unwind::architecture::x86_64 ? 7 : 31);
  const auto bytes = own_process::copy(sp, max_bytes);
  result.end = unwind::unwinder(arch).walk(registers, {sp, bytes}, process, result.ours);
  return result;
}

both_walks walk_in_handler(bool on_own_stack) {
  std::vector<std::byte> alternate(1U << 18U);
  stack_t stack{};
  stack.ss_sp = alternate.data();
  stack.ss_size = alternate.size();
  stack_t stack_before{};
  sigaltstack(&stack, &stack_before);
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = on_own_stack ? SA_ONSTACK : 0;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  sigaltstack(&stack_before, nullptr);
  return in_handler;
}

std::size_t equal_frames(const both_walks& walks) {
  std::size_t depth = 1;
  while (depth < walks.ours.size() && depth < walks.theirs.size() &&
         walks.ours[depth].address == walks.theirs[depth].address &&
         walks.ours[depth].exact == walks.theirs[depth].exact) {
    ++depth;
  }
  return depth;
}
