#include "capture/deferred_stacks.hpp"

#include "capture/error.hpp"
#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

constexpr std::uint64_t waiting_sample_bytes = 48;

}  // namespace

void deferred_stacks::add(std::uint32_t sample) {
  budget_.charge(waiting_sample_bytes);
  waiting_.insert({raw_.deferred_cookie(), {sample, raw_.has_frames()}});
}

void deferred_stacks::join(const record& current, bool swap, sample_columns& samples) {
  wire_cursor cursor(current.payload, swap, current.offset);
  const auto cookie = cursor.take<std::uint64_t>("cookie of a deferred call chain");
  const auto count = cursor.take<std::uint64_t>("length of a deferred call chain");
  if (count > current.payload.size() / 8) {
    throw capture_error("a deferred call chain is longer than its record", current.offset);
  }
  const auto chain = cursor.take_bytes(count * 8, "deferred call chain");
  const auto [first, last] = waiting_.equal_range(cookie);
  for (auto entry = first; entry != last; ++entry) {
    std::uint32_t& stack = samples.stack[entry->second.sample];
    stack = raw_.extended(stack, entry->second.has_frames, chain, swap);
    budget_.release(waiting_sample_bytes);
  }
  waiting_.erase(first, last);
}

}  // namespace stallscope::capture
