#include "collect/target_reader.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "base/stop_flag.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr const char* target_helper_name = "stallscope-read";
constexpr std::size_t max_failures = 8;
constexpr int between_polls_ms = 20;
// For one piece of an answer: a build id takes microseconds, a large table 0.1 s of CPU time.
constexpr std::uint64_t longest_wait_ns = 400'000'000;
constexpr std::uint64_t longest_work_ns = 2'000'000'000;
constexpr std::uint64_t wait_after_stop_ns = 100'000'000;
constexpr auto wait_for_healthy_helper = 20ms;
// Helpers were killed when they did not answer.
constexpr auto target_wait_after_kill = 50ms;

void do_nothing() {}

}  // namespace

void target_reader::write_records(pid_t pid, bool with_tables,
                                  const std::function<void(std::span<const std::byte>)>& write,
                                  const std::function<void()>& between) {
  const auto kind = with_tables ? request_kind::records_with_tables : request_kind::records;
  request(
      {kind, pid}, [&write](const std::vector<std::byte>& piece) { write(piece); }, between);
}

void target_reader::write_readings(pid_t pid, const std::string& moment,
                                   const std::function<void(std::span<const std::byte>)>& write,
                                   const std::function<void()>& between) {
  const auto kind =
      moment == "start" ? request_kind::readings_at_start : request_kind::readings_at_end;
  request(
      {kind, pid}, [&write](const std::vector<std::byte>& piece) { write(piece); }, between);
}

code_mappings target_reader::mappings_of(pid_t pid) {
  return decode_mappings(answer({request_kind::mappings, pid}));
}

std::optional<unwind::table> target_reader::table_of(pid_t pid, const memory_mapping& mapping) {
  const auto bytes = answer({request_kind::table, pid, mapping});
  if (bytes.empty()) return std::nullopt;
  try {
    return unwind::table::from_bytes(bytes);
  } catch (const unwind::table_error&) {
    return std::nullopt;
  }
}

bool target_reader::runs_python(pid_t pid) { return !answer({request_kind::python, pid}).empty(); }

std::string target_reader::runtime_of(pid_t pid) {
  constexpr std::size_t longest_name = 32;
  const auto bytes = answer({request_kind::runtime, pid});
  std::string name;
  for (const auto byte : bytes) {
    if (name.size() < longest_name) name += std::to_integer<char>(byte);
  }
  return name;
}

std::vector<std::byte> target_reader::answer(const target_request& what) {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](std::vector<std::byte>& piece) {
    if (bytes.empty()) {
      bytes = std::move(piece);
    } else {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
  };
  return request(what, append, do_nothing) ? bytes : std::vector<std::byte>{};
}

bool target_reader::start() {
  if (child_.running()) return true;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  socket_ = descriptor{ends[0]};
  const descriptor theirs{ends[1]};
  try {
    child_ =
        reader_process::child_process{{.name = target_helper_name, .kept_descriptor = theirs.get()},
                                      [this, &theirs] { serve_targets(proc_, theirs.get()); }};
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

bool target_reader::request(const target_request& what, const piece_reader& on_piece,
                            const std::function<void()>& between) {
  if (failures_ > max_failures || exclusions_.contains(what.pid) || !start()) return false;
  const auto bytes = encode(what);
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::vector<std::byte> message(sizeof size);
  std::memcpy(message.data(), &size, sizeof size);
  message.insert(message.end(), bytes.begin(), bytes.end());
  // An idle helper has an empty queue, so a request of at most some KiB never blocks.
  bool complete = ::send(socket_.get(), message.data(), message.size(),
                         MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(message.size());
  while (complete) {
    std::uint32_t piece_size = 0;
    complete = receive(std::as_writable_bytes(std::span{&piece_size, 1}), between) &&
               piece_size <= max_piece_bytes;
    if (!complete || piece_size == 0) break;
    std::vector<std::byte> piece(piece_size);
    complete = receive(piece, between);
    if (complete) on_piece(piece);
  }
  if (!complete) give_up(what.pid);
  return complete;
}

bool target_reader::receive(std::span<std::byte> into, const std::function<void()>& between) {
  auto begin_ns = monotonic_ns();
  while (!into.empty()) {
    pollfd readable{socket_.get(), POLLIN, 0};
    ::poll(&readable, 1, between_polls_ms);
    const auto received = ::recv(socket_.get(), into.data(), into.size(), MSG_DONTWAIT);
    if (received > 0) {
      into = into.subspan(static_cast<std::size_t>(received));
      begin_ns = monotonic_ns();
      continue;
    }
    if (received == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    between();
    const auto waited_ns = monotonic_ns() - begin_ns;
    if (stop_requested() && waited_ns > wait_after_stop_ns) return false;
    if (waited_ns > longest_work_ns) return false;
    if (waited_ns > longest_wait_ns && child_.state() != 'R') return false;
  }
  return true;
}

void target_reader::give_up(pid_t target) {
  ++failures_;
  exclusions_.add(target);
  if (!stop_requested()) {
    warnings_.push_back({"process-not-read", "the mapped files of process " +
                                                 std::to_string(target) +
                                                 " were not read: they do not answer, or exceed "
                                                 "the limits of time and memory"});
  }
  if (failures_ > max_failures) {
    warnings_.push_back({"processes-not-read",
                         "the mapped files of further processes were not read: too many "
                         "processes do not answer"});
  }
  socket_.reset();
  ending_.push_back({std::exchange(child_, {}), target});
  ending_.back().process.end(0ms);
}

std::vector<warning> target_reader::finish() {
  socket_.reset();
  child_.wait(wait_for_healthy_helper);
  ending_.push_back({std::exchange(child_, {}), 0});
  for (auto& [process, target] : ending_) {
    if (process.end(target_wait_after_kill)) continue;
    warnings_.push_back({"helper-abandoned",
                         "the helper process " + std::to_string(process.pid()) +
                             " did not end after SIGKILL, because it waits for files of process " +
                             std::to_string(target) + "; it holds no file of the recording"});
  }
  ending_.clear();
  return std::exchange(warnings_, {});
}

}  // namespace stallscope::collect
