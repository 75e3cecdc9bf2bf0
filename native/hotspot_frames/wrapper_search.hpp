// The Java frame behind a short native call, which has ended before the thread's anchor is read,
// and whose code may use the frame pointer otherwise. The return address into the wrapper of the
// native method is still in the copied stack. Reads at most 4 KiB of the copy; the walker looks at
// each word that lies in generated code.
//
//   const auto first = find_wrapper_frame(walker, sample);  // where the walk of Java frames begins
#pragma once

#include <optional>

#include "hotspot_frames/java_walker.hpp"

namespace stallscope::hotspot_frames {

// Whether the callers of a frame are generated code up to the call stub, to the frames of a virtual
// thread in the heap, or to the end of the copy.
bool has_java_callers(java_walker& walker, frame_position from,
                      const managed_frames::stack_sample& sample);

std::optional<frame_position> find_wrapper_frame(java_walker& walker,
                                                 const managed_frames::stack_sample& sample);

}  // namespace stallscope::hotspot_frames
