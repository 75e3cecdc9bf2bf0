#include "hotspot_frames/java_walker.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "hotspot_frames/forwarding.hpp"
#include "hotspot_frames/frame_steps.hpp"
#include "hotspot_frames/prologue.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

using managed_frames::managed_frame;
using managed_frames::stack_sample;
using process_reading::value_at;

constexpr std::size_t max_frames = 4096;
constexpr std::size_t max_cached_addresses = 65'536;
constexpr int attempts = 3;
constexpr int max_forwarders = 4;
constexpr std::uint64_t max_pushed = 2;
constexpr std::uint64_t longest_pause_ns = 100'000'000;

code_kind kind_of(const code_blob& blob) {
  constexpr int first_c2_level = 4;
  if (blob.kind == blob_kind::native_wrapper) return code_kind::native_wrapper;
  return blob.level >= first_c2_level ? code_kind::c2 : code_kind::c1;
}

}  // namespace

frame_position leaf_of(const stack_sample& sample, const frame_conventions& frames) {
  const auto& registers = sample.registers;
  return {.pc = sample.pc(),
          .sp = sample.stack_address,
          .fp = sample.fp(),
          .is_leaf = true,
          .link = sample.link(),
          .method = registers.at(frames.method_register),
          .sender_sp = registers.at(frames.sender_sp_register),
          .bytecode = registers.at(frames.bytecode_register)};
}

java_walker::java_walker(const process_memory& memory, const vm_layout& layout, pid_t pid,
                         managed_frames::function_log& log)
    : memory_{&memory},
      layout_{&layout},
      pid_{pid},
      log_{&log},
      code_{memory, layout},
      methods_{memory, layout, pid, log},
      scopes_{memory, layout} {}

bool java_walker::prepare() {
  // The code heaps exist before the call stub is generated.
  return memory_->read_value(layout_->call_stub_return, call_stub_return_) &&
         call_stub_return_ != 0 && code_.read_heaps();
}

void frame_history::begin_sample(std::uint64_t now_ns) {
  previous_.swap(current_);
  current_.clear();
  if (now_ns - current_ns_ > longest_pause_ns) previous_.clear();
  current_ns_ = now_ns;
}

bool frame_history::add(const frame_position& at, std::uint64_t method) {
  const entry added{at.sp, at.pc, method};
  current_.push_back(added);
  const auto same = std::lower_bound(previous_.begin(), previous_.end(), added,
                                     [](const entry& a, const entry& b) { return a.sp < b.sp; });
  return same != previous_.end() && same->sp == at.sp && same->pc == at.pc &&
         same->method == method && !at.is_leaf;
}

// Code and methods are taken from caches during the walk and compared with the process once at its
// end. If one was replaced, the walk is repeated.
walk_end java_walker::walk(frame_position& now, const stack_sample& sample, frame_history& history,
                           std::vector<managed_frame>& into, std::uint64_t& entry_frame) {
  const std::size_t before = into.size();
  const std::size_t history_before = history.size();
  const frame_position start = now;
  history_ = &history;
  walk_end end = walk_end::invalid_frame;
  for (int i = 0; i < attempts; ++i) {
    into.resize(before);
    history.shorten(history_before);
    used_blobs_.clear();
    used_methods_.clear();
    now = start;
    end = walk_once(now, sample, into, entry_frame);
    if (used_is_unchanged()) break;
  }
  return end;
}

bool java_walker::used_is_unchanged() {
  std::sort(used_blobs_.begin(), used_blobs_.end());
  used_blobs_.erase(std::unique(used_blobs_.begin(), used_blobs_.end()), used_blobs_.end());
  std::sort(used_methods_.begin(), used_methods_.end());
  used_methods_.erase(std::unique(used_methods_.begin(), used_methods_.end()), used_methods_.end());
  if (used_blobs_.empty() && used_methods_.empty()) return true;
  ranges_.clear();
  code_.add_identities(used_blobs_, ranges_);
  methods_.add_identities(used_methods_, ranges_);
  const auto read_ns = monotonic_ns();
  if (memory_->read(ranges_)) {
    const bool same_code = code_.compare_identities(used_blobs_, read_ns);
    return methods_.compare_identities(true, read_ns) && same_code;
  }
  const bool same_code = used_blobs_.empty() || code_.unchanged(used_blobs_);
  return (used_methods_.empty() || methods_.unchanged(used_methods_)) && same_code;
}

