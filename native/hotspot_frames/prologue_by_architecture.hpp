// The prologues of each architecture, for prologue.cpp.
#pragma once

#include "hotspot_frames/prologue.hpp"

namespace stallscope::hotspot_frames {
namespace of_x86_64 {

frame_progress progress_at(std::span<const std::byte> code, std::size_t offset,
                           std::size_t complete);
bool returns_between(std::span<const std::byte> code, std::size_t begin, std::size_t end);

}  // namespace of_x86_64
namespace of_arm64 {

frame_progress progress_at(std::span<const std::byte> code, std::size_t offset,
                           std::size_t complete);
bool returns_between(std::span<const std::byte> code, std::size_t begin, std::size_t end);

}  // namespace of_arm64
}  // namespace stallscope::hotspot_frames
