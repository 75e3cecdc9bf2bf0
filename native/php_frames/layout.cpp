#include "php_frames/layout.hpp"

#include <algorithm>
#include <array>

#include "php_frames/versions/php_8_2.hpp"
#include "php_frames/versions/php_8_3.hpp"
#include "php_frames/versions/php_8_4.hpp"

namespace stallscope::php_frames {

std::optional<layout> layout_of(std::uint32_t module_api) {
  constexpr std::array<layout, 3> known{php_8_2, php_8_3, php_8_4};
  const auto* match = std::find_if(known.begin(), known.end(), [&](const layout& fields) {
    return fields.module_api == module_api;
  });
  return match == known.end() ? std::nullopt : std::optional{*match};
}

}  // namespace stallscope::php_frames
