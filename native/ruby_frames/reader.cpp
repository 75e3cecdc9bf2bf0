#include "ruby_frames/reader.hpp"

#include <utility>

namespace stallscope::ruby_frames {
namespace {

using managed_frames::managed_stack;
using managed_frames::stack_sample;
using managed_frames::walk_result;
using process_reading::value_at;

constexpr std::size_t max_frames = 4096;
constexpr std::size_t max_environments = 64;

// An environment (vm_core.h): the words before it are the method entry and the outer environment.
constexpr std::uint64_t method_before = 16;
constexpr std::uint64_t outer_before = 8;
constexpr std::uint64_t tag_mask = 3;
constexpr std::uint64_t is_local = 2;
constexpr std::uint64_t is_first_of_call = 0x20;  // VM_FRAME_FLAG_FINISH
constexpr std::uint64_t kind_mask = 0x7fff0001;
constexpr std::uint64_t kind_cfunc = 0x55550001;
constexpr std::uint64_t kind_ifunc = 0x66660001;
// Internal objects: RBasic.flags.
constexpr std::uint64_t internal_type_mask = 0x1f;
constexpr std::uint64_t type_internal = 0x1a;
constexpr unsigned internal_kind_shift = 12;
constexpr std::uint64_t internal_kind_mask = 0xf;
constexpr std::uint64_t internal_variables = 2;
constexpr std::uint64_t internal_method = 6;
constexpr std::uint64_t variables_method = 8;

}  // namespace

reader::reader(pid_t pid, const layout& fields, std::uint64_t vm, objects names,
               managed_frames::function_log& log)
    : fields_{fields},
      memory_{pid},
      threads_{memory_, fields, vm},
      functions_{memory_, fields, std::move(names), log, pid},
      pages_{memory_} {}

walk_result reader::walk(const stack_sample& sample, managed_stack& into) {
  const auto context = threads_.context_of(sample.tid, sample.stack_address);
  if (!context) return walk_result::walked;
  const auto result = process_reading::read_structure(
      pages_, context->address + fields_.context_frame, [&] { return follow(*context); });
  if (result == outcome::missing) return walk_result::unreadable;
  if (result == outcome::torn) return walk_result::torn;
  put_runs(into);
  return walk_result::walked;
}

reader::outcome reader::follow(const execution_context& context) {
  frames_.clear();
  const auto first = pages_.anchor();
  if (first < context.frames_begin || first > context.frames_end || first % 8 != 0)
    return outcome::torn;
  std::size_t count = 0;
  auto result = outcome::whole;
  for (auto address = first; address + fields_.frame_bytes <= context.frames_end;
       address += fields_.frame_bytes) {
    if (++count > max_frames) return outcome::torn;
    const auto added = add_frame(address);
    // All missing pages of the stack are collected at once.
    if (added == outcome::torn) return pages_.missing() ? outcome::missing : added;
    if (added == outcome::missing) result = added;
  }
  return result;
}

reader::outcome reader::add_frame(std::uint64_t address) {
  const auto bytes = pages_.bytes(address, fields_.frame_bytes);
  if (bytes.empty()) return pages_.missing() ? outcome::missing : outcome::torn;
  frame read{.pc = value_at<std::uint64_t>(bytes, fields_.frame_pc),
             .code = {.sequence = value_at<std::uint64_t>(bytes, fields_.frame_iseq)}};
  const auto environment = value_at<std::uint64_t>(bytes, fields_.frame_environment);
  if (!frames_.empty() && (!pages_.same(address + fields_.frame_iseq, 8) ||
                           !pages_.same(address + fields_.frame_environment, 8)))
    return outcome::torn;
  const auto flags = pages_.word(environment);
  const auto method = flags ? method_of(environment) : std::nullopt;
  if (!method) return pages_.missing() ? outcome::missing : outcome::torn;
  read.code.method = *method;
  read.first_of_call = (*flags & is_first_of_call) != 0;
  const bool is_c_method = (*flags & kind_mask) == kind_cfunc;
  // The sequence of a block that is written in C is another object.
  if (is_c_method || (*flags & kind_mask) == kind_ifunc) read.code.sequence = 0;
  // Other frames without a sequence have no name: the outermost one, and blocks written in C.
  if (read.code.sequence != 0 || (is_c_method && read.code.method != 0)) frames_.push_back(read);
  return outcome::whole;
}

std::optional<std::uint64_t> reader::method_of(std::uint64_t environment) {
  for (std::size_t count = 0; count < max_environments; ++count) {
    const auto flags = pages_.word(environment);
    const auto object = pages_.word(environment - method_before);
    const auto outer = pages_.word(environment - outer_before);
    if (!flags || !object || !outer) return std::nullopt;
    const auto method = method_in(*object);
    if (!method || *method != 0 || (*flags & is_local) != 0) return method;
    environment = *outer & ~tag_mask;
  }
  return 0;
}

std::optional<std::uint64_t> reader::method_in(std::uint64_t object) {
  if (object == 0) return 0;
  std::uint64_t flags = 0;
  if (object % 8 != 0 || !memory_.read_value(object, flags)) return 0;
  const auto kind = (flags >> internal_kind_shift) & internal_kind_mask;
  if ((flags & internal_type_mask) != type_internal) return 0;
  if (kind == internal_method) return object;
  std::uint64_t inner = 0;
  if (kind != internal_variables || !memory_.read_value(object + variables_method, inner)) return 0;
  std::uint64_t inner_flags = 0;
  if (inner == 0 || inner % 8 != 0 || !memory_.read_value(inner, inner_flags)) return 0;
  const bool is_method =
      (inner_flags & internal_type_mask) == type_internal &&
      ((inner_flags >> internal_kind_shift) & internal_kind_mask) == internal_method;
  return is_method ? inner : 0;
}

void reader::put_runs(managed_stack& into) {
  std::vector<executed_code> codes;
  for (const auto& frame : frames_) codes.push_back(frame.code);
  const auto functions = functions_.at(codes);
  bool open = false;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const auto& function = functions[i];
    std::uint32_t line = 0;
    if (function.lines != nullptr && frames_[i].pc > function.first_instruction) {
      // The program counter is behind the instruction.
      line = function.lines->line_at((frames_[i].pc - function.first_instruction) / 8 - 1);
    }
    if (!open) into.runs.emplace_back();
    into.runs.back().push_back({function.id, line, false});
    open = !(frames_[i].first_of_call && frames_[i].code.sequence != 0);
  }
}

}  // namespace stallscope::ruby_frames
