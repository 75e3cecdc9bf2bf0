#include "load/sequence_check.hpp"

#include <charconv>

namespace stallscope::load {
namespace {

constexpr std::size_t max_missing = 1'024;

}  // namespace

void check_counts::add(const check_counts& other) noexcept {
  sent += other.sent;
  in_order += other.in_order;
  lost += other.lost;
  doubled += other.doubled;
  reordered += other.reordered;
  foreign += other.foreign;
}

std::string sequence_check::next_token() {
  ++counts_.sent;
  return owner_ + ":" + std::to_string(next_sent_++);
}

void sequence_check::received(std::string_view token) {
  std::uint64_t number = 0;
  const bool ours =
      token.size() > owner_.size() && token.starts_with(owner_) && token[owner_.size()] == ':';
  const auto digits = ours ? token.substr(owner_.size() + 1) : token;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!ours || error != std::errc{} || end != digits.data() + digits.size() ||
      number >= next_sent_) {
    ++counts_.foreign;
  } else if (number >= next_expected_) {
    counts_.lost += number - next_expected_;
    for (; next_expected_ < number; ++next_expected_) {
      if (missing_.size() < max_missing) missing_.insert(next_expected_);
    }
    ++next_expected_;
    ++counts_.in_order;
  } else if (missing_.erase(number) != 0) {
    --counts_.lost;
    ++counts_.reordered;
  } else {
    ++counts_.doubled;
  }
}

void sequence_check::answered_otherwise() {
  if (next_expected_ < next_sent_) ++next_expected_;
}

void sequence_check::give_up() {
  counts_.lost += next_sent_ - next_expected_;
  forget();
}

void sequence_check::forget() {
  next_expected_ = next_sent_;
  missing_.clear();
}

}  // namespace stallscope::load
