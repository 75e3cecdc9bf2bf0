#include "server/shards/http_request.hpp"

namespace stallscope::server {

http_request::state http_request::append(std::string_view bytes) {
  bytes_.append(bytes.substr(0, max_bytes + 1 - bytes_.size()));
  const std::size_t end = bytes_.find("\r\n\r\n");
  if (end != std::string::npos) {
    bytes_.resize(end + 4);
    return state::complete;
  }
  return bytes_.size() > max_bytes ? state::too_large : state::incomplete;
}

std::optional<http_request::first_line> http_request::line() const {
  const std::string_view line = std::string_view(bytes_).substr(0, bytes_.find("\r\n"));
  const std::size_t first = line.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(' ', first + 1);
  if (second == std::string_view::npos || !line.substr(second + 1).starts_with("HTTP/1.")) {
    return std::nullopt;
  }
  const std::string_view target = line.substr(first + 1, second - first - 1);
  return first_line{line.substr(0, first), target.substr(0, target.find('?'))};
}

}  // namespace stallscope::server
