#include "v8_frames/reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::v8_frames {
namespace {

using managed_frames::managed_frame;
using managed_frames::managed_segment;
using managed_frames::managed_stack;
using managed_frames::stack_sample;
using managed_frames::walk_result;

// Fields of a frame below its frame pointer (v8dbg_off_fp_*; the same in all versions).
constexpr std::uint64_t context_below = 8;  // or the type of the frame, as a small integer
constexpr std::uint64_t function_below = 16;
constexpr std::uint64_t bytecode_below = 32;
constexpr std::uint64_t offset_below = 40;

constexpr std::size_t max_frames = 1024;
constexpr std::size_t max_threads = 4096;
constexpr std::size_t max_bytecodes = 20'000;
constexpr std::size_t max_position_bytes = std::size_t{256} << 10U;
constexpr std::size_t max_inlined = 64;
// On arm64, JSEntry saves the registers of its native caller above its frame record
// (EntryFrameConstants::kCalleeSavedRegisterBytesPushedBeforeFpLrPair).
constexpr std::uint64_t saved_by_entry = std::uint64_t{18} * 8;
// How far the frame of native code that has no frame pointer is searched.
constexpr std::uint64_t max_scan_bytes = 8192;

}  // namespace

reader::reader(pid_t pid, const layout& fields, code_areas areas, managed_frames::function_log& log)
    : fields_{fields},
      heap_{process_reading::process_memory{pid}, fields_},
      functions_{heap_, fields_, log, pid},
      codes_{heap_, fields_, functions_},
      areas_{std::move(areas)} {}

walk_result reader::walk(const stack_sample& sample, managed_stack& into) {
  sample_ = &sample;
  functions_.begin_sample(sample.time_ns);
  if (threads_.size() > max_threads) threads_.clear();
  auto& last = threads_[sample.tid];
  last_ = &last;
  current_.frames.clear();
  current_.functions.clear();
  current_.leaf_fp = 0;
  check_code();
  const auto first = begin_at_leaf(into);
  if (first.valid) walk_frames(first, into);
  std::swap(last, current_);
  std::erase_if(into.segments, [](const auto& segment) { return segment.frames.empty(); });
  return walk_result::walked;
}

reader::physical_frame reader::frame_at(std::uint64_t pc, std::uint64_t fp) const {
  physical_frame frame{.pc = pc, .fp = fp};
  sample_->word(fp - function_below, frame.function);
  sample_->word(fp - bytecode_below, frame.bytecode);
  sample_->word(fp - offset_below, frame.offset);
  return frame;
}

const reader::read_frame* reader::known_frame(const physical_frame& frame) const {
  // Frames are in ascending order of their frame pointers.
  const auto at =
      std::lower_bound(last_->frames.begin(), last_->frames.end(), frame.fp,
                       [](const read_frame& read, std::uint64_t fp) { return read.frame.fp < fp; });
  return at != last_->frames.end() && at->frame == frame ? &*at : nullptr;
}

reader::start reader::begin_at_leaf(managed_stack& into) {
  const auto pc = sample_->pc();
  const auto place = areas_.of(pc);
  return place.area == code_area::file ? begin_in_native() : begin_in_code(place, into);
}

// Native code may use the frame pointer for other purposes. Then the first frame record above the
// stack pointer is taken that leads on to another one; the analyzer unwinds the native frames.
reader::start reader::begin_in_native() {
  const auto sp = sample_->stack_address;
  const auto end = sp + sample_->stack.size();
  const auto leads_on = [&](std::uint64_t fp, int depth) {
    for (int i = 0; i < depth; ++i) {
      std::uint64_t next = 0;
      std::uint64_t pc = 0;
      if (fp % 8 != 0 || !sample_->word(fp, next) || !sample_->return_address(fp + 8, pc) ||
          !areas_.is_code(pc - 1) || next <= fp)
        return false;
      if (next >= end) return true;
      fp = next;
    }
    return true;
  };
  const auto from = [&](std::uint64_t fp) {
    start at{0, fp + 16, 0, true};
    return sample_->word(fp, at.fp) && sample_->return_address(fp + 8, at.pc) ? at : start{};
  };
  constexpr int enough = 2;
  const auto fp = sample_->fp();
  // A leaf of native code that generated code called, and that has no record yet.
  std::uint64_t recorded = 0;
  sample_->return_address(fp + 8, recorded);
  if (const auto caller = linked_caller();
      caller.valid && caller.pc != recorded && areas_.of(caller.pc - 1).area != code_area::file)
    return caller;
  if (fp >= sp && leads_on(fp, enough)) return from(fp);
  for (std::uint64_t at = sp & ~std::uint64_t{7}; at < std::min(end, sp + max_scan_bytes);
       at += 8) {
    std::uint64_t next = 0;
    if (sample_->word(at, next) && next > at && next < end && leads_on(at, enough)) return from(at);
  }
  return {};
}

