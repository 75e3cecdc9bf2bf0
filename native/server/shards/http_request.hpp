// The request of an HTTP client, as far as the metrics endpoint needs it: the first line. Headers
// are read and ignored; a body is not read.
//
//   http_request request;
//   switch (request.append(received)) { case http_request::state::complete: ... }
//   if (request.target() == "/metrics") ...
//
// Cost: a copy of the bytes and a search in them. Memory: at most max_bytes and one append().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stallscope::server {

class http_request {
 public:
  static constexpr std::size_t max_bytes = 8192;

  enum class state : std::uint8_t {
    incomplete,  // more bytes are needed
    complete,
    too_large,  // there is no end within max_bytes
  };

  struct first_line {
    std::string_view method;
    std::string_view target;  // without the query after '?'
  };

  state append(std::string_view bytes);
  // Nothing if it is not METHOD TARGET HTTP/1.x.
  [[nodiscard]] std::optional<first_line> line() const;

 private:
  std::string bytes_;
};

}  // namespace stallscope::server
