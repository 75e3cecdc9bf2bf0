#include "collect/tick_reader.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "collect/thread_readings.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t most_tick_interval_ns = 1'000'000'000;
// Between these shares of a CPU, ticks show waits of 50 ms and cost little.
constexpr double least_cpu_share = 0.002;
constexpr double most_cpu_share = 0.01;
// Holds the readings of a second, if the drain is busy for that long.
constexpr int tick_socket_bytes = 4 << 20;
constexpr unsigned first_ticks_asleep = 4;
constexpr std::size_t max_tick_processes = 256;
constexpr std::size_t max_tick_threads = 1024;
constexpr std::uint64_t between_lists_ns = 250'000'000;
constexpr std::size_t max_unsent_bytes = std::size_t{8} << 20U;

std::vector<pid_t> with_descendants(const procfs& proc, std::vector<pid_t> pids) {
  for (std::size_t i = 0; i < pids.size() && pids.size() < max_tick_processes; ++i) {
    for (const pid_t child : proc.children(pids[i])) pids.push_back(child);
  }
  return pids;
}

// Sends a tick as a whole; a tick that does not fit is dropped. Returns false if the collector has
// ended.
bool send_tick(int socket, const std::string& lines) {
  std::size_t sent = 0;
  while (sent < lines.size()) {
    const auto part = ::send(socket, lines.data() + sent, lines.size() - sent,
                             MSG_NOSIGNAL | (sent == 0 ? MSG_DONTWAIT : 0));
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return errno == EAGAIN;
    sent += static_cast<std::size_t>(part);
  }
  return true;
}

// The open files of a thread. Reading them again takes 2 us each, opening them four times as long.
class thread_files {
 public:
  thread_files(const procfs& proc, pid_t pid, pid_t tid) : pid_{pid}, tid_{tid} {
    const auto folder = proc.root() / std::to_string(pid) / "task" / std::to_string(tid);
    const auto open = [&folder](const char* name) {
      return descriptor{::open((folder / name).c_str(), O_RDONLY | O_CLOEXEC)};
    };
    stat_ = open("stat");
    schedstat_ = open("schedstat");
    syscall_ = open("syscall");
  }

  // Appends the thread's line. Returns false if it has ended.
  bool put_line(std::string& lines) {
    std::uint64_t run_ns = 0;
    std::uint64_t queue_ns = 0;
    std::uint64_t runs = 0;
    if (std::sscanf(read(schedstat_).c_str(), "%" SCNu64 " %" SCNu64 " %" SCNu64, &run_ns,
                    &queue_ns, &runs) != 3)
      return false;
    // The state of a thread that has not run since the last tick can only become "able to run",
    // which `syscall` shows as well: reading `stat` takes as long as the other two. Many threads
    // sleep all the time, so of one that has slept for some ticks `syscall` is read at every
    // fourth.
    const bool has_run = runs != runs_ || !asleep_in_call_;
    ticks_asleep_ = has_run ? 0 : ticks_asleep_ + 1;
    if (has_run) stat_text_ = read(stat_);
    const auto last_state = thread_state_of(stat_text_);
    if (last_state.empty()) return false;
    std::string state = last_state;
    if (ticks_asleep_ < first_ticks_asleep || ticks_asleep_ % 4 == 0) {
      const auto arguments = last_state == "R" ? std::nullopt : parse_system_call(read(syscall_));
      if (!has_run && !arguments) state = "R";
      asleep_in_call_ = arguments.has_value();
      call_.clear();
      for (std::size_t i = 0; arguments && i < arguments->size(); ++i)
        call_ += (i == 0 ? "" : ",") + std::to_string((*arguments)[i]);
    }
    runs_ = runs;
    lines += R"({"type":"thread","moment":"tick","at_ns":)" + std::to_string(monotonic_ns()) +
             R"(,"pid":)" + std::to_string(pid_) + R"(,"tid":)" + std::to_string(tid_) +
             R"(,"state":")" + state + R"(","run_ns":)" + std::to_string(run_ns) +
             R"(,"queue_ns":)" + std::to_string(queue_ns) + R"(,"runs":)" + std::to_string(runs) +
             R"(,"syscall":)" + (call_.empty() ? "null" : "[" + call_ + "]");
    if (const auto faults = major_faults_of(stat_text_))
      lines += R"(,"major_faults":)" + std::to_string(*faults);
    lines += "}\n";
    return true;
  }

 private:
  static std::string read(const descriptor& file) {
    std::array<char, 1024> text{};
    const auto got = ::pread(file.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

  pid_t pid_;
  pid_t tid_;
  std::string stat_text_;
  std::uint64_t runs_ = 0;
  bool asleep_in_call_ = false;  // at the last tick
  unsigned ticks_asleep_ = 0;    // in succession, without a run
  std::string call_;             // as in the thread's last line
  descriptor stat_;
  descriptor schedstat_;
  descriptor syscall_;
};

using thread_file_map = std::map<pid_t, thread_files>;

// Opens the files of new threads, up to a number.
void open_new(const procfs& proc, std::span<const pid_t> pids, thread_file_map& threads) {
  for (const pid_t pid : pids) {
    for (const pid_t tid : proc.threads(pid)) {
      if (threads.size() >= max_tick_threads) return;
      if (!threads.contains(tid)) threads.try_emplace(tid, proc, pid, tid);
    }
  }
}

void serve_ticks(const tick_settings& settings, int socket) {
  const auto& proc = settings.proc;
  const auto& pids = settings.pids;
  const double cpu_share = std::clamp(settings.cpu_share, least_cpu_share, most_cpu_share);
  thread_file_map threads;
  std::uint64_t listed_ns = 0;
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_real_distribution<double> factor{0.5, 1.5};
  while (true) {
    const auto begin_ns = thread_cpu_ns();
    std::string lines;
    if (monotonic_ns() >= listed_ns + between_lists_ns) {
      open_new(proc, settings.with_children ? with_descendants(proc, pids) : pids, threads);
      listed_ns = monotonic_ns();
    }
    for (auto thread = threads.begin(); thread != threads.end();)
      thread = thread->second.put_line(lines) ? std::next(thread) : threads.erase(thread);
    if (!send_tick(socket, lines)) return;
    const auto used_ns = static_cast<double>(thread_cpu_ns() - begin_ns);
    const auto interval_ns = std::clamp(static_cast<std::uint64_t>(used_ns / cpu_share),
                                        settings.least_interval_ns, most_tick_interval_ns);
    std::this_thread::sleep_for(std::chrono::nanoseconds{
        static_cast<std::uint64_t>(static_cast<double>(interval_ns) * factor(random))});
  }
}

}  // namespace

tick_reader::tick_reader(tick_settings settings) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  socket_ = descriptor{ends[0]};
  const descriptor helper_socket{ends[1]};
  ::setsockopt(helper_socket.get(), SOL_SOCKET, SO_SNDBUF, &tick_socket_bytes,
               sizeof tick_socket_bytes);
  child_ = reader_process::child_process{
      {.name = "stallscope-tick", .kept_descriptor = helper_socket.get()},
      [&] { serve_ticks(settings, helper_socket.get()); }};
}

void tick_reader::pass(std::string& lines) {
  std::array<char, 65'536> chunk{};
  while (rest_.size() < max_unsent_bytes) {
    const auto got = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    rest_.append(chunk.data(), static_cast<std::size_t>(got));
  }
  const auto end = rest_.rfind('\n');
  if (end == std::string::npos) return;
  lines.append(rest_, 0, end + 1);
  rest_.erase(0, end + 1);
}

}  // namespace stallscope::collect
