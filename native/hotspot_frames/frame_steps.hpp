// Steps from a frame of generated code to its caller, by what is known of the frame. Each returns
// false if a word was not copied. Pure computation.
//
//   if (return_by_size(blob.frame_bytes, now, sample)) { ... }  // `now` is the caller
#pragma once

#include "hotspot_frames/java_walker.hpp"
#include "hotspot_frames/prologue.hpp"

namespace stallscope::hotspot_frames {

// The return address and the caller's frame pointer are at the top of the frame.
bool return_by_size(std::uint64_t bytes, frame_position& now,
                    const managed_frames::stack_sample& sample);
bool return_by_pointer(frame_position& now, const managed_frames::stack_sample& sample);
// There is no frame: the return address is at the stack pointer, on arm64 in the link register.
bool return_without_frame(const frame_conventions& frames, frame_position& now,
                          const managed_frames::stack_sample& sample);
// Leaves a frame that is only partly built, or partly removed.
bool return_by_progress(const frame_conventions& frames, const frame_progress& progress,
                        frame_position& now, const managed_frames::stack_sample& sample);

}  // namespace stallscope::hotspot_frames
