#include "value_log/key_index.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace stallscope::value_log {
namespace {

using store::entry;

location read_location(const entry& held) {
  location where;
  std::memcpy(&where, held.value().data(), sizeof where);
  return where;
}

std::string_view bytes_of(const location& where) {
  return {reinterpret_cast<const char*>(&where), sizeof where};
}

}  // namespace

key_index::key_index() : seed_(store::random_seed()) {}

key_index::~key_index() { clear(); }

std::optional<location> key_index::find(std::string_view key) {
  const auto* slot = table_.find(key, hash_of(key));
  if (slot == nullptr) return std::nullopt;
  return read_location(*slot->held);
}

void key_index::set(std::string_view key, const location& where) {
  const std::uint64_t hash = hash_of(key);
  const auto* slot = table_.find(key, hash);
  deleted_ += where.deleted() ? 1U : 0U;
  if (slot != nullptr) {
    deleted_ -= read_location(*slot->held).deleted() ? 1U : 0U;
    // The size is unchanged, so it fits.
    std::memcpy(const_cast<char*>(slot->held->value().data()), &where, sizeof where);
    return;
  }
  entry* made = entry::make(key, bytes_of(where));
  table_.insert(made, hash);
  entry_bytes_ += made->allocated_bytes();
}

void key_index::erase(std::string_view key) {
  if (auto* slot = table_.find(key, hash_of(key)); slot != nullptr) remove(slot);
}

void key_index::remove(store::entry_table::slot* at) {
  entry* held = at->held;
  deleted_ -= read_location(*held).deleted() ? 1U : 0U;
  entry_bytes_ -= held->allocated_bytes();
  table_.erase(at);
  entry::free(held);
}

void key_index::erase_if(const std::function<bool(std::string_view, const location&)>& unwanted) {
  std::vector<std::string> keys;
  table_.for_each([&](const entry* held) {
    if (unwanted(held->key(), read_location(*held))) keys.emplace_back(held->key());
  });
  for (const std::string& key : keys) erase(key);
}

void key_index::clear() {
  table_.for_each([](entry* held) { entry::free(held); });
  table_.clear();
  entry_bytes_ = deleted_ = 0;
}

}  // namespace stallscope::value_log
