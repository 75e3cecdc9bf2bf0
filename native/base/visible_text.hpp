// Makes text with untrusted names safe for a terminal: control characters, including C1 in UTF-8,
// and characters that change the writing direction become "?". Any thread.
#pragma once

#include <string>
#include <string_view>

namespace stallscope {

std::string visible_text(std::string_view text);

}  // namespace stallscope