// The caller by the link register of arm64. Behind a call that has returned, the register has an
// address of the interrupted function itself.
reader::start reader::linked_caller() const {
  const auto link = sample_->link();
  return {link, sample_->stack_address, sample_->fp(), link != 0 && areas_.is_code(link - 1)};
}

// The return address of code that has not set up its frame yet, or no longer has it.
reader::start reader::caller_without_frame() const {
  if (sample_->is_arm64()) return linked_caller();
  const auto sp = sample_->stack_address;
  for (const std::uint64_t at : {sp, sp + 8}) {
    std::uint64_t pc = 0;
    if (sample_->word(at, pc) && areas_.is_code(pc - 1)) return {pc, at + 8, sample_->fp(), true};
  }
  return {};
}

bool reader::owns_frame(const generated_code& code, std::uint64_t fp) {
  const auto frame = frame_at(code.start, fp);
  const auto remember_leaf = [&] {
    current_.leaf_fp = fp;
    current_.leaf_code = code.start;
    current_.leaf_function = frame.function;
    return true;
  };
  if (last_->leaf_fp == fp && last_->leaf_code == code.start &&
      last_->leaf_function == frame.function)
    return remember_leaf();
  if (code.kind == code_kind::baseline) return frame.bytecode == code.deoptimization;
  if (!code.function) return true;
  const auto function = functions_.of_function(frame.function);
  return function && *function != *code.function ? false : remember_leaf();
}

reader::start reader::begin_in_code(const code_areas::place& place, managed_stack& into) {
  const auto pc = sample_->pc();
  const auto fp = sample_->fp();
  const auto sp = sample_->stack_address;
  const start at_frame{pc, sp, fp, true};
  managed_segment segment{.entry_pc = pc, .entry_sp = sp};
  if (place.area == code_area::generated) {
    const auto* code = codes_.at(pc);
    if (code == nullptr || owns_frame(*code, fp)) return at_frame;
    add_generated(*code, {.pc = pc}, true, segment.frames);
    into.segments.push_back(std::move(segment));
    return caller_without_frame();
  }
  if (place.code->interprets) return at_frame;
  const auto frame = frame_at(pc, fp);
  if (place.code->is_any && interpreted_at(frame)) return at_frame;
  std::uint64_t context = 0;
  sample_->word(fp - context_below, context);
  if (is_smi(context)) return at_frame;  // a frame of the builtin
  if (!interpreted_at(frame)) {
    const auto function = functions_.of_function(frame.function);
    if (!function || function->script == nullptr) return at_frame;
  }
  // A builtin without a frame, called by the JavaScript function whose frame this is.
  segment.frames.push_back({functions_.fixed(place.code->name, "builtin")});
  into.segments.push_back(std::move(segment));
  const auto linked = linked_caller();
  if (linked.valid && areas_.of(linked.pc - 1).code != place.code) return linked;
  start caller{pc, sp, fp, true};
  for (std::uint64_t at = sp; at < std::min(fp, sp + 256); at += 8) {
    std::uint64_t word = 0;
    if (!sample_->word(at, word) || !areas_.is_code(word - 1)) continue;
    caller.pc = word;
    break;
  }
  return caller;
}

