#include "requests/request_file.hpp"

#include <algorithm>
#include <string_view>

namespace stallscope::requests {

std::array<char, 64> file_head() noexcept {
  constexpr std::string_view format = "stallscope.requests/1\n";
  std::array<char, 64> head{};
  std::copy(format.begin(), format.end(), head.begin());
  return head;
}

file_record record_of(const request_mark& mark, pid_t pid) noexcept {
  file_record record{mark.time_ns,
                     mark.id,
                     static_cast<std::uint32_t>(pid),
                     mark.tid,
                     static_cast<std::uint8_t>(mark.action),
                     mark.name_bytes};
  record.name = mark.name;
  return record;
}

}  // namespace stallscope::requests
