// Follows the numbered ECHO requests of one connection: which replies are lost, doubled, out of
// order or another connection's. Some 30 ns a reply while all is in order; remembers 1,024 missing
// numbers at most. One thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace stallscope::load {

struct check_counts {
  std::uint64_t sent = 0;
  std::uint64_t in_order = 0;
  std::uint64_t lost = 0;
  std::uint64_t doubled = 0;
  std::uint64_t reordered = 0;
  std::uint64_t foreign = 0;  // not what this connection ever sent

  [[nodiscard]] std::uint64_t wrong() const noexcept {
    return lost + doubled + reordered + foreign;
  }
  void add(const check_counts& other) noexcept;
};

class sequence_check {
 public:
  // `owner` tells this connection from all others, also from those of other loaders.
  explicit sequence_check(std::string owner) : owner_{std::move(owner)} {}

  // What the next request carries.
  std::string next_token();
  // A reply's content.
  void received(std::string_view token);
  // The reply was an error: told as such, not as lost.
  void answered_otherwise();
  // The run is over: what has not come is lost.
  void give_up();
  // The connection is gone, and what was under way with it: that is told as such, not as lost.
  void forget();

  [[nodiscard]] const check_counts& counts() const noexcept { return counts_; }

 private:
  std::string owner_;
  std::uint64_t next_sent_ = 0;
  std::uint64_t next_expected_ = 0;
  std::set<std::uint64_t> missing_;  // counted as lost so far
  check_counts counts_;
};

}  // namespace stallscope::load
