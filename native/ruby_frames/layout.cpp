#include "ruby_frames/layout.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ruby_frames/versions/ruby_3_1.hpp"

namespace stallscope::ruby_frames {

std::optional<layout> layout_of(std::string_view version, unwind::architecture arch) {
  const std::array<layout, 1> known{arch == unwind::architecture::arm64 ? ruby_3_1_arm64
                                                                        : ruby_3_1};
  const auto* match = std::find_if(known.begin(), known.end(), [&](const layout& fields) {
    const auto prefix = std::to_string(fields.major) + '.' + std::to_string(fields.minor) + '.';
    return version.starts_with(prefix);
  });
  return match == known.end() ? std::nullopt : std::optional{*match};
}

}  // namespace stallscope::ruby_frames
