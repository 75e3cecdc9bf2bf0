// Stacks of this very process, against the walk of the compiler's own runtime.
#include <doctest/doctest.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <thread>

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

struct both_walks {
  std::vector<unwind::frame> ours;
  std::vector<unwind::frame> theirs;
  unwind::chain_end end = unwind::chain_end::no_registers;
};

_Unwind_Reason_Code remember(_Unwind_Context* context, void* into) {
  int exact = 0;
  const std::uint64_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) return _URC_END_OF_STACK;
  static_cast<std::vector<unwind::frame>*>(into)->push_back({address, exact != 0});
  return _URC_NO_REASON;
}

// Both begin in this function: their first return addresses differ, all others are the same calls.
[[gnu::noinline]] both_walks walk_here(std::size_t most_bytes = 1U << 20U) {
  both_walks result;
  own_process process;
  _Unwind_Backtrace(remember, &result.theirs);
  ucontext_t context{};
  getcontext(&context);
  const auto registers = registers_of(context);
  const std::uint64_t sp = registers.at(arch == unwind::architecture::x86_64 ? 7 : 31);
  const auto bytes = own_process::copy(sp, most_bytes);
  result.end = unwind::unwinder(arch).walk(registers, {sp, bytes}, process, result.ours);
  return result;
}

void check_same(const both_walks& walks) {
  REQUIRE(walks.ours.size() == walks.theirs.size());
  for (std::size_t depth = 1; depth < walks.ours.size(); ++depth) {
    CAPTURE(depth);
    CHECK(walks.ours[depth].address == walks.theirs[depth].address);
    CHECK(walks.ours[depth].exact == walks.theirs[depth].exact);
  }
}

}  // namespace

TEST_CASE("a stack of this process reaches its entry as the runtime's own walk does") {
  const auto walks = walk_here();
  check_same(walks);
  CHECK(walks.end == unwind::chain_end::complete);
  CHECK(walks.ours.front().exact);
  CHECK_FALSE(walks.ours[1].exact);
}

TEST_CASE("a thread's stack ends where the thread was made") {
  both_walks walks;
  std::thread([&] { walks = walk_here(); }).join();
  check_same(walks);
  CHECK(walks.end == unwind::chain_end::complete);
}

TEST_CASE("a copy that is too short cuts the chain and says so") {
  const auto whole = walk_here();
  const auto cut = walk_here(512);
  CHECK(cut.end == unwind::chain_end::cut_by_copy);
  CHECK(cut.ours.size() < whole.ours.size());
}

namespace {
both_walks in_handler;  // NOLINT(cert-err58-cpp): empty vectors allocate nothing
void handle(int /*signal*/) { in_handler = walk_here(); }
}  // namespace

TEST_CASE("a signal's frame leads to the interrupted code") {
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = handle;
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  check_same(in_handler);
  CHECK(in_handler.end == unwind::chain_end::complete);
  const auto exact = std::count_if(in_handler.ours.begin(), in_handler.ours.end(),
                                   [](const unwind::frame& each) { return each.exact; });
  CHECK(exact == 2);
}

TEST_CASE("a handler on a stack of its own ends at the interrupted code, which is still named") {
  std::vector<std::byte> alternate(1U << 18U);
  stack_t stack{};
  stack.ss_sp = alternate.data();
  stack.ss_size = alternate.size();
  stack_t stack_before{};
  REQUIRE(sigaltstack(&stack, &stack_before) == 0);
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  sigaltstack(&stack_before, nullptr);
  CHECK(in_handler.end == unwind::chain_end::other_stack);
  REQUIRE(in_handler.ours.size() < in_handler.theirs.size());
  CHECK(in_handler.ours.back().exact);
  CHECK(in_handler.ours.back().address == in_handler.theirs[in_handler.ours.size() - 1].address);
}
