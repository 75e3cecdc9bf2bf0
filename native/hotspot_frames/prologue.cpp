#include "hotspot_frames/prologue.hpp"

#include "hotspot_frames/prologue_by_architecture.hpp"

namespace stallscope::hotspot_frames {

frame_progress progress_at(unwind::architecture arch, std::span<const std::byte> code,
                           std::size_t offset, std::size_t complete) {
  return arch == unwind::architecture::arm64 ? of_arm64::progress_at(code, offset, complete)
                                             : of_x86_64::progress_at(code, offset, complete);
}

bool returns_between(unwind::architecture arch, std::span<const std::byte> code, std::size_t begin,
                     std::size_t end) {
  return arch == unwind::architecture::arm64 ? of_arm64::returns_between(code, begin, end)
                                             : of_x86_64::returns_between(code, begin, end);
}

}  // namespace stallscope::hotspot_frames
