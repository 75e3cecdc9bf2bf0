// The Java frame that called native code, on arm64. Native code keeps frame records there, but a
// record lies at the bottom of its frame, so that the stack pointer of the caller is not known. For
// compiled code, the lowest stack pointer is used from which frame sizes lead through generated
// code. Searches at most 4 KiB of the copied stack, and walks from at most 8 places.
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
