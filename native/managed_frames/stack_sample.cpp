#include "managed_frames/stack_sample.hpp"

#include <cstring>

namespace stallscope::managed_frames {

bool stack_sample::word(std::uint64_t address, std::uint64_t& value) const noexcept {
  const std::uint64_t offset = address - stack_address;
  if (address < stack_address || offset > stack.size() || stack.size() - offset < sizeof value)
    return false;
  std::memcpy(&value, stack.data() + offset, sizeof value);
  return true;
}

}  // namespace stallscope::managed_frames
