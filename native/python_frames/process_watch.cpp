#include "python_frames/process_watch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/clock.hpp"

namespace stallscope::python_frames {
namespace {

// Samples older than this do not match the frames that would be read now.
constexpr std::uint64_t late_ns = 2'000'000;
constexpr std::uint64_t usual_read_ns = 40'000;
constexpr std::uint64_t first_pause_ns = 10'000'000;
constexpr std::uint64_t longest_pause_ns = 60'000'000'000;
constexpr std::uint64_t trampoline_pause_ns = 1'000'000'000;
// Limits of the caches for processes, threads and stacks. A cache that exceeds its limit is
// cleared.
constexpr std::size_t max_processes = 20'000;
constexpr std::size_t max_stacks = 100'000;
constexpr std::size_t max_stack_bytes = std::size_t{64} << 20U;
// Lines of a process in python.jsonl: code objects of a large program are some megabytes.
constexpr std::uint64_t max_line_bytes = std::uint64_t{256} << 20U;
// A search may not use more than a hundredth of the time until the next search.
constexpr std::uint64_t pause_per_search = 100;
// The first CPython that can write a perf map of its trampolines.
constexpr unsigned first_minor_with_trampolines = 12;

// Whether the interpreter has written a perf map of its trampolines (python -X perf). The file is
// untrusted: it must belong to the user of the process or to root, and only its beginning is read.
bool has_trampolines(const procfs& proc, pid_t pid) {
  const auto ids = process_reading::namespace_ids(proc, pid, pid);
  const pid_t own_id = ids.empty() ? pid : ids.back();
  const auto process = proc.root() / std::to_string(pid);
  const auto path = process / "root/tmp" / ("perf-" + std::to_string(own_id) + ".map");
  const descriptor fd{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)};
  struct stat file {};
  struct stat owner {};
  if (!fd || ::fstat(fd.get(), &file) != 0 || !S_ISREG(file.st_mode) ||
      ::stat(process.c_str(), &owner) != 0 || (file.st_uid != 0 && file.st_uid != owner.st_uid))
    return false;
  std::array<char, 4096> begin{};
  const auto count = ::read(fd.get(), begin.data(), begin.size());
  if (count <= 0) return false;
  const std::string_view text{begin.data(), static_cast<std::size_t>(count)};
  return text.find(" py::") != std::string_view::npos;
}

bool may_have_trampolines(const interpreter& of) {
  return std::atoi(of.version.substr(of.version.find('.') + 1).c_str()) >=
         static_cast<int>(first_minor_with_trampolines);
}

}  // namespace

process_watch::process_watch(const procfs& proc, watch_index position,
                             reader_process::read_activity& activity, watch_shared& shared)
    : proc_{proc},
      activity_{&activity},
      shared_{&shared},
      code_ids_{std::make_shared<process_reading::numbering>(position.index + 1, position.count)},
      stack_ids_{position.index + 1, position.count} {}

process_watch::process& process_watch::process_of(pid_t pid) {
  if (processes_.size() > max_processes) processes_.clear();
  return processes_[pid];
}

void process_watch::note(const sample_notice& sample) {
  if (sample.pid <= 0) return;
  const auto& target = process_of(sample.pid);
  if (!target.reader && (target.final || sample.time_ns < target.next_examination_ns)) return;
  auto& newest = newest_samples_[sample.tid];
  if (sample.time_ns >= newest.time_ns) newest = sample;
}

void process_watch::forget(pid_t pid) {
  processes_.erase(pid);
  std::erase_if(newest_samples_, [pid](const auto& entry) { return entry.second.pid == pid; });
  shared_->verdicts.forget(pid);
}

bool process_watch::any_read() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& entry) { return entry.second.reader != nullptr; });
}

void process_watch::read_noted(std::string& out) {
  for (const auto& [tid, sample] : newest_samples_) {
    if (activity_->stop.load(std::memory_order_relaxed)) break;
    auto& target = process_of(sample.pid);
    activity_->begin(sample.pid, monotonic_ns());
    if (!target.final && monotonic_ns() >= target.next_examination_ns)
      examine(sample.pid, target, out);
    if (target.reader) read(sample, target, out);
    activity_->end();
    shared_->verdicts.set(sample.pid, target.reader  ? process_reading::process_verdicts::always
                                      : target.final ? process_reading::process_verdicts::never
                                                     : target.next_examination_ns);
  }
  newest_samples_.clear();
}