walk_end java_walker::walk_once(frame_position& now, const stack_sample& sample,
                                std::vector<managed_frame>& into, std::uint64_t& entry_frame) {
  const std::size_t limit = into.size() + max_frames;
  while (code_.owns(now.pc)) {
    if (into.size() >= limit) return walk_end::too_deep;
    const code_blob* const cached = code_.find(now.pc);
    if (cached == nullptr) return walk_end::unknown_code;
    const code_blob blob = *cached;  // a step may look up other code, which may remove this one
    if (now.pc == call_stub_return_) {
      entry_frame = now.fp;
      return return_by_pointer(now, sample) ? walk_end::call_stub : walk_end::cut_by_copy;
    }
    // On arm64 a leaf without a frame leaves the stack pointer where it is.
    const std::uint64_t lowest = now.is_leaf ? now.sp : now.sp + 1;
    bool moved = false;
    if (blob.has_method()) {
      if (!history_->add(now, blob.method) && blob.checked_ns < sample.time_ns)
        used_blobs_.push_back({blob.address, blob.generation});
      moved = step_compiled(blob, now, sample, into);
    } else if (blob.kind == blob_kind::interpreter) {
      moved = step_interpreter(now, sample, into);
    } else if (blob.kind == blob_kind::stub_routines && !now.is_leaf) {
      return walk_end::frames_in_heap;  // the stub that returns to frames in the heap
    } else {
      moved = step_stub(blob, now, sample, into);
    }
    if (!moved) {
      const bool beyond = std::max(now.sp, now.fp) >= sample.stack_address + sample.stack.size() ||
                          now.sp + blob.frame_bytes > sample.stack_address + sample.stack.size();
      return beyond ? walk_end::cut_by_copy : walk_end::invalid_frame;
    }
    if (now.sp < lowest) return walk_end::invalid_frame;
    now.is_leaf = false;
  }
  return walk_end::native_caller;
}

bool java_walker::step_compiled(const code_blob& blob, frame_position& now,
                                const stack_sample& sample, std::vector<managed_frame>& into) {
  // A frame that will be deoptimized returns to the handler and keeps its true address.
  std::uint64_t true_pc = now.pc;
  if (!now.is_leaf && now.pc == blob.deopt_handler &&
      (!sample.word(now.sp + blob.orig_pc_offset, true_pc) || !blob.contains(true_pc)))
    true_pc = now.pc;
  append_compiled(blob, true_pc, into);
  if (!now.is_leaf) return return_by_size(blob.frame_bytes, now, sample);
  const auto& frames = layout_->frames;
  if (now.pc < blob.verified_entry || blob.verified_entry < blob.code_begin)
    return return_without_frame(frames, now, sample);
  const auto code = code_.code(blob);
  const auto entry = static_cast<std::size_t>(
      std::min<std::uint64_t>(blob.verified_entry - blob.code_begin, code.size()));
  const auto complete = std::max(blob.frame_complete, blob.verified_entry) - blob.verified_entry;
  const auto progress = progress_at(frames.arch, code.subspan(entry),
                                    static_cast<std::size_t>(now.pc - blob.verified_entry),
                                    static_cast<std::size_t>(complete));
  return progress.complete ? return_from_body(blob, now, sample)
                           : return_by_progress(frames, progress, now, sample);
}

// Code that the compiler has for a method of a library, such as String.compareTo, may have pushed
// registers. Compiled methods are called by generated code only.
bool java_walker::return_from_body(const code_blob& blob, frame_position& now,
                                   const stack_sample& sample) {
  for (std::uint64_t pushed = 0; pushed <= max_pushed; ++pushed) {
    frame_position caller = now;
    caller.sp += pushed * word;
    if (!return_by_size(blob.frame_bytes, caller, sample) || !code_.owns(caller.pc)) continue;
    now = caller;
    return true;
  }
  return return_by_size(blob.frame_bytes, now, sample);
}

void java_walker::append_compiled(const code_blob& blob, std::uint64_t pc,
                                  std::vector<managed_frame>& into) {
  auto& cached = compiled_[pc];
  if (cached.content.empty() || cached.blob != blob.address ||
      cached.generation != blob.generation) {
    if (compiled_.size() > max_cached_addresses) {
      compiled_.clear();
      return append_compiled(blob, pc, into);
    }
    cached = {blob.address, blob.generation, {}};
    const auto kind = kind_of(blob);
    const auto methods = kind == code_kind::native_wrapper
                             ? std::vector<method_position>{{blob.method, -1}}
                             : methods_at(blob, pc);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const auto* const facts = methods_.find(methods[i].method);
      const auto line = facts == nullptr ? 0U : facts->line_of(methods[i].bytecode);
      cached.content.push_back(
          {methods_.function(methods[i].method, kind), line, i + 1 < methods.size()});
    }
  }
  into.insert(into.end(), cached.content.begin(), cached.content.end());
}

