// How a path claims its own command among all requests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "server/paths/path.hpp"

namespace stallscope::server {

// Command names are case-insensitive; `name` is in lower case.
inline bool is_named(const request_call& call, std::string_view name) {
  return !call.words.empty() &&
         std::ranges::equal(call.words[0], name, [](char actual, char expected) {
           return (actual >= 'A' && actual <= 'Z' ? static_cast<char>(actual - 'A' + 'a')
                                                  : actual) == expected;
         });
}

// Claims the request if it is the command and the client may send it.
inline bool claim(request_call& call, std::string_view name) {
  call.claimed = call.may_claim && is_named(call, name);
  return call.claimed;
}

}  // namespace stallscope::server
