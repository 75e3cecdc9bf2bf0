// Matches names against patterns such as "save*" or "max[mn]emory?"; letter case does not matter.
// Takes time in proportion to the pattern times the name, whatever the pattern.
#pragma once

#include <string_view>

namespace stallscope::server {

bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace stallscope::server
