#include "collect/synthesize.hpp"

#include <sys/mman.h>

namespace stallscope::collect {
namespace {

// A process may have tens of thousands of mappings.
constexpr std::size_t max_buffered_bytes = std::size_t{256} << 10U;
// A process may have as many threads: 5,000 take 0.1 s, and several times that on a busy machine.
constexpr std::size_t threads_at_once = 256;

}  // namespace

void synthesizer::process(pid_t pid) {
  const auto status = proc_->status(pid);
  if (!status || status->tgid != pid) return;
  std::size_t count = 0;
  for (const pid_t tid : proc_->threads(pid)) {
    // The parent of a thread is unknown. Like perf, this assumes the main thread.
    thread_identity thread{pid, tid, pid, pid};
    if (tid == pid) thread.parent_pid = thread.parent_tid = status->parent;
    put_fork(buffer_, thread);
    put_comm(buffer_, thread, proc_->thread_name(pid, tid));
    if (++count % threads_at_once == 0) between_();
  }
  mappings(pid);
  flush();
  between_();
}

void synthesizer::flush() {
  write_(buffer_.bytes());
  buffer_.clear();
}

void synthesizer::mappings(pid_t pid) {
  proc_->visit_mappings(pid, [this, pid](const memory_mapping& mapping) {
    const bool code = (mapping.protection & PROT_EXEC) != 0;
    // perf's unwinder computes addresses from the mapping of a file's first page and reads the
    // tables through their mapping; both are often not executable.
    const bool tables = with_tables_ && mapping.inode != 0 && !mapping.shared &&
                        (mapping.protection & (PROT_READ | PROT_WRITE)) == PROT_READ;
    if (!code && !tables) return true;
    put_mapping(buffer_, pid, mapping, id_of(pid, mapping));
    if (buffer_.bytes().size() > max_buffered_bytes) flush();
    return true;
  });
}

const build_id& synthesizer::id_of(pid_t pid, const memory_mapping& mapping) {
  const file_key key{mapping.major, mapping.minor, mapping.inode, mapping.path};
  const auto entry = ids_.find(key);
  if (entry != ids_.end() && !entry->second.empty()) return entry->second;
  return ids_[key] = build_id_of_mapping(*proc_, pid, mapping);
}

}  // namespace stallscope::collect
