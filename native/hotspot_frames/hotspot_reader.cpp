#include "hotspot_frames/hotspot_reader.hpp"

#include <algorithm>
#include <unordered_map>

#include "hotspot_frames/java_threads.hpp"
#include "hotspot_frames/java_walker.hpp"
#include "hotspot_frames/native_exit.hpp"
#include "hotspot_frames/virtual_machine.hpp"
#include "hotspot_frames/words.hpp"
#include "hotspot_frames/wrapper_search.hpp"
#include "process_reading/native_ids.hpp"

namespace stallscope::hotspot_frames {
namespace {

using managed_frames::managed_segment;
using managed_frames::managed_stack;
using managed_frames::stack_sample;
using managed_frames::walk_result;

constexpr std::size_t max_segments = 64;
constexpr std::size_t max_histories = 4096;
constexpr std::size_t max_native_frames = 128;

class hotspot_reader final : public managed_frames::runtime_reader {
 public:
  hotspot_reader(const managed_frames::target_view& target, virtual_machine machine,
                 managed_frames::function_log& log)
      : memory_{target.memory},
        machine_{std::move(machine)},
        walker_{memory_, machine_.layout, target.pid, log},
        threads_{memory_, machine_.layout},
        thread_ids_{target.proc, target.pid} {
    for (const auto& mapping : target.mappings) executable_.push_back({mapping.start, mapping.end});
  }

  bool prepare() { return walker_.prepare(); }

  walk_result walk(const stack_sample& sample, managed_stack& into) override;
  // Code and methods do not move, and their identities are checked.
  [[nodiscard]] std::uint64_t longest_age_ns() const noexcept override { return 1'000'000'000; }

 private:
  struct extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] bool is_code(std::uint64_t address) const;
  std::optional<frame_position> first_java_frame(const stack_sample& sample);
  std::optional<frame_position> by_frame_pointers(const stack_sample& sample) const;
  std::optional<frame_position> by_anchor(const frame_anchor& anchor, const stack_sample& sample);
  std::optional<frame_position> before_call_stub(std::uint64_t entry_frame,
                                                 const stack_sample& sample);

