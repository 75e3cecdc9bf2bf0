// Text with strangers' names in it, for a terminal: control characters, those of C1 in UTF-8
// included, and those that turn the direction of writing become "?". Any thread.
#pragma once

#include <string>
#include <string_view>

namespace stallscope {

std::string visible_text(std::string_view text);

}  // namespace stallscope
