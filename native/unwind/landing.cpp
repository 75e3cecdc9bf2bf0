#include "unwind/landing.hpp"

#include <algorithm>
#include <span>

#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

// struct _Unwind_Context of libgcc/unwind-dw2.c, which describes a frame: at first where each
// register of it was saved, by number, then its stack pointer and where it goes on.
constexpr std::uint64_t pointer_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t context_cfa = 18 * pointer_bytes;
constexpr std::uint64_t context_counter = context_cfa + pointer_bytes;
constexpr std::uint64_t context_bytes = context_counter + pointer_bytes;

constexpr std::uint64_t largest_frame = 4096;  // _Unwind_RaiseException's has less than 1,024

constexpr unsigned rax = 0;
constexpr unsigned rdx = 1;
constexpr unsigned rcx = 2;

// Before the last instructions, mov %rcx,%rsp; pop %rcx; jmp *%rcx, the rule is of the frame to
// land in already. Behind its plain return, leave; ret, rcx is no stack pointer.
bool is_leaving(const cursor& at, const applied_rule& found) {
  if (found.how->cfa_register == rcx) return true;
  const auto saved = found.of->saved_by(*found.how);
  const bool popped = std::ranges::any_of(saved, [](const saved_register& each) {
    return each.how == recovery::in_register && each.value == rcx;
  });
  return found.how->cfa_register == x86_64::rsp &&
         (popped || (at.values.known(rcx) && at.values.at(rcx) == at.values.at(x86_64::rsp)));
}

class context_reader {
 public:
  context_reader(const cursor& at, std::uint64_t cfa, std::span<const saved_register> saved,
                 unsigned return_column)
      : at_{at}, cfa_{cfa}, saved_{saved}, return_column_{return_column} {}

  // Whether the context at this place describes the function's own caller: every register of it
  // where the function saved it.
  [[nodiscard]] bool describes_caller(std::uint64_t place) const {
    return word_at(place + context_cfa) == cfa_ &&
           std::ranges::all_of(saved_, [&](const saved_register& each) {
             return each.number == return_column_ ||
                    word_at(place + each.number * pointer_bytes) == slot(each);
           });
  }

  // The landing that the context at this place describes: farther up, and with at least one
  // register that already stands in the caller's place.
  [[nodiscard]] std::optional<landing> read(std::uint64_t place) const {
    const std::uint64_t sp = word_at(place + context_cfa);
    const std::uint64_t counter = word_at(place + context_counter);
    if (sp <= cfa_ || sp % pointer_bytes != 0 || at_.code.find(counter) == nullptr)
      return std::nullopt;
    landing found;
    found.values.set(at_.sp(), sp);
    found.values.set(at_.counter(), counter);
    for (const saved_register& each : saved_) {
      if (each.number == 0 || each.number == 1 || each.number == return_column_) continue;
      const std::uint64_t from = word_at(place + each.number * pointer_bytes);
      std::uint64_t value = 0;
      if (from != slot(each) && (from < cfa_ || from >= sp)) return std::nullopt;
      if (!at_.stack.read(from, value)) return std::nullopt;
      found.values.set(each.number, value);
      const bool is_replaced = from != slot(each) && value == word_at(slot(each));
      if (is_replaced) found.replaced |= std::uint64_t{1} << each.number;
    }
    if (found.replaced == 0) return std::nullopt;
    return found;
  }

 private:
  [[nodiscard]] std::uint64_t slot(const saved_register& each) const {
    return cfa_ + static_cast<std::uint64_t>(std::int64_t{each.value});
  }
  [[nodiscard]] std::uint64_t word_at(std::uint64_t address) const {
    std::uint64_t value = 0;
    return at_.stack.read(address, value) ? value : 0;
  }

  const cursor& at_;
  std::uint64_t cfa_;
  std::span<const saved_register> saved_;
  unsigned return_column_;
};

// Reads where the frame lands. Nothing, where no register was replaced yet.
std::optional<landing> find_landing(const cursor& at, const applied_rule& found) {
  if (!at.values.known(found.how->cfa_register)) return std::nullopt;
  const std::uint64_t cfa = at.values.at(found.how->cfa_register) +
                            static_cast<std::uint64_t>(std::int64_t{found.how->cfa_offset});
  const std::uint64_t sp = at.values.at(at.sp());
  const std::uint64_t bytes = cfa - sp;
  if (sp % pointer_bytes != 0 || bytes < 2 * context_bytes || bytes > largest_frame)
    return std::nullopt;
  const context_reader contexts(at, cfa, found.of->saved_by(*found.how), found.how->return_column);
  bool knows_caller = false;
  std::optional<landing> ahead;
  for (std::uint64_t place = sp; place <= cfa - context_bytes; place += pointer_bytes) {
    if (contexts.describes_caller(place)) {
      knows_caller = true;
    } else if (!ahead) {
      ahead = contexts.read(place);
    }
  }
  if (!knows_caller) return std::nullopt;
  return ahead;
}

}  // namespace

// It saves the registers that tell the landing pad of the exception, rax and rdx, which no caller
// expects to find again.
bool may_land(architecture arch, const rule& how, std::span<const saved_register> saved) noexcept {
  if (arch != architecture::x86_64 || saved.size() < 3 || how.is_signal_frame != 0) return false;
  return saved[0].number == rax && saved[0].how == recovery::at_offset && saved[1].number == rdx &&
         saved[1].how == recovery::at_offset;
}

std::optional<chain_end> step_by_landing(cursor& at, const applied_rule& found) {
  const bool leaving = is_leaving(at, found);
  auto ahead = leaving ? std::nullopt : find_landing(at, found);
  if (const auto end = step_by_rule(at, found)) return end;
  if (leaving) at.exact = true;
  if (!ahead) return std::nullopt;
  for (unsigned number = 0; number < registers::count; ++number) {
    if ((ahead->replaced >> number & 1U) != 0) at.values.forget(number);
  }
  ahead->depth = at.depth;
  at.ahead = ahead;
  return std::nullopt;
}

bool land(cursor& at) {
  if (!at.ahead) return false;
  at.values = at.ahead->values;
  at.pc = at.values.at(at.counter());
  at.exact = true;
  at.on_other_stack = false;
  at.by_record = false;
  at.still_steps = 0;
  at.ahead.reset();
  return true;
}

}  // namespace stallscope::unwind
