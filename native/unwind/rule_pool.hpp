// Keeps each rule and each expression of a table once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "unwind/frame_state.hpp"
#include "unwind/table_content.hpp"

namespace stallscope::unwind {

class rule_pool {
 public:
  explicit rule_pool(table_reader::content& into) : into_{into}, slots_(1024) {}

  // The number of the rule that a state describes, for a return address in this column; 0 where
  // the pool is full, which no compiler's output makes it.
  std::uint32_t number_of(const frame_state& state, std::uint8_t return_column,
                          bool is_signal_frame);
  // The place of this expression; -1 where it is longer than any sane one.
  std::int32_t place_of(std::span<const std::byte> expression);

 private:
  struct slot {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  // 0: free
  };
  [[nodiscard]] bool describes(const rule& kept, const rule& wanted,
                               const frame_state& state) const noexcept;
  std::uint32_t add(rule wanted, const frame_state& state);
  void grow();

  table_reader::content& into_;
  std::vector<slot> slots_;  // a power of two of them
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::int32_t> places_;
};

}  // namespace stallscope::unwind
