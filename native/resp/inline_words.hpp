// Splits a line typed by hand into words, as redis does: words are parted by white space; double
// quotes know \n \r \t \b \a \xHH and \<any>, single quotes know \'. Unescapes in place (a word
// never grows), so the words are views into the line. One pass.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace stallscope::resp {

// False when a quote is not closed, or is followed by something else than white space.
bool split_inline(std::span<char> line, std::vector<std::string_view>& words);

}  // namespace stallscope::resp
