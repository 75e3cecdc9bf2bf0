#include "collect/side_records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stallscope::collect {
namespace {

constexpr std::size_t min_compaction_bytes = std::size_t{1} << 20U;
// The trailer of every record but samples: thread, time, CPU, identifier. See sample_fields.
constexpr std::size_t time_before_end = 24;

template <class T>
T value_at(const std::byte* record, std::size_t offset) {
  T value{};
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

bool is_side_record(std::uint32_t type) {
  switch (type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
    case PERF_RECORD_COMM:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_FORK:
    case PERF_RECORD_NAMESPACES:
    case PERF_RECORD_KSYMBOL:
    case PERF_RECORD_BPF_EVENT:
    case PERF_RECORD_CGROUP:
    case PERF_RECORD_TEXT_POKE:
      return true;
    default:
      return false;
  }
}

bool is_mapping(std::uint32_t type) {
  return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
}

// A side record and its place.
struct entry {
  const std::byte* bytes;
  std::size_t size;
  std::uint32_t type;
  std::uint64_t time_ns;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::size_t life = 0;
  bool removed = false;
};

// A process from its fork to its end; pids are used again.
struct process_life {
  pid_t pid = 0;
  std::size_t parent = 0;
  bool has_parent = false;
  bool executed = false;
  bool ended = false;
  bool needed = false;  // by a child that has the mappings of this process
  // A process outside of the target has names only, and its end is not recorded.
  bool only_named = true;
  std::vector<entry*> mappings{};
};

class compaction {
 public:
  compaction(std::span<const std::byte> bytes, const std::function<bool(pid_t)>& lives)
      : has_other_threads_{&lives} {
    for (std::size_t at = 0; at + sizeof(perf_event_header) <= bytes.size();) {
      const auto* record = bytes.data() + at;
      const auto header = value_at<perf_event_header>(record, 0);
      entries_.push_back({record, header.size, header.type,
                          value_at<std::uint64_t>(record, header.size - time_before_end)});
      at += header.size;
    }
    std::ranges::stable_sort(entries_, {}, &entry::time_ns);
    follow_processes();
    remove_ended();
    remove_replaced_mappings();
  }

  // Appends the remaining records to `out`, without the oldest if they exceed the limit. Returns
  // how many were left out for the limit.
  std::uint64_t put(std::vector<std::byte>& out, std::size_t max_bytes) {
    std::erase_if(entries_, [](const entry& item) { return item.removed; });
    std::size_t size = 0;
    for (const auto& item : entries_) size += item.size;
    std::uint64_t left_out = 0;
    for (const auto& item : entries_) {
      if (size > max_bytes) {
        size -= item.size;
        ++left_out;
      } else {
        out.insert(out.end(), item.bytes, item.bytes + item.size);
      }
    }
    return left_out;
  }

 private:
  std::size_t life_of(std::uint32_t pid) {
    const auto [place, added] = lives_of_pids_.emplace(pid, lives_.size());
    if (added) lives_.emplace_back();
    return place->second;
  }

  void follow_processes() {
    for (auto& item : entries_) {
      if (item.type == PERF_RECORD_FORK || item.type == PERF_RECORD_EXIT) {
        item.pid = value_at<std::uint32_t>(item.bytes, 8);
        item.tid = value_at<std::uint32_t>(item.bytes, 16);
      } else if (is_mapping(item.type) || item.type == PERF_RECORD_COMM) {
        item.pid = value_at<std::uint32_t>(item.bytes, 8);
        item.tid = value_at<std::uint32_t>(item.bytes, 12);
      } else {
        continue;  // of no process
      }
      if (item.type == PERF_RECORD_FORK) note_fork(item);
      item.life = life_of(item.pid);
      if (item.type == PERF_RECORD_EXIT) note_exit(item);
      if (item.type == PERF_RECORD_COMM) note_name(item);
      if (is_mapping(item.type)) lives_[item.life].mappings.push_back(&item);
      auto& life = lives_[item.life];
      life.pid = static_cast<pid_t>(item.pid);
      life.only_named = life.only_named && item.type == PERF_RECORD_COMM;
    }
    for (auto& life : lives_) {
      if (life.only_named && life.pid != 0 && !(*has_other_threads_)(life.pid)) life.ended = true;
    }
  }

  void note_fork(const entry& item) {
    const auto parent = value_at<std::uint32_t>(item.bytes, 12);
    if (parent == item.pid) return;  // a new thread
    const auto parent_life = life_of(parent);
    lives_of_pids_[item.pid] = lives_.size();
    lives_.push_back({.parent = parent_life, .has_parent = true});
  }

  void note_exit(const entry& item) {
    if (item.pid == item.tid) {
      lives_[item.life].ended = !(*has_other_threads_)(static_cast<pid_t>(item.pid));
    } else {
      ended_threads_.insert({item.life, item.tid});
    }
  }

  void note_name(const entry& item) {
    const auto header = value_at<perf_event_header>(item.bytes, 0);
    if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return;
    auto& life = lives_[item.life];
    life.executed = true;
    // What the process mapped before is gone.
    for (auto* mapping : life.mappings) mapping->removed = true;
    life.mappings.clear();
  }

  void remove_ended() {
    // A child has a higher number than its parent.
    for (std::size_t i = lives_.size(); i-- > 0;) {
      const auto& life = lives_[i];
      const bool gone = life.ended && !life.needed;
      if (!gone && life.has_parent && !life.executed) lives_[life.parent].needed = true;
    }
    for (auto& item : entries_) {
      if (item.pid == 0) continue;
      const auto& life = lives_[item.life];
      const bool of_thread = item.tid != item.pid && !is_mapping(item.type);
      if ((life.ended && !life.needed) ||
          (of_thread && ended_threads_.contains({item.life, item.tid})))
        item.removed = true;
    }
  }

  void remove_replaced_mappings() {
    std::set<std::tuple<std::size_t, std::uint64_t, std::uint64_t>> later;
    std::for_each(entries_.rbegin(), entries_.rend(), [&later](entry& item) {
      if (item.removed || !is_mapping(item.type)) return;
      const auto address = value_at<std::uint64_t>(item.bytes, 16);
      const auto length = value_at<std::uint64_t>(item.bytes, 24);
      if (!later.insert({item.life, address, length}).second) item.removed = true;
    });
  }

  const std::function<bool(pid_t)>* has_other_threads_;
  std::vector<entry> entries_;
  std::vector<process_life> lives_;
  std::unordered_map<std::uint32_t, std::size_t> lives_of_pids_;
  std::set<std::pair<std::size_t, std::uint32_t>> ended_threads_;
};

}  // namespace

void side_records::take(std::span<const std::byte> records) {
  for (std::size_t at = 0; at + sizeof(perf_event_header) <= records.size();) {
    const auto* record = records.data() + at;
    const auto header = value_at<perf_event_header>(record, 0);
    if (header.size < sizeof(perf_event_header) || header.size > records.size() - at) return;
    if (is_side_record(header.type) && header.size >= 32 + time_before_end)
      bytes_.insert(bytes_.end(), record, record + header.size);
    at += header.size;
  }
  if (bytes_.size() >= compact_at_bytes_) compact();
}

void side_records::compact() {
  std::vector<std::byte> remaining;
  dropped_ += compaction{bytes_, lives_}.put(remaining, max_bytes_);
  bytes_ = std::move(remaining);
  compact_at_bytes_ = std::max(min_compaction_bytes, std::min(2 * bytes_.size(), 2 * max_bytes_));
}

}  // namespace stallscope::collect
