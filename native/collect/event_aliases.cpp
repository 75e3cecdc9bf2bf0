#include "collect/event_aliases.hpp"

namespace stallscope::collect {
namespace {

// A window is opened at most 25 times per second; a slow disk may delay the drain for 40 s.
constexpr std::size_t max_openings = 1024;

}  // namespace

void event_aliases::add(std::span<const alias> opened) {
  const std::lock_guard lock{mutex_};
  auto& ids = openings_.emplace_back();
  for (const auto& entry : opened) {
    ids.push_back(entry.id);
    ids_in_header_[entry.id] = entry.id_in_header;
  }
  if (openings_.size() <= max_openings) return;
  for (const auto id : openings_.front()) ids_in_header_.erase(id);
  openings_.pop_front();
}

std::optional<std::uint64_t> event_aliases::find(std::uint64_t id) const {
  const std::lock_guard lock{mutex_};
  const auto entry = ids_in_header_.find(id);
  return entry == ids_in_header_.end() ? std::nullopt : std::optional{entry->second};
}

}  // namespace stallscope::collect
