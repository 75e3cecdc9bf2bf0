#include "php_frames/reader.hpp"

#include <algorithm>
#include <array>

namespace stallscope::php_frames {
namespace {

using managed_frames::managed_stack;
using managed_frames::stack_sample;
using managed_frames::walk_result;
using process_reading::value_at;

constexpr std::size_t max_frames = 4096;

// The registers in which the loop keeps the frame and the instruction (Zend/zend_execute.c,
// ZEND_VM_FP_GLOBAL_REG): r14 and r15, x27 and x28.
struct loop_registers {
  unsigned frame;
  unsigned opline;
};
constexpr loop_registers registers_of(unwind::architecture arch) {
  return arch == unwind::architecture::arm64 ? loop_registers{27, 28} : loop_registers{14, 15};
}

}  // namespace

reader::reader(pid_t pid, const layout& fields, std::uint64_t globals,
               managed_frames::function_log& log)
    : fields_{fields},
      current_{globals + fields.current_frame},
      memory_{pid},
      functions_{memory_, fields, log, pid},
      pages_{memory_} {}

walk_result reader::walk(const stack_sample& sample, managed_stack& into) {
  if (sample.tid != sample.pid) return walk_result::walked;  // only the main thread runs PHP
  const auto result = process_reading::read_structure(pages_, current_, [&] { return follow(); });
  if (result == outcome::missing) return walk_result::unreadable;
  if (result == outcome::torn) return walk_result::torn;
  put_runs(sample, into);
  return walk_result::walked;
}

reader::outcome reader::follow() {
  frames_.clear();
  auto address = pages_.anchor();
  // Frames without a function count as well: a chain of them may lead back to itself.
  for (std::size_t count = 0; address != 0; ++count) {
    if (count >= max_frames) return outcome::torn;
    const auto bytes = pages_.bytes(address, fields_.frame_bytes);
    if (bytes.empty()) return pages_.missing() ? outcome::missing : outcome::torn;
    const frame read{
        address, value_at<std::uint64_t>(bytes, fields_.frame_opline),
        value_at<std::uint64_t>(bytes, fields_.frame_function),
        (value_at<std::uint32_t>(bytes, fields_.frame_call_info) & fields_.call_is_top) != 0};
    const auto previous = value_at<std::uint64_t>(bytes, fields_.frame_previous);
    const bool same = pages_.same(address + fields_.frame_function, 8) &&
                      pages_.same(address + fields_.frame_previous, 8);
    if (!frames_.empty() && !same) return outcome::torn;
    if (read.function != 0) frames_.push_back(read);
    address = previous;
  }
  return outcome::whole;
}

// An instruction outside the lines of its function belongs to another one: the line is not known.
std::vector<std::uint32_t> reader::lines_of(const stack_sample& sample,
                                            std::span<const named_function> functions) {
  std::vector<std::uint32_t> lines(frames_.size());
  std::vector<process_reading::memory_range> ranges;
  const auto loop = registers_of(sample.arch);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (!functions[i].user) continue;
    auto opline = frames_[i].opline;
    // While the loop runs, the instruction is in a register.
    if (i == 0 && sample.registers.at(loop.frame) == frames_[i].address)
      opline = sample.registers.at(loop.opline);
    if (opline == 0 || opline % 8 != 0) continue;
    ranges.push_back(
        {opline + fields_.opline_line, std::as_writable_bytes(std::span{lines}.subspan(i, 1))});
  }
  if (!memory_.read(ranges)) {
    for (const auto& range : ranges) {
      if (!memory_.read(range.address, range.into))
        std::fill(range.into.begin(), range.into.end(), std::byte{0});
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] < functions[i].first_line || lines[i] > functions[i].last_line) lines[i] = 0;
  }
  return lines;
}

void reader::put_runs(const stack_sample& sample, managed_stack& into) {
  std::vector<std::uint64_t> addresses;
  for (const auto& frame : frames_) addresses.push_back(frame.function);
  const auto functions = functions_.at(addresses);
  const auto lines = lines_of(sample, functions);
  bool open = false;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (!open) into.runs.emplace_back();
    into.runs.back().push_back({functions[i].id, lines[i], false});
    open = !(frames_[i].top && functions[i].user);
  }
}

}  // namespace stallscope::php_frames
