#include "unwind/unwinder.hpp"

#include <algorithm>

#include "unwind/cursor.hpp"

namespace stallscope::unwind {
namespace {

constexpr std::uint64_t address_mask_48 = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint64_t address_mask_52 = (std::uint64_t{1} << 52U) - 1;

// The return address of a run of managed frames that leaves the copy.
constexpr std::uint64_t not_copied = 1;

constexpr std::uint64_t red_zone = 128;  // System V ABI, x86-64, 3.2.2

// A stack may be larger than its copy. Frames farther away belong to another stack.
constexpr std::uint64_t largest_stack = std::uint64_t{64} << 20U;

applied_rule frame_rule_of(architecture arch, const rule& how, const table_reader::content& of,
                           std::uint64_t load_bias) {
  const auto saved = of.saved_by(how);
  return {.definition = &how,
          .content = &of,
          .load_bias = load_bias,
          .reads_registers = std::ranges::any_of(saved,
                                                 [](const saved_register& reg) {
                                                   return reg.how == recovery::in_register ||
                                                          reg.how == recovery::at_expression ||
                                                          reg.how == recovery::is_expression;
                                                 }),
          .may_land = may_land(arch, how, saved)};
}

std::optional<chain_end> step_by_table(cursor& at, const applied_rule& frame_rule) {
  if (frame_rule.definition->is_signal_frame != 0 && step_over_signal_frame(at))
    return std::nullopt;
  return frame_rule.may_land ? step_by_landing(at, frame_rule) : step_by_rule(at, frame_rule);
}

std::optional<chain_end> step(cursor& at) {
  const std::uint64_t address = at.exact ? at.pc : at.pc - 1;
  if (at.cache != nullptr) {
    if (const applied_rule* cached = at.cache->find(address, at.version)) {
      return step_by_table(at, *cached);
    }
  }
  const mapped_code* here = at.code.find(address);
  if (here == nullptr) {
    // The signal trampoline may be in a page without a known mapping.
    if (step_over_signal_frame(at)) return std::nullopt;
    return chain_end::unmapped;
  }
  const table* object = here->table;
  if (object != nullptr && object->arch() == at.arch) {
    const auto in_file = object->address_of(here->file_offset + (address - here->start));
    const auto& content = table_reader::of(*object);
    const rule* table_rule = in_file ? content.find(*in_file) : nullptr;
    if (table_rule != nullptr) {
      const auto frame_rule = frame_rule_of(at.arch, *table_rule, content, address - *in_file);
      if (at.cache != nullptr) at.cache->insert(address, at.version, frame_rule);
      return step_by_table(at, frame_rule);
    }
    if (in_file && content.is_entry(*in_file)) return chain_end::complete;
  }
  if (step_over_signal_frame(at)) return std::nullopt;
  return step_by_frame_pointer(at, object != nullptr);
}

// Whether the walk has arrived at the next run of managed frames, or is within it.
bool arrived_at_run(cursor& at) {
  const std::uint64_t sp = at.values.at(at.sp());
  while (!at.runs.empty() && at.runs.front().exit_pc != 0 && sp >= at.runs.front().exit_sp)
    at.runs = at.runs.subspan(1);
  return !at.runs.empty() && (at.pc == at.runs.front().entry_pc || sp >= at.runs.front().entry_sp);
}

// Adds the next run to the chain and continues with the registers of its caller.
std::optional<chain_end> step_over_run(cursor& at, std::vector<frame>& into) {
  const managed_run run = at.runs.front();
  at.runs = at.runs.subspan(1);
  into.push_back({.address = run.number, .exact = true, .managed = true});
  at.values = registers{};
  at.values.set(at.sp(), run.exit_sp);
  at.values.set(at.fp(), run.exit_fp);
  at.next_landing.reset();
  at.on_other_stack = false;
  at.unmoved_steps = 0;
  if (run.exit_pc == not_copied) return chain_end::cut_by_copy;
  return at.arrive(run.exit_pc, false);
}

// Adds the program counter of interpreted code, if the walk has come from the core of the loop.
void add_interpreted(const cursor& at, std::uint64_t counter, std::vector<frame>& into) {
  const std::uint64_t call = at.pc - 1;
  if (counter == 0 || at.exact || call < at.loop->begin || call >= at.loop->end) return;
  into.push_back({.address = counter, .exact = true, .interpreted = true});
}

chain_end walk_all(cursor& at, const registers& first, std::vector<frame>& into,
                   std::size_t max_frames) {
  if (!first.known(at.sp()) || !first.known(at.counter())) return chain_end::no_registers;
  at.pc = first.at(at.counter());
  for (std::size_t count = 0; count < max_frames; ++count) {
    if (arrived_at_run(at)) {
      if (const auto end = step_over_run(at, into)) return *end;
      continue;
    }
    into.push_back({.address = at.pc, .exact = at.exact});
    at.depth = into.size();
    const std::uint64_t counter = at.loop != nullptr ? at.values.at(at.loop->counter) : 0;
    auto end = step(at);
    if (!end && at.loop != nullptr) add_interpreted(at, counter, into);
    if (end && !at.runs.empty()) end = step_over_run(at, into);
    if (!end) continue;
    if (*end == chain_end::complete || !at.next_landing) return *end;
    into.resize(at.next_landing->depth);
    land(at);
  }
  return chain_end::too_deep;
}

}  // namespace

std::uint64_t cursor::plain_address(std::uint64_t address) const {
  if (arch == architecture::x86_64 || address <= address_mask_48) return address;
  // The position of the signature depends on the address width of the process.
  const std::uint64_t narrow = address & address_mask_48;
  const std::uint64_t wide = address & address_mask_52;
  return !is_code(narrow) && is_code(wide) ? wide : narrow;
}

chain_end cursor::missing_reason(std::uint64_t address) const noexcept {
  if (on_other_stack) return chain_end::other_stack;
  if (address % sizeof(std::uint64_t) != 0) return chain_end::bad_frame;
  if (address < stack.begin()) {
    // A leaf may have its frame in the red zone, but copies begin at the stack pointer.
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

unwinder::unwinder(architecture arch) : arch_{arch} {}
unwinder::unwinder(unwinder&&) noexcept = default;
unwinder& unwinder::operator=(unwinder&&) noexcept = default;
unwinder::~unwinder() = default;

chain_end unwinder::walk(const registers& first, const stack_copy& stack, code_map& code,
                         std::vector<frame>& into, std::size_t max_frames,
                         std::span<const managed_run> runs, const interpreter_loop* loop) {
  const stack_memory memory(stack);
  cursor at(arch_, first, memory, code);
  at.runs = runs;
  at.loop = loop;
  at.version = code.version();
  if (at.version != 0) {
    if (!cache_) cache_ = std::make_unique<rule_cache>();
    at.cache = cache_.get();
  }
  const chain_end end = walk_all(at, first, into, max_frames);
  missed_stack_ = memory.missed();
  return end;
}

}  // namespace stallscope::unwind
