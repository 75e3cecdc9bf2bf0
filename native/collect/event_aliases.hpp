// Identifiers of events that are opened again for each window. The header of a recording is written
// before, so it names the events that were open then; records of later ones get their identifiers.
// Keeps those of the last 1,024 openings. Costs a look-up under a lock. Any thread.
//
//   aliases.add(opened);
//   if (const auto id = aliases.find(sample.id)) record.replace_u64(8, *id);
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace stallscope::collect {

class event_aliases {
 public:
  struct alias {
    std::uint64_t id = 0;
    std::uint64_t id_in_header = 0;
  };

  // Adds the events of one opening, before they record.
  void add(std::span<const alias> opened);
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t id) const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::vector<std::uint64_t>> openings_;
  std::unordered_map<std::uint64_t, std::uint64_t> ids_in_header_;
};

}  // namespace stallscope::collect
