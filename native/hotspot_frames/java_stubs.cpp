// The steps of a walk through stubs, which have neither methods nor scopes.
#include "hotspot_frames/frame_steps.hpp"
#include "hotspot_frames/java_walker.hpp"
#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {

using managed_frames::managed_frame;
using managed_frames::stack_sample;
using process_reading::value_at;

bool java_walker::step_stub(const code_blob& blob, frame_position& now, const stack_sample& sample,
                            std::vector<managed_frame>& into) {
  into.push_back({stub(blob.name), 0, false});
  return leave_stub(blob, now, sample);
}

// Whether the instruction before a return address calls code of the blob: `call` with a distance,
// or with an address in r10.
bool java_walker::calls_into(const code_blob& blob, std::uint64_t return_address) {
  constexpr std::size_t distance_bytes = 4;
  constexpr std::size_t call_r10_bytes = 3;
  constexpr std::byte call{0xe8};
  const auto* const caller = code_.owns(return_address) ? code_.find(return_address) : nullptr;
  if (caller == nullptr || return_address < caller->code_begin) return false;
  const auto code = code_.code(*caller);
  const auto offset = static_cast<std::size_t>(return_address - caller->code_begin);
  if (offset > code.size()) return false;
  if (offset > distance_bytes && code[offset - distance_bytes - 1] == call) {
    const auto distance = value_at<std::int32_t>(code, offset - distance_bytes);
    if (blob.contains(return_address + static_cast<std::uint64_t>(std::int64_t{distance})))
      return true;
  }
  return offset >= call_r10_bytes + word &&
         blob.contains(value_at<std::uint64_t>(code, offset - call_r10_bytes - word));
}

// Stub routines have frame pointers; vtable stubs have no frame; other stubs have the frame size of
// their blob. Where a stub begins is not known, so the prologue of a leaf is recognised by the call
// before the return address.
bool java_walker::leave_stub(const code_blob& blob, frame_position& now,
                             const stack_sample& sample) {
  const auto& frames = layout_->frames;
  if (blob.kind == blob_kind::vtable_stubs) return return_without_frame(frames, now, sample);
  if (now.is_leaf && frames.is_arm64()) {
    // The record of a stub that has called nothing yet repeats the link register.
    std::uint64_t recorded = 0;
    const bool has_record = blob.contains(now.link) ||
                            (now.fp >= now.sp && sample.return_address(now.fp + word, recorded) &&
                             recorded == now.link);
    if (!has_record) return return_without_frame(frames, now, sample);
  } else if (now.is_leaf) {
    std::uint64_t top = 0;
    std::uint64_t next = 0;
    if (sample.word(now.sp, top) && calls_into(blob, top))
      return return_without_frame(frames, now, sample);
    const bool at_second = sample.word(now.sp + word, next) && calls_into(blob, next);
    const auto progress = progress_at(frames.arch, code_.code(blob),
                                      static_cast<std::size_t>(now.pc - blob.code_begin), 0);
    if (at_second) return return_by_progress(frames, {false, word, true}, now, sample);
    if (!progress.complete) return return_by_progress(frames, progress, now, sample);
  }
  return blob.frame_bytes >= 2 * word ? return_by_size(blob.frame_bytes, now, sample)
                                      : return_by_pointer(now, sample);
}

}  // namespace stallscope::hotspot_frames
