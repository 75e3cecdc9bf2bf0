// The Java frame that called native code, on arm64. Native code keeps frame records there, but a
// record lies at the bottom of its frame, so that the stack pointer of the caller is not known. Of
// compiled code it is the next one at which the frame's size leads on to the call stub. Reads the
// copied stack; at most 4 KiB of it are searched.
//
//   const auto first = find_native_exit(walker, sample, [&](auto pc) { return is_code(pc); });
#pragma once

#include <functional>
#include <optional>

#include "hotspot_frames/java_walker.hpp"

namespace stallscope::hotspot_frames {

// `is_code`: whether an address is in executable memory of a file.
std::optional<frame_position> find_native_exit(java_walker& walker,
                                               const managed_frames::stack_sample& sample,
                                               const std::function<bool(std::uint64_t)>& is_code);

}  // namespace stallscope::hotspot_frames
