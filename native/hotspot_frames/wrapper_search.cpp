#include "hotspot_frames/wrapper_search.hpp"

#include <algorithm>

#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {
namespace {

constexpr std::uint64_t searched_bytes = 4096;
constexpr std::size_t enough_frames = 4;  // before another end than the call stub

}  // namespace

// An old return address may be anywhere, but its callers lead nowhere.
bool has_java_callers(java_walker& walker, frame_position from,
                      const managed_frames::stack_sample& sample) {
  frame_history unused;
  std::vector<managed_frames::managed_frame> frames;
  std::uint64_t entry_frame = 0;
  switch (walker.walk(from, sample, unused, frames, entry_frame)) {
    case walk_end::call_stub:
      return true;
    case walk_end::frames_in_heap:
    case walk_end::cut_by_copy:
      return frames.size() >= enough_frames;
    default:
      return false;
  }
}

// Below the return address may be one of an earlier call, so the last one with the same caller
// counts.
std::optional<frame_position> find_wrapper_frame(java_walker& walker,
                                                 const managed_frames::stack_sample& sample) {
  std::optional<frame_position> last;
  std::optional<std::uint64_t> caller_sp;
  std::uint64_t end = sample.stack_address + searched_bytes;
  for (std::uint64_t at = sample.stack_address; at < end; at += word) {
    frame_position now{.sp = at + word};
    if (!sample.word(at, now.pc)) break;
    const auto caller = walker.owns(now.pc) ? walker.caller_of_wrapper(now, sample) : std::nullopt;
    if (!caller || (caller_sp && *caller != *caller_sp)) continue;
    last = now;
    caller_sp = caller;
    end = std::min(end, *caller);
  }
  return last && has_java_callers(walker, *last, sample) ? last : std::nullopt;
}

}  // namespace stallscope::hotspot_frames
