#include "managed_frames/runtime_watch.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "managed_frames/frames_text.hpp"

namespace stallscope::managed_frames {
namespace {

// Of samples that were read after 6 ms, 5 % of the frames had moved.
constexpr std::uint64_t usual_read_ns = 40'000;
// Reading the CPU clock costs a system call: one of several walks is measured and stands for them.
constexpr std::uint64_t walks_per_measurement = 8;
constexpr std::uint64_t first_pause_ns = 10'000'000;
constexpr std::uint64_t longest_pause_ns = 60'000'000'000;
// A search may not use more than a hundredth of the time until the next search.
constexpr std::uint64_t pause_per_search = 100;
constexpr std::size_t max_processes = 20'000;
constexpr std::size_t max_searched_mappings = 70'000;
// Reading mappings may not use more than a fiftieth of the time.
constexpr std::uint64_t pause_per_mappings = 50;
constexpr std::uint64_t max_line_bytes = std::uint64_t{512} << 20U;
// A large program's symbols are some 30 MB.
constexpr process_reading::read_limits search_limits{
    .bytes = std::uint64_t{192} << 20U, .cpu_ns = 400'000'000, .wall_ns = 4'000'000'000};

}  // namespace

runtime_watch::runtime_watch(const procfs& proc, std::vector<runtime_kind> kinds, position where,
                             reader_process::read_activity& activity, watch_shared& shared)
    : proc_{proc},
      kinds_{std::move(kinds)},
      activity_{&activity},
      shared_{&shared},
      functions_{process_reading::numbering{where.index + 1, where.count}, new_functions_},
      stacks_{process_reading::numbering{where.index + 1, where.count}} {}

runtime_watch::process& runtime_watch::process_of(pid_t pid) {
  if (processes_.size() > max_processes) {
    processes_.clear();
    readers_ = 0;
  }
  return processes_[pid];
}

void runtime_watch::forget(pid_t pid) {
  const auto entry = processes_.find(pid);
  if (entry != processes_.end()) {
    if (entry->second.reader) --readers_;
    processes_.erase(entry);
  }
  shared_->verdicts.forget(pid);
}

void runtime_watch::read(const stack_sample& sample, std::string& out) {
  if (sample.pid <= 0) return;
  using process_reading::process_verdicts;
  auto& target = process_of(sample.pid);
  activity_->begin(sample.pid, monotonic_ns());
  if (!target.reader && !target.final && monotonic_ns() >= target.next_examination_ns)
    examine(sample.pid, target, out);
  if (target.reader) {
    read_stack(sample, target, out);
    note_stack_end(sample, target);
  }
  activity_->end();
  shared_->verdicts.set(sample.pid, target.reader  ? process_verdicts::always
                                    : target.final ? process_verdicts::never
                                                   : target.next_examination_ns);
}

void runtime_watch::examine(pid_t pid, process& target, std::string& out) {
  const auto begin_ns = monotonic_ns();
  target.pause_ns =
      target.pause_ns == 0 ? first_pause_ns : std::min(2 * target.pause_ns, longest_pause_ns);
  target.next_examination_ns = begin_ns + target.pause_ns;
  if (!shared_->searches.available(begin_ns)) return;
  const auto begin_cpu_ns = thread_cpu_ns();
  process_reading::read_budget budget{search_limits, &activity_->stop, &activity_->since_ns};
  const auto view = view_of(proc_, pid, budget);
  for (const auto& kind : kinds_) {
    if (!kind.runs(view, budget)) continue;
    auto detection = kind.detect(view, functions_, budget);
    if (!detection.present) continue;
    if (!detection.reader && detection.refusal.empty()) break;  // not started yet
    put_runtime(out, pid, kind.name, detection);
    target.final = !detection.reader;
    readers_ += detection.reader ? 1 : 0;
    target.reader = std::move(detection.reader);
    if (target.reader)
      shortest_age_ns_ = std::min(shortest_age_ns_, target.reader->longest_age_ns());
    break;
  }
  out += std::exchange(new_functions_, {});
  const auto spent_ns = thread_cpu_ns() - begin_cpu_ns;
  shared_->searches.charge(spent_ns, begin_ns);
  target.pause_ns = std::max(target.pause_ns, pause_per_search * spent_ns);
  target.next_examination_ns = monotonic_ns() + target.pause_ns;
}

walk_result runtime_watch::walk(const stack_sample& sample, process& target) {
  const auto begin_ns = monotonic_ns();
  if (begin_ns > sample.time_ns + target.reader->longest_age_ns()) return walk_result::late;
  if (target.line_bytes > max_line_bytes || !target.reads.available(begin_ns))
    return walk_result::over_budget;
  if (target.walks++ % walks_per_measurement != 0) return target.reader->walk(sample, walked_);
  const auto begin_cpu_ns = thread_cpu_ns();
  const auto result = target.reader->walk(sample, walked_);
  // The sampling rate decides how often a usual read happens. What is beyond it is charged.
  const auto spent_ns = std::max(thread_cpu_ns() - begin_cpu_ns, usual_read_ns) - usual_read_ns;
  target.reads.charge(walks_per_measurement * spent_ns, monotonic_ns());
  return result;
}

// A stack is a whole mapping, or the end of one. Memory mapped behind it is not part of it.
void runtime_watch::note_stack_end(const stack_sample& sample, process& target) {
  const auto sp = sample.stack_address;
  if (shared_->ends.known(sample.tid, sp)) return;
  const auto begin_ns = monotonic_ns();
  if (begin_ns < target.next_mappings_ns) return;
  std::size_t count = 0;
  try {
    proc_.visit_mappings(sample.pid, [&](const memory_mapping& mapping) {
      if (sp >= mapping.start && sp < mapping.end) shared_->ends.set(sample.tid, mapping.end);
      return ++count < max_searched_mappings && mapping.end <= sp;
    });
  } catch (const std::system_error&) {  // the process has ended
  }
  const auto now_ns = monotonic_ns();
  target.next_mappings_ns = now_ns + pause_per_mappings * (now_ns - begin_ns);
}

void runtime_watch::read_stack(const stack_sample& sample, process& target, std::string& out) {
  const auto begin_bytes = out.size();
  walked_.segments.clear();
  walked_.runs.clear();
  const auto result = walk(sample, target);
  out += std::exchange(new_functions_, {});
  if (result != walk_result::walked) {
    put_failure(out, sample, result);
  } else {
    stack_ids_.clear();
    for (const auto& segment : walked_.segments)
      stack_ids_.push_back(stacks_.id_of(segment.frames, out));
    for (const auto& run : walked_.runs) stack_ids_.push_back(stacks_.id_of(run, out));
    put_sample(out, sample, walked_, stack_ids_);
  }
  target.line_bytes += out.size() - begin_bytes;
}

}  // namespace stallscope::managed_frames