void reader::check_code() {
  pcs_.assign(1, sample_->pc());
  std::uint64_t fp = sample_->fp();
  for (std::size_t count = 0; count < max_frames && fp % 8 == 0; ++count) {
    std::uint64_t next = 0;
    std::uint64_t pc = 0;
    if (!sample_->word(fp, next) || !sample_->return_address(fp + 8, pc) || next <= fp) break;
    fp = next;
    if (known_frame(frame_at(pc, fp)) == nullptr) pcs_.push_back(pc - 1);
  }
  codes_.check_again(pcs_, sample_->time_ns);
}

void reader::walk_frames(start at, managed_stack& into) {
  // Native code calls JavaScript through JSEntry only.
  const auto caller_sp = [this](std::uint64_t sp) {
    return sample_->is_arm64() ? sp + saved_by_entry : sp;
  };
  bool open = !into.segments.empty();  // the last segment continues
  bool exact = at.pc == sample_->pc();
  for (std::size_t count = 0; count < max_frames; ++count) {
    const auto frame = frame_at(at.pc, at.fp);
    read_frame result{frame};
    functions_of_frame_.clear();
    if (const auto* unchanged = exact ? nullptr : known_frame(frame)) {
      result.managed = unchanged->managed;
      const auto begin = last_->functions.begin() + static_cast<std::ptrdiff_t>(unchanged->first);
      functions_of_frame_.assign(begin, begin + static_cast<std::ptrdiff_t>(unchanged->count));
    } else {
      result.managed = functions_of(frame, exact, functions_of_frame_);
    }
    if (result.managed) {
      if (!open) into.segments.push_back({.entry_pc = at.pc, .entry_sp = at.sp});
      auto& frames = into.segments.back().frames;
      frames.insert(frames.end(), functions_of_frame_.begin(), functions_of_frame_.end());
      open = true;
    } else if (open) {
      auto& segment = into.segments.back();
      segment.exit_pc = at.pc;
      segment.exit_sp = caller_sp(at.sp);
      segment.exit_fp = at.fp;
      open = false;
    }
    if (!exact) {
      result.first = current_.functions.size();
      result.count = functions_of_frame_.size();
      current_.functions.insert(current_.functions.end(), functions_of_frame_.begin(),
                                functions_of_frame_.end());
      current_.frames.push_back(result);
    }
    exact = false;
    std::uint64_t next = 0;
    std::uint64_t pc = 0;
    if (at.fp % 8 != 0 || !sample_->word(at.fp, next) || !sample_->return_address(at.fp + 8, pc) ||
        pc == 0)
      break;
    at.pc = pc;
    at.sp = at.fp + 16;
    if (next <= at.fp) {
      at.fp = next;
      if (open) {
        auto& segment = into.segments.back();
        segment.exit_pc = pc;
        segment.exit_sp = caller_sp(at.sp);
        segment.exit_fp = next;
        open = false;
      }
      break;
    }
    at.fp = next;
  }
  if (open) {
    auto& segment = into.segments.back();
    segment.exit_pc = managed_frames::not_copied;
    segment.exit_sp = ~std::uint64_t{0};
  }
}

bool reader::functions_of(const physical_frame& frame, bool exact, frames& into) {
  const auto place = areas_.of(exact ? frame.pc : frame.pc - 1);
  if (place.area == code_area::generated) {
    if (const auto* code = codes_.at(exact ? frame.pc : frame.pc - 1)) {
      areas_.note_generated(frame.pc);
      add_generated(*code, frame, exact, into);
    } else {
      into.push_back({functions_.unnamed("code not found")});
    }
    return true;
  }
  const bool may_interpret = place.area == code_area::builtin || place.offset != 0;
  if (may_interpret) {
    if (const auto function = interpreted_at(frame)) {
      const bool is_interpreter =
          place.code == nullptr || place.code->interprets || place.code->is_any;
      if (is_interpreter || exact) {
        into.push_back(
            {functions_.id_of(function->function, code_kind::interpreted), function->line});
        return true;
      }
    }
  }
  if (place.code == nullptr) return false;
  into.push_back({functions_.fixed(place.code->name, "builtin")});
  return true;
}

