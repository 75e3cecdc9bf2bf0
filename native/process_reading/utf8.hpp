// Decodes text of another process. Linear. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace stallscope::process_reading {

// Each byte that is not part of a valid sequence becomes U+FFFD.
std::u32string text_of_utf8(std::string_view bytes);

}  // namespace stallscope::process_reading