// Without debug information, a method that only forwards to another one has inlined it.
std::vector<method_position> java_walker::methods_at(const code_blob& blob, std::uint64_t pc) {
  auto methods = scopes_.at(blob, pc, code_.code(blob));
  if (methods.size() > 1 || methods.front().bytecode >= 0) return methods;
  for (int i = 0; i < max_forwarders; ++i) {
    const auto callee = forwarded_method(*memory_, *layout_, methods.front().method);
    if (!callee || methods_.find(*callee) == nullptr) break;
    methods.insert(methods.begin(), {*callee, -1});
  }
  return methods;
}

void java_walker::append_method(const frame_position& at, const interpreted_method& frame,
                                std::uint64_t sample_ns, std::vector<managed_frame>& into) {
  if (!history_->add(at, frame.method) && methods_.checked_ns(frame.method) < sample_ns)
    used_methods_.push_back(frame.method);
  const auto* const facts = methods_.find(frame.method);
  const auto line = facts == nullptr ? 0U : facts->line_of(frame.bytecode);
  into.push_back({methods_.function(frame.method, code_kind::interpreted), line, false});
}

// A leaf has the address of its bytecode in a register; a frame stores it only when it calls.
java_walker::interpreted_method java_walker::interpreted_at(const frame_position& now,
                                                            const stack_sample& sample) {
  interpreted_method result;
  std::uint64_t method = 0;
  std::uint64_t bytecode = 0;
  const auto& frames = layout_->frames;
  if (now.fp < now.sp || !sample.word(now.fp - frames.method_below_fp, method) ||
      !sample.word(now.fp - frames.bytecode_below_fp, bytecode))
    return result;
  const auto* const facts = methods_.find(method);
  if (facts == nullptr) return result;
  if (now.is_leaf && facts->bytecode_at(now.bytecode) >= 0) bytecode = now.bytecode;
  result.bytecode = facts->bytecode_at(bytecode);
  if (result.bytecode >= 0 || facts->bytecode_bytes == 0) result.method = method;
  return result;
}

bool java_walker::is_consistent(const frame_position& caller, const stack_sample& sample) {
  const auto* const blob = code_.find(caller.pc);
  return blob != nullptr &&
         (blob->kind != blob_kind::interpreter || interpreted_at(caller, sample).method != 0);
}

std::optional<std::uint64_t> java_walker::caller_of_wrapper(const frame_position& at,
                                                            const stack_sample& sample) {
  const auto* const blob = code_.find(at.pc);
  if (blob == nullptr || blob->kind != blob_kind::native_wrapper || at.pc <= blob->verified_entry)
    return std::nullopt;
  frame_position caller = at;
  if (!return_by_size(blob->frame_bytes, caller, sample) || !owns(caller.pc) ||
      !is_consistent(caller, sample))
    return std::nullopt;
  return caller.sp;
}

// A leaf may be at the entry of a method, before its frame exists: then the method and the stack
// pointer of the caller are in registers.
bool java_walker::step_interpreter(frame_position& now, const stack_sample& sample,
                                   std::vector<managed_frame>& into) {
  const auto frame = interpreted_at(now, sample);
  if (frame.method == 0 && now.is_leaf && methods_.find(now.method) != nullptr) {
    append_method(now, {now.method, 0}, sample.time_ns, into);
    const std::uint64_t caller_sp = now.sender_sp;
    if (!return_without_frame(layout_->frames, now, sample)) return false;
    now.sp = std::max(now.sp, caller_sp);
    return true;
  }
  if (frame.method != 0) {
    append_method(now, frame, sample.time_ns, into);
  } else {
    into.push_back({unnamed("its interpreter frame has no method"), 0, false});
  }
  std::uint64_t caller_sp = 0;
  if (now.fp < now.sp || !sample.word(now.fp - layout_->frames.sender_sp_below_fp, caller_sp) ||
      !return_by_pointer(now, sample))
    return false;
  now.sp = std::max(now.sp, caller_sp);
  return true;
}

std::uint64_t java_walker::stub(std::string_view name) {
  auto& id = stubs_[std::string{name}];
  if (id == 0) {
    id = log_->add(pid_, {std::u32string{name.begin(), name.end()}, {}, 0, "stub", {}});
  }
  return id;
}

std::uint64_t java_walker::unnamed(const char* reason) {
  auto& id = stubs_[reason];
  if (id == 0) id = log_->add(pid_, {{}, {}, 0, "interpreted", reason});
  return id;
}

}  // namespace stallscope::hotspot_frames
