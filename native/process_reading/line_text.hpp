// Parts of a JSON line in ASCII. Text of other processes is untrusted: lone surrogates are written
// as \ud800 to \udfff, other invalid characters are replaced. Linear in the text. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stallscope::process_reading {

void put_text(std::string& out, std::u32string_view text);
// Writes the bytes as characters up to U+00FF: for names of this program and short ASCII text.
void put_word(std::string& out, std::string_view text);
// Writes "key":value.
void put_number(std::string& out, std::string_view key, std::uint64_t value);

}  // namespace stallscope::process_reading
