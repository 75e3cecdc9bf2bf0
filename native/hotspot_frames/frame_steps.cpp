#include "hotspot_frames/frame_steps.hpp"

#include "hotspot_frames/words.hpp"

namespace stallscope::hotspot_frames {

using managed_frames::stack_sample;

bool return_by_size(std::uint64_t bytes, frame_position& now, const stack_sample& sample) {
  const std::uint64_t top = now.sp + bytes;
  if (bytes < 2 * word || !sample.return_address(top - word, now.pc) ||
      !sample.word(top - 2 * word, now.fp))
    return false;
  now.sp = top;
  return true;
}

bool return_by_pointer(frame_position& now, const stack_sample& sample) {
  const std::uint64_t frame = now.fp;
  if (frame < now.sp || !sample.return_address(frame + word, now.pc) || !sample.word(frame, now.fp))
    return false;
  now.sp = frame + 2 * word;
  return true;
}

bool return_without_frame(const frame_conventions& frames, frame_position& now,
                          const stack_sample& sample) {
  if (frames.is_arm64()) {
    now.pc = now.link;
    return now.pc != 0;
  }
  if (!sample.return_address(now.sp, now.pc)) return false;
  now.sp += word;
  return true;
}

bool return_by_progress(const frame_conventions& frames, const frame_progress& progress,
                        frame_position& now, const stack_sample& sample) {
  if (frames.is_arm64() && progress.saved_fp) return return_by_size(progress.bytes, now, sample);
  if (progress.saved_fp && !sample.word(now.sp + progress.bytes - word, now.fp)) return false;
  now.sp += progress.bytes;
  return return_without_frame(frames, now, sample);
}

}  // namespace stallscope::hotspot_frames
