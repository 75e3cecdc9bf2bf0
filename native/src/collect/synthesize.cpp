#include "stallscope/collect/synthesize.hpp"

namespace stallscope {

void synthesizer::process(pid_t pid) {
  const auto status = proc_->status(pid);
  if (!status || status->tgid != pid) return;
  buffer_.clear();
  for (const pid_t tid : proc_->threads(pid)) {
    // Who made which thread is not known any more; perf, too, takes the main thread for it.
    thread_identity who{pid, tid, pid, pid};
    if (tid == pid) who.parent_pid = who.parent_tid = status->parent;
    put_fork(buffer_, who);
    put_comm(buffer_, who, proc_->thread_name(pid, tid));
  }
  mappings(pid);
  file_->append(buffer_.bytes());
}

void synthesizer::all_processes() {
  for (const pid_t pid : proc_->processes()) process(pid);
}

void synthesizer::mappings(pid_t pid) {
  for (const auto& mapping : proc_->executable_mappings(pid)) {
    put_mapping(buffer_, pid, mapping, id_of(pid, mapping));
  }
}

const build_id& synthesizer::id_of(pid_t pid, const memory_mapping& mapping) {
  const file_key key{mapping.major, mapping.minor, mapping.inode};
  const auto known = ids_.find(key);
  if (known != ids_.end() && !known->second.empty()) return known->second;
  return ids_[key] = build_id_of_mapping(*proc_, pid, mapping);
}

}  // namespace stallscope
