// Any bytes are replies or none, the same wherever a connection cuts them; and any file is one of
// requests, whose pieces put together are the file, or is refused.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.hpp"
#include "load/reply_parser.hpp"
#include "load/request_source.hpp"

namespace {

using stallscope::load::reply_parser;
using stallscope::load::request_file;

struct found {
  std::size_t end;
  char type;
  bool nil;
  std::string text;
  bool operator==(const found&) const = default;
};

void require(bool holds) {
  if (!holds) std::abort();
}

// The replies, and last, of type '?', where the bytes fail; `cut` says where pieces end.
std::vector<found> replies(std::string_view bytes, std::uint8_t cut) {
  reply_parser parser;
  std::vector<found> all;
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

void read_as_requests(std::string_view bytes) {
  try {
    const auto file = request_file::of_content(std::string(bytes), "fuzz");
    std::string again;
    for (std::size_t i = 0; i < file.size(); ++i) {
      require(file.request(i).starts_with('*'));
      again += file.request(i);
    }
    require(again == bytes);
  } catch (const stallscope::failure&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  require(replies(bytes, 0) == replies(bytes, data[0]));
  read_as_requests(bytes);
  return 0;
}
