// Builds perf records in memory, for events that the kernel does not record itself. Appends to one
// growing buffer. One thread.
//
//   record_buffer out;
//   put_comm(out, {pid, tid}, "redis-server");
//   file.append(out.bytes());
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/procfs.hpp"
#include "collect/build_id.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::collect {

class record_buffer {
 public:
  // Starts a record. The previous record must have been ended.
  void begin(std::uint32_t type, std::uint16_t misc = 0);
  void begin(perf_format::user_record type, std::uint16_t misc = 0) {
    begin(static_cast<std::uint32_t>(type), misc);
  }
  template <class T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  void put_bytes(std::span<const std::byte> bytes);
  // Writes the text with a terminating zero, padded with zeros to a multiple of the alignment. Text
  // longer than PATH_MAX is cut.
  void put_padded(std::string_view text, std::size_t alignment = 8);
  // The trailer of every record but samples with sample_id_all. The time is 0, before all samples.
  void put_sample_id(pid_t pid, pid_t tid);
  // Completes the record: fills in its size.
  void end();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t start_ = 0;
};

struct thread_identity {
  pid_t pid = 0;
  pid_t tid = 0;
  pid_t parent_pid = 0;
  pid_t parent_tid = 0;
};

void put_comm(record_buffer& out, const thread_identity& thread, std::string_view name);
void put_fork(record_buffer& out, const thread_identity& thread);
void put_mapping(record_buffer& out, pid_t pid, const memory_mapping& mapping, const build_id& id);

}  // namespace stallscope::collect
