#include "server/shards/request_marks.hpp"

#include <algorithm>
#include <array>

namespace stallscope::server {

void request_marker::begin(request_words words) noexcept {
  constexpr std::size_t max_name = 32;
  std::array<char, max_name + 1> name{};
  if (!words.empty()) {
    const auto letters = words.front().substr(0, max_name);
    std::transform(letters.begin(), letters.end(), name.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
    });
  }
  current_ = (shard_ + 1) << 48U | ++count_;
  stallscope_request_begin(current_, name.data());
}

}  // namespace stallscope::server
