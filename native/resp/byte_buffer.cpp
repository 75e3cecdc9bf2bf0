#include "resp/byte_buffer.hpp"

#include <algorithm>
#include <new>

namespace stallscope::resp {

namespace {
constexpr std::size_t min_capacity = 1024;
}

bool byte_buffer::make_room(std::size_t bytes) {
  const std::size_t held = size();
  if (overflowed_ || bytes > limit_ || held > limit_ - bytes) {
    overflowed_ = true;
    return false;
  }
  // Moving the bytes is worth it if it frees at least as much as it copies.
  if (begin_ >= held && capacity_ - held >= bytes) {
    if (held != 0) std::memmove(memory_.get(), memory_.get() + begin_, held);
  } else {
    const std::size_t new_capacity =
        std::min(limit_, std::max({min_capacity, 2 * capacity_, held + bytes}));
    std::unique_ptr<char[]> larger(new (std::nothrow) char[new_capacity]);
    if (!larger) {
      overflowed_ = true;
      return false;
    }
    if (held != 0) std::memcpy(larger.get(), memory_.get() + begin_, held);
    memory_ = std::move(larger);
    capacity_ = new_capacity;
  }
  begin_ = 0;
  end_ = held;
  return true;
}

void byte_buffer::shrink(std::size_t keep) {
  if (!empty() || capacity_ <= keep) return;
  memory_.reset();
  capacity_ = 0;
}

}  // namespace stallscope::resp
