// Matches names against patterns such as "save*" or "max[mn]emory?", ignoring case. Cost: at most
// the length of the pattern times the length of the name.
#pragma once

#include <string_view>

namespace stallscope::server {

bool glob_match(std::string_view pattern, std::string_view name);

}  // namespace stallscope::server
