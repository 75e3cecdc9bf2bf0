// Writes records for threads, names and mappings that existed before the events were opened. Reads
// the build id of each file once. Costs some reads of /proc per thread: 5,000 threads take 0.1 s.
// Files of a process may block, so the collector runs this in a helper (target_reader). One thread.
//
//   synthesizer writer{proc, [&](auto bytes) { file.append(bytes); }, with_tables, between};
//   writer.process(pid);
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "collect/record_buffer.hpp"

namespace stallscope::collect {

class synthesizer {
 public:
  // With `with_tables`, read-only file mappings are written besides code. `between` is called after
  // each process and after every 256 threads. `write` receives whole records.
  using record_sink = std::function<void(std::span<const std::byte>)>;
  synthesizer(const procfs& proc, record_sink write, bool with_tables,
              std::function<void()> between)
      : proc_{&proc},
        write_{std::move(write)},
        with_tables_{with_tables},
        between_{std::move(between)} {}
  // Writes the threads and mappings of a process. Writes nothing if it has ended.
  void process(pid_t pid);

 private:
  void mappings(pid_t pid);
  void flush();
  const build_id& id_of(pid_t pid, const memory_mapping& mapping);

  // The path is part of the key, because inode numbers are reused after deletion.
  using file_key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::string>;
  const procfs* proc_;
  record_sink write_;
  bool with_tables_;
  std::function<void()> between_;
  record_buffer buffer_;
  std::map<file_key, build_id> ids_;
};

}  // namespace stallscope::collect
