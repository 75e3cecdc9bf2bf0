// Stores every distinct rule and expression of a table once. Costs a hash lookup per row. A pool
// belongs to a single thread.
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

  // Returns the number of the rule for a state with the return address in this column. Returns 0 if
  // the pool is full, which does not happen with compiler output.
  std::uint32_t number_of(const frame_state& state, std::uint8_t return_column,
                          bool is_signal_frame);
  // Returns the offset of this expression in the pool, -1 if it exceeds the length limit.
  std::int32_t offset_of(std::span<const std::byte> expression);

 private:
  struct slot {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  // 0: free
  };
  [[nodiscard]] bool describes(const rule& existing, const rule& candidate,
                               const frame_state& state) const noexcept;
  std::uint32_t add(rule candidate, const frame_state& state);
  void grow();

  table_reader::content& into_;
  std::vector<slot> slots_;  // size is a power of two
  std::size_t used_ = 0;
  std::unordered_map<std::string, std::int32_t> offsets_;
};

}  // namespace stallscope::unwind
