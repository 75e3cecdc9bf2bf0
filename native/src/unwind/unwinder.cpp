#include "stallscope/unwind/unwinder.hpp"

#include "cursor.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::uint64_t address_mask_48 = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint64_t address_mask_52 = (std::uint64_t{1} << 52U) - 1;

constexpr std::uint64_t red_zone = 128;  // System V ABI, x86-64, 3.2.2

// A stack may be larger than its copy, but frames farther away are on another one.
constexpr std::uint64_t largest_stack = std::uint64_t{64} << 20U;

std::optional<chain_end> step(cursor& at) {
  const std::uint64_t address = at.exact ? at.pc : at.pc - 1;
  const mapped_code* here = at.code.find(address);
  if (here == nullptr) {
    // A signal's way back may stand in a page that the mappings do not tell.
    if (step_over_signal_frame(at)) return std::nullopt;
    return chain_end::unmapped;
  }
  const table* known = here->table;
  if (known != nullptr && known->arch() == at.arch) {
    const auto in_file = known->address_of(here->file_offset + (address - here->start));
    const auto& content = table_reader::of(*known);
    const rule* found = in_file ? content.find(*in_file) : nullptr;
    if (found != nullptr) {
      if (found->is_signal_frame != 0 && step_over_signal_frame(at)) return std::nullopt;
      const applied_rule applied{.how = *found, .of = content, .load_bias = address - *in_file};
      return may_land(at, applied) ? step_by_landing(at, applied) : step_by_rule(at, applied);
    }
    if (in_file && content.is_entry(*in_file)) return chain_end::complete;
  }
  if (step_over_signal_frame(at)) return std::nullopt;
  return step_by_frame_pointer(at, known != nullptr);
}

chain_end walk_all(cursor& at, const registers& first, std::vector<frame>& into,
                   std::size_t most_frames) {
  if (!first.known(at.sp()) || !first.known(at.counter())) return chain_end::no_registers;
  at.pc = first.at(at.counter());
  for (std::size_t count = 0; count < most_frames; ++count) {
    into.push_back({.address = at.pc, .exact = at.exact});
    at.depth = into.size();
    const auto end = step(at);
    if (!end) continue;
    if (*end == chain_end::complete || !at.ahead) return *end;
    into.resize(at.ahead->depth);
    land(at);
  }
  return chain_end::too_deep;
}

}  // namespace

std::uint64_t cursor::plain_address(std::uint64_t address) const {
  if (arch == architecture::x86_64 || address <= address_mask_48) return address;
  // Which bits are the signature depends on how wide this process's addresses are.
  const std::uint64_t narrow = address & address_mask_48;
  const std::uint64_t wide = address & address_mask_52;
  return !is_code(narrow) && is_code(wide) ? wide : narrow;
}

chain_end cursor::missing(std::uint64_t address) const noexcept {
  if (on_other_stack) return chain_end::other_stack;
  if (address % sizeof(std::uint64_t) != 0) return chain_end::bad_frame;
  if (address < stack.begin()) {
    // A leaf may keep its frame there, but copies begin at the stack pointer.
    if (stack.begin() - address <= red_zone) return chain_end::cut_by_copy;
    return stack.begin() - address > largest_stack ? chain_end::other_stack : chain_end::bad_frame;
  }
  return address - stack.begin() > largest_stack ? chain_end::other_stack : chain_end::cut_by_copy;
}

std::optional<chain_end> cursor::arrive(std::uint64_t address, bool is_exact) noexcept {
  pc = address;
  exact = is_exact;
  if (address == 0) return chain_end::complete;
  values.set(counter(), address);
  return std::nullopt;
}

chain_end unwinder::walk(const registers& first, const stack_copy& stack, code_map& code,
                         std::vector<frame>& into, std::size_t most_frames) {
  const stack_memory memory(stack);
  cursor at(arch_, first, memory, code);
  const chain_end end = walk_all(at, first, into, most_frames);
  missed_stack_ = memory.missed();
  return end;
}

}  // namespace stallscope::unwind
