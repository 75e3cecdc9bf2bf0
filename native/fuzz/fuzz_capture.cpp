// Any bytes end in a capture whose numbers are sound, or in one capture_error: no crash, no hang,
// no gigabytes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "capture/read_capture.hpp"
#include "elf_builder.hpp"
#include "require.hpp"
#include "unwind/unwinder.hpp"

namespace {

using stallscope::capture::capture_content;
using stallscope::unwind::table;

// A table whose one function covers what small offsets in a file may name.
table table_of(std::initializer_list<unsigned> instructions, const elf_builder::options& how = {}) {
  return table::compile(elf_builder::build(
      {{".eh_frame", elf_builder::eh_frame(instructions, {}, elf_builder::load_address + 0x100,
                                           elf_builder::load_bytes - 0x100)}},
      how));
}

// Objects have one of several tables, by the length of their path: chains cross from one to
// another, and to an object without any. One is of the other architecture.
const table* any_table(const stallscope::capture::object& mapped) {
  static const std::array<table, 4> known{
      table_of({0x0e, 16}),                                          // CFA = rsp + 16
      table_of({0x0c, 6, 16, 0x86, 2}),                              // CFA = rbp + 16, saved rbp
      table_of({0x0e, 16, 0x40 + 1, 0x0e, 32, 0x40 + 63, 0x0e, 8}),  // several rows
      table_of({0x0e, 16}, {.arch = stallscope::unwind::architecture::arm64})};
  const std::size_t choice = mapped.path.size() % 8;
  return choice < known.size() ? &known[choice] : nullptr;
}

void check(const capture_content& read) {
  const std::size_t samples = read.samples.time_ns.size();
  require(read.samples.stack.size() == samples && read.samples.period.size() == samples);
  const std::size_t stacks = read.stacks.offset.size() - 1;
  const std::size_t frames = read.stacks.kind.size();
  for (std::size_t row = 0; row < samples; ++row) {
    require(row == 0 || read.samples.time_ns[row - 1] <= read.samples.time_ns[row]);
    require(read.samples.stack[row] < stacks);
    require(read.samples.thread[row] < read.threads.size());
    require(read.samples.event[row] < read.attributes.size());
  }
  require(read.stacks.offset[stacks] == read.stacks.frame.size());
  require(read.stacks.end.size() == stacks);
  for (const std::uint8_t end : read.stacks.end.values()) {
    require(end <= static_cast<std::uint8_t>(stallscope::unwind::chain_end::no_registers));
  }
  for (const std::uint32_t frame : read.stacks.frame.values()) {
    require(frame < frames);
  }
  for (const std::int32_t object : read.stacks.frame_object.values()) {
    require(object >= -1 && object < static_cast<std::int32_t>(read.objects.size()));
  }
}

void check_sorted(std::span<const std::uint64_t> times) {
  require(std::is_sorted(times.begin(), times.end()));
}

void check_waits(const capture_content& read) {
  const auto& waits = read.waits;
  check_sorted(waits.switches.time_ns.values());
  check_sorted(waits.tasks.time_ns.values());
  check_sorted(waits.wakes.time_ns.values());
  check_sorted(waits.contentions.time_ns.values());
  for (const auto* threads : {&waits.switches.thread, &waits.tasks.thread, &waits.wakes.wakee,
                              &waits.wakes.waker, &waits.contentions.thread}) {
    for (const std::uint32_t thread : threads->values()) {
      require(thread < read.threads.size());
    }
  }
  for (const std::uint32_t thread : waits.switches.other.values()) {
    require(thread < read.threads.size() || thread == ~std::uint32_t{0});
  }
  for (const std::uint8_t kind : waits.switches.kind.values()) {
    require(kind <= 2);
  }
  const std::size_t rows = waits.registers.size() / waits.register_count;
  require(rows * waits.register_count == waits.registers.size());
  const auto& of_samples = read.samples.register_row;
  require(of_samples.size() == 0 || of_samples.size() == read.samples.time_ns.size());
  for (const std::uint32_t row : of_samples.values()) {
    require(row < rows || row == waits.none);
  }
  for (std::size_t row = 0; row < waits.lost.end_ns.size(); ++row) {
    require(waits.lost.begin_ns[row] <= waits.lost.end_ns[row]);
  }
}

std::optional<capture_content> read(std::span<const std::byte> bytes, bool allow_truncated,
                                    bool unwinds) {
  stallscope::capture::memory_source source(bytes);
  stallscope::capture::read_options options;
  options.allow_truncated = allow_truncated;
  options.memory_limit_bytes = std::uint64_t{64} << 20U;
  options.expansion_limit = 64;
  options.copied_mappings_limit = 500'000;
  options.temporary_limit_bytes = std::uint64_t{64} << 20U;
  if (unwinds) {
    options.unwind_table = any_table;
  }
  try {
    return stallscope::capture::read_capture(source, options);
  } catch (const stallscope::capture::capture_error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  for (const bool unwinds : {false, true}) {
    auto whole = read(bytes, false, unwinds);
    if (whole) {
      require(!whole->truncated_at);
      check(*whole);
      check_waits(*whole);
    } else if (auto part = read(bytes, true, unwinds)) {
      check(*part);
      check_waits(*part);
    }
  }
  return 0;
}
