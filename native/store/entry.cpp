#include "store/entry.hpp"

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace stallscope::store {

namespace {
constexpr std::size_t allocator_head_bytes = sizeof(std::size_t);
constexpr std::size_t small_bytes = 128;  // smaller entries may waste half of their room
}  // namespace

entry* entry::make(std::string_view key, std::string_view value) {
  void* memory = std::malloc(sizeof(entry) + key.size() + value.size());
  if (memory == nullptr) throw std::bad_alloc();
  auto* made = new (memory) entry{static_cast<std::uint32_t>(key.size()),
                                  static_cast<std::uint32_t>(value.size()), 0, never};
  if (!key.empty()) std::memcpy(made->bytes(), key.data(), key.size());
  if (!value.empty()) std::memcpy(made->bytes() + key.size(), value.data(), value.size());
  return made;
}

void entry::free(entry* held) { std::free(held); }

std::size_t entry::allocated_bytes() const {
  return ::malloc_usable_size(const_cast<entry*>(this)) + allocator_head_bytes;
}

bool entry::overwrite(std::string_view value) {
  const std::size_t needed = sizeof(entry) + key_bytes + value.size();
  const std::size_t room = ::malloc_usable_size(this);
  if (needed > room || (room > small_bytes && needed < room / 2)) return false;
  if (!value.empty()) std::memmove(bytes() + key_bytes, value.data(), value.size());
  value_bytes = static_cast<std::uint32_t>(value.size());
  return true;
}

}  // namespace stallscope::store
