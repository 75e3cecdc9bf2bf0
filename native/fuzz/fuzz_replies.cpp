// Any bytes are replies or an error, the same however a connection cuts them. The first byte
// chooses how they are cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/reply_parser.hpp"
#include "require.hpp"

namespace {

using stallscope::load::reply_parser;

struct reply {
  std::size_t end;
  char type;
  bool nil;
  std::string text;
  bool operator==(const reply&) const = default;
};

// The replies, and last, of type '?', where the bytes fail; `cut` says where pieces end.
std::vector<reply> replies(std::string_view bytes, std::uint8_t cut) {
  reply_parser parser;
  std::vector<reply> all;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t piece = cut == 0 ? bytes.size() : 1 + at * 31 % cut;
    std::string_view part = bytes.substr(at, piece);
    while (!part.empty()) {
      const std::size_t used = parser.consume(part);
      require(used > 0 && used <= part.size());
      part.remove_prefix(used);
      at += used;
      require(parser.text().size() <= reply_parser::max_text);
      if (parser.failed()) {
        all.push_back({0, '?', false, ""});
        return all;
      }
      if (parser.complete()) {
        all.push_back({at, parser.type(), parser.is_nil(), std::string(parser.text())});
      }
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  require(replies(bytes, 0) == replies(bytes, data[0]));
  return 0;
}
