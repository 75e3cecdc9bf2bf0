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

// A sample older than this tells of another time than the frames that would be read now.
constexpr std::uint64_t late_ns = 2'000'000;
constexpr std::uint64_t first_pause_ns = 10'000'000;
constexpr std::uint64_t longest_pause_ns = 60'000'000'000;
constexpr std::uint64_t trampoline_pause_ns = 1'000'000'000;
// What is kept of processes, threads and stacks is forgotten, and found again, beyond these.
constexpr std::size_t most_processes = 20'000;
constexpr std::size_t most_native_ids = 20'000;
constexpr std::size_t most_stacks = 100'000;
// The first CPython that can write a map of its trampolines.
constexpr unsigned first_minor_with_trampolines = 12;

// The thread's numbers, in the namespaces from ours to its own.
std::vector<pid_t> namespace_ids(const procfs& proc, pid_t pid, pid_t tid) {
  const auto folder = proc.root() / std::to_string(pid) / "task" / std::to_string(tid);
  std::istringstream lines{read_text(folder / "status")};
  std::vector<pid_t> ids;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers{line.substr(6)};
    for (pid_t id = 0; numbers >> id;) ids.push_back(id);
  }
  return ids;
}

// Whether the interpreter has written a map of its trampolines (python -X perf). It may be
// anybody's file: only its first bytes are looked at, and only if it is the process's own.
bool has_trampolines(const procfs& proc, pid_t pid) {
  const auto ids = namespace_ids(proc, pid, pid);
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
  const auto got = ::read(fd.get(), begin.data(), begin.size());
  if (got <= 0) return false;
  const std::string_view text{begin.data(), static_cast<std::size_t>(got)};
  return text.find(" py::") != std::string_view::npos;
}

bool may_have_trampolines(const interpreter& of) {
  return std::atoi(of.version.substr(of.version.find('.') + 1).c_str()) >=
         static_cast<int>(first_minor_with_trampolines);
}

}  // namespace

process_watch::process_watch(const procfs& proc, place_among place)
    : proc_{proc},
      codes_{std::make_shared<numbering>(place.index + 1, place.count)},
      stacks_given_{place.index + 1, place.count} {}

process_watch::process& process_watch::known(pid_t pid) {
  if (processes_.size() > most_processes) processes_.clear();
  return processes_[pid];
}

void process_watch::note(const sample_notice& sample) {
  if (sample.pid <= 0) return;
  const auto& one = known(sample.pid);
  if (!one.reader && (one.settled || sample.time_ns < one.look_again_ns)) return;
  auto& noted = noted_[sample.tid];
  if (sample.time_ns >= noted.time_ns) noted = sample;
}

void process_watch::forget(pid_t pid) {
  processes_.erase(pid);
  std::erase_if(noted_, [pid](const auto& entry) { return entry.second.pid == pid; });
}

bool process_watch::any_read() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& entry) { return entry.second.reader != nullptr; });
}

void process_watch::read_noted(std::string& out) {
  for (const auto& [tid, sample] : noted_) {
    auto& one = known(sample.pid);
    if (!one.settled && monotonic_ns() >= one.look_again_ns) look_at(sample.pid, one, out);
    if (one.reader) read(sample, one, out);
  }
  noted_.clear();
}

// Finds out what the process is; later again while that may change.
void process_watch::look_at(pid_t pid, process& one, std::string& out) {
  if (!one.search.found) one.search = find_interpreter(proc_, pid);
  one.pause_ns = one.pause_ns == 0 ? first_pause_ns : std::min(2 * one.pause_ns, longest_pause_ns);
  if (one.search.found) {
    begin_reading(pid, one, out);
  } else if (one.search.present) {
    put_interpreter(out, pid, "", reading::refused, one.search.refusal);
    one.settled = true;
  }
  one.look_again_ns = monotonic_ns() + one.pause_ns;
}

void process_watch::begin_reading(pid_t pid, process& one, std::string& out) {
  const auto& found = *one.search.found;
  if (may_have_trampolines(found) && has_trampolines(proc_, pid)) {
    put_interpreter(out, pid, found.version, reading::trampoline,
                    "it names its functions itself (perf trampolines)");
    one.reader.reset();
    one.settled = true;
    return;
  }
  one.pause_ns = trampoline_pause_ns;
  if (one.reader) return;
  auto reader = std::make_unique<thread_reader>(pid, found, codes_);
  if (!reader->running()) {
    one.pause_ns = first_pause_ns;
    return;
  }
  one.reader = std::move(reader);
  one.settled = !may_have_trampolines(found);
  one.own_namespace = namespace_ids(proc_, pid, pid).size() > 1;
  put_interpreter(out, pid, found.version, reading::offsets, "");
}

pid_t process_watch::native_id(const sample_notice& sample, process& one) const {
  if (!one.own_namespace) return sample.tid;
  if (one.native_ids.size() > most_native_ids) one.native_ids.clear();
  auto& id = one.native_ids[sample.tid];
  if (id == 0) {
    const auto ids = namespace_ids(proc_, sample.pid, sample.tid);
    id = ids.empty() ? sample.tid : ids.back();
  }
  return id;
}

void process_watch::read(const sample_notice& sample, process& one, std::string& out) {
  if (monotonic_ns() > sample.time_ns + late_ns) {
    ++counts_.late;
    return;
  }
  fresh_.clear();
  const auto result = one.reader->read(native_id(sample, one), stack_, fresh_);
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
  if (stacks_.size() > most_stacks) stacks_.clear();
  auto& number = stacks_[std::move(key)];
  if (number == 0) {
    number = stacks_given_.next();
    put_stack(out, number, frames);
  }
  return number;
}

}  // namespace stallscope::python_frames
