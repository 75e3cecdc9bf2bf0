// Reads the mappings and the mapped files of processes through a helper process. A file of a FUSE
// disk may block an open, a stat or a read for any time, even beyond SIGKILL; so the collector
// waits for an answer with a limit, and abandons a helper that does not answer. Its process is then
// excluded. Each call costs two context switches and a copy of the answer. A helper is started
// at the first call and after a failure. One thread.
//
//   target_reader reader{proc};
//   reader.write_records(pid, with_tables, [&](auto bytes) { file.append(bytes); });
//   for (auto& warning : reader.finish()) warnings.push_back(warning);
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "collect/process_exclusions.hpp"
#include "collect/target_requests.hpp"
#include "reader_process/child_process.hpp"
#include "unwind/table.hpp"

namespace stallscope::collect {

class target_reader {
 public:
  explicit target_reader(const procfs& proc) : proc_{proc}, exclusions_{proc} {}

  // Passes the records of a process's threads and mappings to `write`, in pieces of whole records.
  // `between` is called before each piece and while the reader waits.
  void write_records(pid_t pid, bool with_tables,
                     const std::function<void(std::span<const std::byte>)>& write,
                     const std::function<void()>& between);
  // Passes lines of waits.jsonl about a process's threads and descriptors to `write`. `moment` is
  // "start" or "end".
  void write_readings(pid_t pid, const std::string& moment,
                      const std::function<void(std::span<const std::byte>)>& write,
                      const std::function<void()>& between);
  // Returns the executable mappings of a process and the inode of its executable.
  code_mappings mappings_of(pid_t pid);
  // Returns the unwind table of a mapped file; nullopt if there is none or it cannot be read.
  std::optional<unwind::table> table_of(pid_t pid, const memory_mapping& mapping);
  // Returns whether the process runs CPython.
  bool runs_python(pid_t pid);
  // Returns the name of the managed runtime of a process, empty without one.
  std::string runtime_of(pid_t pid);

  // Ends the helpers. Returns the processes that were left out and the helpers that did not end.
  std::vector<warning> finish();

 private:
  struct ending_process {
    reader_process::child_process process;
    pid_t target = 0;
  };
  using piece_reader = std::function<void(std::vector<std::byte>&)>;
  // Returns false if there is no complete answer.
  bool request(const target_request& what, const piece_reader& on_piece,
               const std::function<void()>& between);
  std::vector<std::byte> answer(const target_request& what);
  bool start();
  bool receive(std::span<std::byte> into, const std::function<void()>& between);
  void give_up(pid_t target);

  procfs proc_;
  process_exclusions exclusions_;
  descriptor socket_;
  reader_process::child_process child_;
  std::size_t failures_ = 0;
  std::vector<ending_process> ending_;
  std::vector<warning> warnings_;
};

}  // namespace stallscope::collect
