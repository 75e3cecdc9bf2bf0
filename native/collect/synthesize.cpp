#include "collect/synthesize.hpp"

#include <sys/mman.h>

namespace stallscope::collect {
namespace {

// A process may have tens of thousands of mappings.
constexpr std::size_t most_buffered_bytes = std::size_t{256} << 10U;
// And as many threads: 5,000 take a tenth of a second, a multiple of it on a busy machine.
constexpr std::size_t threads_at_once = 256;

}  // namespace

void synthesizer::process(pid_t pid) {
  const auto status = proc_->status(pid);
  if (!status || status->tgid != pid) return;
  std::size_t told = 0;
  for (const pid_t tid : proc_->threads(pid)) {
    // Who made which thread is not known any more; perf, too, takes the main thread for it.
    thread_identity who{pid, tid, pid, pid};
    if (tid == pid) who.parent_pid = who.parent_tid = status->parent;
    put_fork(buffer_, who);
    put_comm(buffer_, who, proc_->thread_name(pid, tid));
    if (++told % threads_at_once == 0) between_();
  }
  mappings(pid);
  flush();
  between_();
}

void synthesizer::flush() {
  file_->append(buffer_.bytes());
  buffer_.clear();
}

void synthesizer::all_processes() {
  for (const pid_t pid : proc_->processes()) process(pid);
}

void synthesizer::mappings(pid_t pid) {
  proc_->visit_mappings(pid, [this, pid](const memory_mapping& mapping) {
    const bool code = (mapping.protection & PROT_EXEC) != 0;
    // perf's unwinder reckons from where a file's first page is mapped, and reads its tables by
    // where they are mapped; both often are no code.
    const bool tables = with_tables_ && mapping.inode != 0 && !mapping.shared &&
                        (mapping.protection & (PROT_READ | PROT_WRITE)) == PROT_READ;
    if (!code && !tables) return;
    put_mapping(buffer_, pid, mapping, id_of(pid, mapping));
    if (buffer_.bytes().size() > most_buffered_bytes) flush();
  });
}

const build_id& synthesizer::id_of(pid_t pid, const memory_mapping& mapping) {
  const file_key key{mapping.major, mapping.minor, mapping.inode, mapping.path};
  const auto known = ids_.find(key);
  if (known != ids_.end() && !known->second.empty()) return known->second;
  return ids_[key] = build_id_of_mapping(*proc_, pid, mapping);
}

}  // namespace stallscope::collect