void reader::add_generated(const generated_code& code, const physical_frame& frame, bool exact,
                           frames& into) {
  switch (code.kind) {
    case code_kind::maglev:
    case code_kind::turbofan:
      add_optimized(code, frame.pc, exact, into);
      return;
    case code_kind::regexp:
      into.push_back({functions_.fixed("RegExp code", "regexp")});
      return;
    case code_kind::other:
      into.push_back({functions_.fixed("V8 code", "other")});
      return;
    default:
      break;
  }
  const auto function = function_with(frame.function, code.deoptimization);
  into.push_back({function ? functions_.id_of(*function, code_kind::baseline)
                           : functions_.unnamed("function not readable")});
}

void reader::add_optimized(const generated_code& code, std::uint64_t pc, bool exact, frames& into) {
  const auto offset = static_cast<std::int64_t>(pc - code.start) - (exact ? 0 : 1);
  auto position = code.positions.at(offset).value_or(source_position{});
  for (std::size_t i = 0; i < max_inlined && position.inlining >= 0; ++i) {
    if (static_cast<std::size_t>(position.inlining) >= code.calls.size()) break;
    const auto& call = code.calls[static_cast<std::size_t>(position.inlining)];
    const auto index = static_cast<std::size_t>(call.function);
    const auto function = call.function >= 0 && index < code.literals.size() ? code.literals[index]
                          : call.function == -1                              ? code.function
                                                                             : std::nullopt;
    if (function) {
      const auto line =
          function->script != nullptr ? function->script->line_at(position.offset) : 0;
      into.push_back({functions_.id_of(*function, code.kind), line, true});
    } else {
      into.push_back({functions_.unnamed("inlined function not readable"), 0, true});
    }
    position = decode_position(call.position);
  }
  if (!code.function) {
    into.push_back({functions_.unnamed("function not readable")});
    return;
  }
  const auto* script = code.function->script;
  into.push_back({functions_.id_of(*code.function, code.kind),
                  script != nullptr ? script->line_at(position.offset) : 0});
}

std::optional<reader::interpreted_function> reader::interpreted_at(const physical_frame& frame) {
  if (!is_pointer(frame.bytecode) || !is_pointer(frame.function) || !is_smi(frame.offset))
    return std::nullopt;
  const auto* bytecode = bytecode_at(frame.bytecode);
  if (bytecode == nullptr) return std::nullopt;
  const auto function = function_with(frame.function, frame.bytecode);
  if (!function) return std::nullopt;
  interpreted_function result{*function};
  const auto offset = std::int64_t{smi_value(frame.offset)} - fields_.bytecode_data + 1;
  const auto position = bytecode->positions.at(offset);
  if (position && function->script != nullptr)
    result.line = function->script->line_at(position->offset);
  return result;
}

std::optional<known_function> reader::function_with(std::uint64_t function,
                                                    std::uint64_t bytecode) {
  const auto result = functions_.of_function(function);
  auto* code = bytecode_at(bytecode);
  if (!result || code == nullptr) return result;
  const bool same = !code->function || functions_.equal(*code->function, *result);
  code->function = result;
  return same ? result : std::nullopt;
}

reader::bytecode_positions* reader::bytecode_at(std::uint64_t bytecode) {
  if (!is_pointer(bytecode)) return nullptr;
  if (bytecodes_.size() >= max_bytecodes && !bytecodes_.contains(bytecode)) bytecodes_.clear();
  auto& cached = bytecodes_[bytecode];
  if (cached.read_ns == 0 || cached.read_ns < sample_->time_ns) {
    std::array<std::byte, 40> array{};
    cached.read_ns = monotonic_ns();
    cached.valid = false;
    if (fields_.version.bytecode_positions + 8 > array.size() ||
        !heap_.read(address_of(bytecode), array))
      return nullptr;
    const auto type = heap_.type_of_map(value_at<std::uint64_t>(array, 0));
    if (!type || *type != fields_.bytecode_type) return nullptr;
    cached.valid = true;
    const auto encoded = value_at<std::uint64_t>(array, fields_.version.bytecode_positions);
    if (cached.encoded != encoded) {
      cached.encoded = encoded;
      cached.function.reset();
      const auto bytes = heap_.bytes(encoded, max_position_bytes);
      cached.positions = bytes ? position_table{*bytes} : position_table{};
    }
  }
  return cached.valid ? &cached : nullptr;
}

}  // namespace stallscope::v8_frames
