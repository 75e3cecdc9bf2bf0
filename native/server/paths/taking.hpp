// How a path takes its own command from among all requests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "server/paths/path.hpp"

namespace stallscope::server {

// Commands are named in any case; `name` is in lower case.
inline bool is_named(const request_call& call, std::string_view name) {
  return !call.words.empty() && std::ranges::equal(call.words[0], name, [](char given, char known) {
    return (given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given) == known;
  });
}

// Takes the request if it is the command and the client may send it.
inline bool take(request_call& call, std::string_view name) {
  call.taken = call.may_take && is_named(call, name);
  return call.taken;
}

}  // namespace stallscope::server