void process_watch::search(pid_t pid, process& target) {
  const auto begin_ns = monotonic_ns();
  if (!shared_->searches.available(begin_ns)) return;
  const bool long_search = !target.long_searched && shared_->long_searches.available(begin_ns);
  const auto begin_cpu_ns = thread_cpu_ns();
  process_reading::read_budget budget{{}, &activity_->stop};
  target.search = find_interpreter(proc_, pid, budget,
                                   long_search ? search_depth::all : search_depth::exported);
  const auto spent_ns = thread_cpu_ns() - begin_cpu_ns;
  const bool was_long = target.search.read_all_symbols;
  target.long_searched = target.long_searched || was_long;
  (was_long ? shared_->long_searches : shared_->searches).charge(spent_ns, begin_ns);
  target.pause_ns = std::max(target.pause_ns, pause_per_search * spent_ns);
}

// Examines a process, and again later while the result may change.
void process_watch::examine(pid_t pid, process& target, std::string& out) {
  target.pause_ns =
      target.pause_ns == 0 ? first_pause_ns : std::min(2 * target.pause_ns, longest_pause_ns);
  if (!target.search.match) search(pid, target);
  if (target.search.match) {
    begin_reading(pid, target, out);
  } else if (target.search.present) {
    put_interpreter(out, pid, "", reading::refused, target.search.refusal);
    target.final = true;
  } else if (target.search.over_budget) {
    target.final = true;
  }
  target.next_examination_ns = monotonic_ns() + target.pause_ns;
}

void process_watch::begin_reading(pid_t pid, process& target, std::string& out) {
  const auto& python = *target.search.match;
  if (may_have_trampolines(python) && has_trampolines(proc_, pid)) {
    put_interpreter(out, pid, python.version, reading::trampoline,
                    "perf trampolines name its functions");
    target.reader.reset();
    target.final = true;
    return;
  }
  target.pause_ns = trampoline_pause_ns;
  if (target.reader) return;
  auto reader = std::make_unique<thread_reader>(pid, python, code_ids_);
  if (!reader->running()) {
    target.pause_ns = first_pause_ns;
    return;
  }
  target.reader = std::move(reader);
  target.final = !may_have_trampolines(python);
  target.thread_ids.emplace(proc_, pid);
  put_interpreter(out, pid, python.version, reading::offsets, "");
}

bool process_watch::may_read(const process& target, std::uint64_t now_ns) const {
  return target.line_bytes <= max_line_bytes && target.reads.available(now_ns) &&
         reads_.available(now_ns);
}

void process_watch::read(const sample_notice& sample, process& target, std::string& out) {
  const auto begin_ns = monotonic_ns();
  if (begin_ns > sample.time_ns + late_ns) {
    ++counts_.late;
    return;
  }
  if (!may_read(target, begin_ns)) {
    ++counts_.over_budget;
    return;
  }
  const auto begin_cpu_ns = thread_cpu_ns();
  const auto begin_bytes = out.size();
  read_frames(sample, target, out);
  target.line_bytes += out.size() - begin_bytes;
  // The sampling rate decides how often a usual read happens. What is beyond it is charged.
  const auto spent_ns = std::max(thread_cpu_ns() - begin_cpu_ns, usual_read_ns) - usual_read_ns;
  const auto now = monotonic_ns();
  target.reads.charge(spent_ns, now);
  reads_.charge(spent_ns, now);
}

void process_watch::read_frames(const sample_notice& sample, process& target, std::string& out) {
  fresh_.clear();
  const auto result = target.reader->read(target.thread_ids->of(sample.tid), stack_, fresh_);
  for (const auto& code : fresh_) put_code(out, sample.pid, code);
  switch (result) {
    case read_result::read: {
      ++counts_.read;
      const auto number = stack_number(stack_.frames, out);
      put_snapshot(
          out, {sample.time_ns, monotonic_ns(), sample.tid, sample.pid, number, stack_.holds_gil});
      break;
    }
    case read_result::torn:
      ++counts_.torn;
      break;
    case read_result::no_frames:
      ++counts_.no_frames;
      break;
    case read_result::too_deep:
      ++counts_.too_deep;
      break;
  }
}

std::uint64_t process_watch::stack_number(std::span<const python_frame> frames, std::string& out) {
  std::string key;
  key.reserve(frames.size() * 16);
  for (const auto& frame : frames) {
    key.append(reinterpret_cast<const char*>(&frame.code), sizeof frame.code);
    key.append(reinterpret_cast<const char*>(&frame.instruction), sizeof frame.instruction);
    key.push_back(frame.entered_from_c ? '\1' : '\0');
  }
  if (stacks_.size() > max_stacks || stack_bytes_ > max_stack_bytes) {
    stacks_.clear();
    stack_bytes_ = 0;
  }
  const auto key_bytes = key.size();
  auto& number = stacks_[std::move(key)];
  if (number == 0) {
    stack_bytes_ += key_bytes;
    number = stack_ids_.next();
    put_stack(out, number, frames);
  }
  return number;
}

}  // namespace stallscope::python_frames
