// Records for what was there before the events were opened: threads, their names, what they have
// mapped. Reads each file's build id once.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "collect/record_buffer.hpp"
#include "collect/sample_file.hpp"

namespace stallscope::collect {

class synthesizer {
 public:
  // With tables: mappings of files that are only read are told as well, not code alone. Calls
  // between after each process, and every so many threads: rings fill meanwhile.
  synthesizer(const procfs& proc, sample_file& file, bool with_tables,
              std::function<void()> between)
      : proc_{&proc}, file_{&file}, with_tables_{with_tables}, between_{std::move(between)} {}
  // Threads and mappings of a process; nothing where it is gone.
  void process(pid_t pid);
  void all_processes();

 private:
  void mappings(pid_t pid);
  void flush();
  const build_id& id_of(pid_t pid, const memory_mapping& mapping);

  // By path as well: a number of an inode is given again when its file is gone.
  using file_key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::string>;
  const procfs* proc_;
  sample_file* file_;
  bool with_tables_;
  std::function<void()> between_;
  record_buffer buffer_;
  std::map<file_key, build_id> ids_;
};

}  // namespace stallscope::collect
