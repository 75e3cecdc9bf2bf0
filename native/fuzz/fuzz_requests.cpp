// Any bytes end in requests or in one error, the same however they arrive in pieces, and every word
// lies within the input. The first byte says how the bytes are cut, and which limits hold.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "require.hpp"
#include "resp/request_parser.hpp"

namespace {

using namespace stallscope::resp;

struct reading {
  std::vector<std::string> words;  // of all requests, each behind its count
  std::string error;
  bool operator==(const reading&) const = default;
};

void note_request(const request_parser& parser, const std::string& input, reading& parsed) {
  parsed.words.push_back(std::to_string(parser.words().size()));
  require(!parser.words().empty());
  // Pointers into different objects compare only so.
  const std::less_equal<const char*> up_to;
  for (const std::string_view word : parser.words()) {
    require(up_to(input.data(), word.data()));
    require(up_to(word.data() + word.size(), input.data() + parser.consumed()));
    parsed.words.emplace_back(word);
  }
}

reading read(std::string_view text, std::size_t step, const request_limits& limits,
             bool authenticated) {
  request_parser parser(limits);
  parser.set_authenticated(authenticated);
  reading parsed;
  std::string held;
  while (true) {
    std::string input(held.data(), held.size());  // elsewhere each time, and exactly as long
    const parse_status status = parser.parse(input);
    if (status == parse_status::error) {
      require(parser.error().starts_with("Protocol error: "));
      parsed.error = parser.error();
      return parsed;
    }
    if (status == parse_status::incomplete) {
      require(parser.consumed() == 0);
      if (text.empty()) return parsed;
      held = input + std::string(text.substr(0, step));
      text.remove_prefix(std::min(step, text.size()));
      continue;
    }
    require(parser.consumed() > 0 && parser.consumed() <= input.size());
    if (status == parse_status::request) note_request(parser, input, parsed);
    held = input.substr(parser.consumed());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = 1 + data[0] % 31;
  const bool small = (data[0] & 0x20U) != 0;
  const request_limits limits =
      small ? request_limits{.bulk_bytes = 64, .words = 4, .request_bytes = 128} : request_limits{};
  const bool authenticated = (data[0] & 0x40U) != 0;
  const reading whole = read(text, text.size() + 1, limits, authenticated);
  require(whole == read(text, step, limits, authenticated));
  return 0;
}
