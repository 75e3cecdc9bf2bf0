// Any bytes are an HTTP request, the same however they arrive in pieces, or none; and the parts of
// its first line lie within the bytes. The first byte chooses how the bytes are cut.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "require.hpp"
#include "server/shards/http_request.hpp"

namespace {

using stallscope::server::http_request;

struct reading {
  http_request::state state = http_request::state::incomplete;
  bool has_line = false;
  std::string method;
  std::string target;
  bool operator==(const reading&) const = default;
};

reading read(std::string_view bytes, std::size_t step) {
  http_request request;
  reading made;
  while (!bytes.empty() && made.state == http_request::state::incomplete) {
    const std::string piece(bytes.substr(0, step));  // a copy of its exact size
    made.state = request.append(piece);
    bytes.remove_prefix(piece.size());
  }
  const auto line = request.line();
  if (made.state != http_request::state::complete || !line) return made;
  require(line->method.find(' ') == std::string_view::npos);
  require(line->target.find_first_of(" ?") == std::string_view::npos);
  made.has_line = true;
  made.method = line->method;
  made.target = line->target;
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const reading whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole == read(bytes, 1 + data[0] % 67U));
  if (whole.state == http_request::state::too_large)
    require(bytes.size() > http_request::max_bytes);
  return 0;
}
