#include "value_log/key_index.hpp"

#include <cstring>
#include <string>
#include <utility>
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

key_index::room::room(key_index& index, std::string_view key)
    : index_(&index), entry_(entry::make(key, bytes_of(location{}))) {
  try {
    index.table_.reserve();
  } catch (...) {
    entry::free(entry_);
    throw;
  }
}

key_index::room::room(room&& other) noexcept
    : index_(other.index_), entry_(std::exchange(other.entry_, nullptr)) {}

key_index::room::~room() {
  if (entry_ == nullptr) return;
  entry::free(entry_);
  index_->table_.drop_reservation();
}

void key_index::set(std::string_view key, const location& where) {
  if (const auto* slot = table_.find(key, hash_of(key)); slot != nullptr) {
    replace(*slot->held, where);
  } else {
    set(key, where, make_room(key));
  }
}

void key_index::set(std::string_view key, const location& where, room reserved) noexcept {
  const std::uint64_t hash = hash_of(key);
  if (const auto* slot = table_.find(key, hash); slot != nullptr) {
    replace(*slot->held, where);
    return;
  }
  entry* made = std::exchange(reserved.entry_, nullptr);
  write_location(*made, where);
  deleted_ += where.deleted() ? 1U : 0U;
  table_.insert_reserved(made, hash);
  entry_bytes_ += made->allocated_bytes();
}

void key_index::update(std::string_view key, const location& where) noexcept {
  replace(*table_.find(key, hash_of(key))->held, where);
}

// The size is unchanged, so it fits.
void key_index::write_location(entry& to, const location& where) noexcept {
  std::memcpy(const_cast<char*>(to.value().data()), &where, sizeof where);
}

void key_index::replace(entry& held, const location& where) noexcept {
  deleted_ += where.deleted() ? 1U : 0U;
  deleted_ -= read_location(held).deleted() ? 1U : 0U;
  write_location(held, where);
}

void key_index::erase(std::string_view key) noexcept {
  if (auto* slot = table_.find(key, hash_of(key)); slot != nullptr) remove(slot);
}

void key_index::remove(store::entry_table::slot* at) noexcept {
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

void key_index::clear() noexcept {
  table_.for_each([](entry* held) { entry::free(held); });
  table_.clear();
  entry_bytes_ = deleted_ = 0;
}

}  // namespace stallscope::value_log
