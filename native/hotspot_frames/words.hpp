// The unit in which HotSpot counts frame sizes.
#pragma once

#include <cstdint>

namespace stallscope::hotspot_frames {

inline constexpr std::uint64_t word = 8;  // bytes

}  // namespace stallscope::hotspot_frames
