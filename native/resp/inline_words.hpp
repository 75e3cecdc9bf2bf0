// Splits an inline command line into words, as redis does. White space separates words. Double
// quotes understand \n \r \t \b \a \xHH and \<any>, single quotes understand \'. The line is
// unescaped in place (a word never grows), so words are views into it. One pass, no allocation
// besides `words`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace stallscope::resp {

// Returns false if a quote is not closed or is followed by something other than white space.
bool split_inline(std::span<char> line, std::vector<std::string_view>& words);

}  // namespace stallscope::resp