  process_memory memory_;
  virtual_machine machine_;
  java_walker walker_;
  java_threads threads_;
  process_reading::native_ids thread_ids_;
  std::vector<extent> executable_;                      // in order of address
  std::unordered_map<pid_t, frame_history> histories_;  // by thread
};

bool hotspot_reader::is_code(std::uint64_t address) const {
  const auto after = std::upper_bound(
      executable_.begin(), executable_.end(), address,
      [](std::uint64_t value, const extent& candidate) { return value < candidate.begin; });
  return after != executable_.begin() && address < std::prev(after)->end;
}

// Most native code of a virtual machine keeps frame pointers. The chain is used only as long as
// every return address is in executable memory.
std::optional<frame_position> hotspot_reader::by_frame_pointers(const stack_sample& sample) const {
  frame_position now{.sp = sample.stack_address, .fp = sample.fp()};
  for (std::size_t i = 0; i < max_native_frames; ++i) {
    const std::uint64_t frame = now.fp;
    if (frame < now.sp || frame % word != 0 || !sample.word(frame, now.fp) ||
        !sample.word(frame + word, now.pc))
      return std::nullopt;
    now.sp = frame + 2 * word;
    if (walker_.owns(now.pc)) return now;
    if (!is_code(now.pc)) return std::nullopt;
  }
  return std::nullopt;
}

// An anchor is used if the copied stack agrees with it: the return address below its stack pointer
// is in the same code.
std::optional<frame_position> hotspot_reader::by_anchor(const frame_anchor& anchor,
                                                        const stack_sample& sample) {
  std::uint64_t below = 0;
  if (anchor.sp <= sample.stack_address || !sample.word(anchor.sp - word, below))
    return std::nullopt;
  const bool is_arm64 = machine_.layout.frames.is_arm64();
  if (is_arm64 && anchor.pc == 0) return std::nullopt;
  const std::uint64_t pc = anchor.pc == 0 ? below : anchor.pc;
  const auto* const blob = walker_.blob_at(pc);
  if (blob == nullptr) return std::nullopt;
  // On arm64 the called function keeps the return address.
  if (is_arm64) return frame_position{.pc = pc, .sp = anchor.sp, .fp = anchor.fp};
  const bool agrees = blob->contains(below) || blob->kind == blob_kind::interpreter;
  if (!agrees) return std::nullopt;
  return frame_position{.pc = blob->contains(below) ? below : pc, .sp = anchor.sp, .fp = anchor.fp};
}

std::optional<frame_position> hotspot_reader::first_java_frame(const stack_sample& sample) {
  if (machine_.layout.frames.is_arm64())
    return find_native_exit(walker_, sample, [this](std::uint64_t pc) { return is_code(pc); });
  const auto anchor = threads_.anchor_of(thread_ids_.of(sample.tid), sample.time_ns);
  const auto anchored = anchor ? by_anchor(*anchor, sample) : std::nullopt;
  auto chained = by_frame_pointers(sample);
  if (chained && !walker_.is_consistent(*chained, sample)) chained.reset();
  if (anchored && !(chained && chained->sp <= anchored->sp)) return anchored;
  return chained ? chained : find_wrapper_frame(walker_, sample);
}

// The call stub keeps the anchor of the Java code that called native code before.
std::optional<frame_position> hotspot_reader::before_call_stub(std::uint64_t entry_frame,
                                                               const stack_sample& sample) {
  std::uint64_t wrapper = 0;
  if (!sample.word(entry_frame - machine_.layout.frames.wrapper_below_fp, wrapper))
    return std::nullopt;
  const auto& layout = machine_.layout;
  const std::uint64_t address = wrapper + layout.wrapper_anchor;
  frame_anchor anchor;
  if (!sample.word(address + layout.anchor_sp, anchor.sp) ||
      !sample.word(address + layout.anchor_pc, anchor.pc) ||
      !sample.word(address + layout.anchor_fp, anchor.fp) || anchor.sp <= entry_frame)
    return std::nullopt;
  return by_anchor(anchor, sample);
}

walk_result hotspot_reader::walk(const stack_sample& sample, managed_stack& into) {
  if (histories_.size() > max_histories) histories_.clear();
  auto& history = histories_[sample.tid];
  history.begin_sample(sample.time_ns);
  auto now = leaf_of(sample, machine_.layout.frames);
  if (!walker_.owns(now.pc)) {
    const auto first = first_java_frame(sample);
    if (!first) return walk_result::walked;
    now = *first;
  }
  while (into.segments.size() < max_segments) {
    managed_segment segment{.entry_pc = now.pc, .entry_sp = now.sp};
    std::uint64_t entry_frame = 0;
    const auto end = walker_.walk(now, sample, history, segment.frames, entry_frame);
    if (segment.frames.empty()) break;
    const bool left = end == walk_end::native_caller || end == walk_end::call_stub;
    segment.exit_pc = left ? now.pc : managed_frames::not_copied;
    segment.exit_sp = left ? now.sp : sample.stack_address + sample.stack.size();
    segment.exit_fp = now.fp;
    into.segments.push_back(std::move(segment));
    if (end != walk_end::call_stub) break;
    const auto next = before_call_stub(entry_frame, sample);
    if (!next || next->sp <= now.sp) break;
    now = *next;
  }
  return walk_result::walked;
}

bool maps_libjvm(const managed_frames::target_view& target, process_reading::read_budget&) {
  return std::any_of(target.mappings.begin(), target.mappings.end(),
                     [](const auto& mapping) { return mapping.path.ends_with("/libjvm.so"); });
}

}  // namespace

managed_frames::runtime_kind hotspot_kind() {
  return {"hotspot", maps_libjvm,
          [](const managed_frames::target_view& target, managed_frames::function_log& log,
             process_reading::read_budget& budget) -> managed_frames::runtime_detection {
            auto search = find_virtual_machine(target, budget);
            managed_frames::runtime_detection result{search.present, {}, search.refusal};
            if (!search.match) return result;
            result.version = search.match->version;
            auto reader = std::make_unique<hotspot_reader>(target, *std::move(search.match), log);
            if (!reader->prepare()) return result;  // not started yet
            result.reader = std::move(reader);
            return result;
          }};
}

}  // namespace stallscope::hotspot_frames
