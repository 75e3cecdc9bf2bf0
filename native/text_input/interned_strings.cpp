#include "text_input/interned_strings.hpp"

#include <cstring>
#include <functional>

namespace stallscope::text_input {
namespace {

std::uint32_t hash_of(std::string_view text) {
  const std::uint64_t hash = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

std::uint32_t interned_strings::id_of(std::string_view text) {
  // Repeated runs of one benchmark often follow each other.
  if (!strings_.empty() && strings_[latest_] == text) {
    return latest_;
  }
  if (2 * (strings_.size() + 1) > slots_.size()) {
    grow();
  }
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      strings_.push_back(stored(text));
      hashes_.push_back(hash);
      slots_[slot] = static_cast<std::uint32_t>(strings_.size());
    } else if (hashes_[slots_[slot] - 1] != hash || strings_[slots_[slot] - 1] != text) {
      continue;
    }
    latest_ = slots_[slot] - 1;
    return latest_;
  }
}

void interned_strings::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < strings_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<std::uint32_t>(id + 1);
  }
}

std::string_view interned_strings::stored(std::string_view text) {
  if (text.size() > block_bytes / 4) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    std::memcpy(blocks_.back().get(), text.data(), text.size());
    return {blocks_.back().get(), text.size()};
  }
  if (text.size() > free_bytes_) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
    free_ = blocks_.back().get();
    free_bytes_ = block_bytes;
  }
  char* const copy = free_;
  if (!text.empty()) {
    std::memcpy(copy, text.data(), text.size());
  }
  free_ += text.size();
  free_bytes_ -= text.size();
  return {copy, text.size()};
}

}  // namespace stallscope::text_input
