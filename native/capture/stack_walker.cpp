#include "capture/stack_walker.hpp"

#include <algorithm>
#include <string_view>

namespace stallscope::capture {
namespace {

// perf counts x86-64's general registers up to 23, arm64's up to 32 (arch/*/include/uapi/asm/
// perf_regs.h).
constexpr unsigned x86_64_registers = 24;

unsigned stack_pointer_of(unwind::architecture arch) {
  return arch == unwind::architecture::x86_64 ? unwind::x86_64::rsp : unwind::arm64::sp;
}

unsigned program_counter_of(unwind::architecture arch) {
  return arch == unwind::architecture::x86_64 ? unwind::x86_64::rip : unwind::arm64::pc;
}

constexpr std::uint64_t page_bits = 12;
constexpr std::size_t max_frames = 1024;

}  // namespace

std::optional<unwind::architecture> architecture_of(const capture_content& read) {
  const std::string_view named = read.host.architecture;
  if (read.big_endian) {
    return std::nullopt;
  }
  if (named == "x86_64") {
    return unwind::architecture::x86_64;
  }
  if (named == "aarch64" || named == "arm64") {
    return unwind::architecture::arm64;
  }
  if (!named.empty()) {
    return std::nullopt;
  }
  const bool has_more = std::any_of(
      read.attributes.begin(), read.attributes.end(),
      [](const attribute& event) { return event.registers_user >> x86_64_registers != 0; });
  return has_more ? unwind::architecture::arm64 : unwind::architecture::x86_64;
}

stack_walker::stack_walker(unwind::architecture arch, const object_table& objects,
                           const read_options& options, memory_budget& budget)
    : arch_(arch), unwinder_(arch), objects_(objects), options_(options), tables_(budget) {
  tables_.resize(objects.size(), object_unwind_table{});
}

walked_stack stack_walker::walk(const copied_stack& copy, std::uint64_t mask, const map_table& maps,
                                std::span<const unwind::managed_run> runs,
                                const interpreter* code) {
  frames_.clear();
  maps_ = &maps;
  const unwind::registers first = unwind::from_perf(arch_, mask, copy.registers);
  if (!copy.is_64_bit) {
    if (first.known(program_counter_of(arch_))) {
      frames_.push_back({first.at(program_counter_of(arch_)), true});
    }
    return {.frames = frames_, .end = unwind::chain_end::no_registers};
  }
  const unwind::stack_copy stack{first.at(stack_pointer_of(arch_)), copy.stack};
  const unwind::chain_end end = unwinder_.walk(first, stack, *this, frames_, max_frames, runs,
                                               code != nullptr ? &code->loop : nullptr);
  if (code != nullptr) number_interpreted(*code);
  return {frames_, end, unwinder_.missed_stack()};
}

void stack_walker::number_interpreted(const interpreter& code) {
  std::erase_if(frames_, [&](unwind::frame& frame) {
    if (!frame.interpreted) return false;
    const auto number = code.number_at(frame.address);
    frame.address = number.value_or(0);
    return !number;
  });
}

const unwind::mapped_code* stack_walker::find(std::uint64_t address) {
  cached_code& cached = cache_[(address >> page_bits) % cached_codes];
  if (cached.version == maps_->version && address >= cached.code.start &&
      address < cached.code.end) {
    return &cached.code;
  }
  const auto* mapped = maps_->find(address);
  if (mapped == nullptr || !mapped->second.executable) {
    return nullptr;
  }
  const mapping& target = mapped->second;
  cached = {maps_->version,
            {mapped->first, target.end, target.page_offset, table_of(target.object)}};
  return &cached.code;
}

const unwind::table* stack_walker::table_of(std::uint32_t object) {
  object_unwind_table& known = tables_[object];
  if (!known.requested) {
    const stallscope::capture::object& mapped = objects_.at(object);
    known.requested = true;
    known.table = mapped.kernel || mapped.anonymous ? nullptr : options_.unwind_table(mapped);
  }
  return known.table;
}

}  // namespace stallscope::capture
