#include "unwind/landing.hpp"

#include <algorithm>
#include <span>

#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

// struct _Unwind_Context of libgcc/unwind-dw2.c, which describes a frame: the addresses of its
// saved registers by register number, then its stack pointer and its program counter.
constexpr std::uint64_t pointer_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t context_cfa = 18 * pointer_bytes;
constexpr std::uint64_t context_counter = context_cfa + pointer_bytes;
constexpr std::uint64_t context_bytes = context_counter + pointer_bytes;

constexpr std::uint64_t largest_frame = 4096;  // _Unwind_RaiseException needs less than 1,024

constexpr unsigned rax = 0;
constexpr unsigned rdx = 1;
constexpr unsigned rcx = 2;

// Before the last instructions (mov %rcx,%rsp; pop %rcx; jmp *%rcx) the rule already describes the
// frame of the landing pad. After the normal return (leave; ret) rcx is not a stack pointer.
bool is_leaving(const cursor& at, const applied_rule& frame_rule) {
  if (frame_rule.definition->cfa_register == rcx) return true;
  const auto saved = frame_rule.content->saved_by(*frame_rule.definition);
  const bool popped = std::ranges::any_of(saved, [](const saved_register& reg) {
    return reg.how == recovery::in_register && reg.value == rcx;
  });
  return frame_rule.definition->cfa_register == x86_64::rsp &&
         (popped || (at.values.known(rcx) && at.values.at(rcx) == at.values.at(x86_64::rsp)));
}

class context_reader {
 public:
  context_reader(const cursor& at, std::uint64_t cfa, std::span<const saved_register> saved,
                 unsigned return_column)
      : at_{at}, cfa_{cfa}, saved_{saved}, return_column_{return_column} {}

  // Whether the context at this address describes the function's caller: all registers are at the
  // addresses where the function saved them.
  [[nodiscard]] bool describes_caller(std::uint64_t place) const {
    return word_at(place + context_cfa) == cfa_ &&
           std::ranges::all_of(saved_, [&](const saved_register& reg) {
             return reg.number == return_column_ ||
                    word_at(place + reg.number * pointer_bytes) == slot(reg);
           });
  }

  // Returns the landing that the context at this address describes: above this frame, and with at
  // least a single register that has already replaced the caller's.
  [[nodiscard]] std::optional<landing> read(std::uint64_t place) const {
    const std::uint64_t sp = word_at(place + context_cfa);
    const std::uint64_t counter = word_at(place + context_counter);
    if (sp <= cfa_ || sp % pointer_bytes != 0 || at_.code.find(counter) == nullptr)
      return std::nullopt;
    landing result;
    result.values.set(at_.sp(), sp);
    result.values.set(at_.counter(), counter);
    for (const saved_register& reg : saved_) {
      if (reg.number == 0 || reg.number == 1 || reg.number == return_column_) continue;
      const std::uint64_t from = word_at(place + reg.number * pointer_bytes);
      std::uint64_t value = 0;
      if (from != slot(reg) && (from < cfa_ || from >= sp)) return std::nullopt;
      if (!at_.stack.read(from, value)) return std::nullopt;
      result.values.set(reg.number, value);
      const bool is_replaced = from != slot(reg) && value == word_at(slot(reg));
      if (is_replaced) result.replaced |= std::uint64_t{1} << reg.number;
    }
    if (result.replaced == 0) return std::nullopt;
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t slot(const saved_register& reg) const {
    return cfa_ + static_cast<std::uint64_t>(std::int64_t{reg.value});
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

// Returns the landing of the frame; nullopt if no register is replaced yet.
std::optional<landing> find_landing(const cursor& at, const applied_rule& frame_rule) {
  if (!at.values.known(frame_rule.definition->cfa_register)) return std::nullopt;
  const std::uint64_t cfa =
      at.values.at(frame_rule.definition->cfa_register) +
      static_cast<std::uint64_t>(std::int64_t{frame_rule.definition->cfa_offset});
  const std::uint64_t sp = at.values.at(at.sp());
  const std::uint64_t bytes = cfa - sp;
  if (sp % pointer_bytes != 0 || bytes < 2 * context_bytes || bytes > largest_frame)
    return std::nullopt;
  const context_reader contexts(at, cfa, frame_rule.content->saved_by(*frame_rule.definition),
                                frame_rule.definition->return_column);
  bool knows_caller = false;
  std::optional<landing> result;
  for (std::uint64_t place = sp; place <= cfa - context_bytes; place += pointer_bytes) {
    if (contexts.describes_caller(place)) {
      knows_caller = true;
    } else if (!result) {
      result = contexts.read(place);
    }
  }
  if (!knows_caller) return std::nullopt;
  return result;
}

}  // namespace

// Such a function saves rax and rdx, which pass the exception to the landing pad. Other functions
// do not save them, because callers do not expect them to be preserved.
bool may_land(architecture arch, const rule& how, std::span<const saved_register> saved) noexcept {
  if (arch != architecture::x86_64 || saved.size() < 3 || how.is_signal_frame != 0) return false;
  return saved[0].number == rax && saved[0].how == recovery::at_offset && saved[1].number == rdx &&
         saved[1].how == recovery::at_offset;
}

std::optional<chain_end> step_by_landing(cursor& at, const applied_rule& frame_rule) {
  const bool leaving = is_leaving(at, frame_rule);
  auto next = leaving ? std::nullopt : find_landing(at, frame_rule);
  if (const auto end = step_by_rule(at, frame_rule)) return end;
  if (leaving) at.exact = true;
  if (!next) return std::nullopt;
  for (unsigned number = 0; number < registers::count; ++number) {
    if ((next->replaced >> number & 1U) != 0) at.values.forget(number);
  }
  next->depth = at.depth;
  at.next_landing = next;
  return std::nullopt;
}

bool land(cursor& at) {
  if (!at.next_landing) return false;
  at.values = at.next_landing->values;
  at.pc = at.values.at(at.counter());
  at.exact = true;
  at.on_other_stack = false;
  at.by_record = false;
  at.unmoved_steps = 0;
  at.next_landing.reset();
  return true;
}

}  // namespace stallscope::unwind
