#include "collect/tick_reader.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "collect/thread_readings.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t least_tick_interval_ns = 10'000'000;
constexpr std::uint64_t most_tick_interval_ns = 1'000'000'000;
constexpr std::uint64_t inverse_cpu_share = 100;
// Holds the readings of a second, if the drain is busy for that long.
constexpr int tick_socket_bytes = 4 << 20;
constexpr std::size_t max_tick_processes = 256;
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

void serve_ticks(const procfs& proc, const std::vector<pid_t>& pids, bool with_children,
                 int socket) {
  std::mt19937_64 random{std::random_device{}()};
  std::uniform_real_distribution<double> factor{0.5, 1.5};
  while (true) {
    const auto begin_ns = thread_cpu_ns();
    std::string lines;
    for (const pid_t pid : with_children ? with_descendants(proc, pids) : pids)
      lines += thread_lines(proc, pid, "tick");
    if (!send_tick(socket, lines)) return;
    const auto interval_ns = std::clamp((thread_cpu_ns() - begin_ns) * inverse_cpu_share,
                                        least_tick_interval_ns, most_tick_interval_ns);
    std::this_thread::sleep_for(std::chrono::nanoseconds{
        static_cast<std::uint64_t>(static_cast<double>(interval_ns) * factor(random))});
  }
}

}  // namespace

tick_reader::tick_reader(const procfs& proc, std::vector<pid_t> pids, bool with_children) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  socket_ = descriptor{ends[0]};
  const descriptor theirs{ends[1]};
  ::setsockopt(theirs.get(), SOL_SOCKET, SO_SNDBUF, &tick_socket_bytes, sizeof tick_socket_bytes);
  child_ =
      reader_process::child_process{{.name = "stallscope-tick", .kept_descriptor = theirs.get()},
                                    [&] { serve_ticks(proc, pids, with_children, theirs.get()); }};
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
