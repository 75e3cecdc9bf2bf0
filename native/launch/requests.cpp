#include "launch/requests.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"

namespace stallscope::launch {
namespace {

constexpr std::size_t request_size = static_cast<std::size_t>(request_field::count);
constexpr std::size_t reply_size = static_cast<std::size_t>(reply_field::count);
constexpr std::uint64_t max_string_bytes = std::uint64_t{8} << 20U;  // execve takes less
constexpr std::uint64_t max_output_bytes = std::uint64_t{64} << 20U;
constexpr std::uint64_t max_ns = std::uint64_t{1} << 62U;

using reply = std::array<std::int64_t, reply_size>;

// Reads all bytes; returns false at the end of the input.
bool read_all(int fd, char* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t part = ::read(fd, data + done, size - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw std::system_error(errno, std::generic_category(), "read a request");
    if (part == 0) return false;
    done += static_cast<std::size_t>(part);
  }
  return true;
}

// The next request usually comes within this time. A CPU that sleeps until then makes the first
// instructions of the next command slower, by 3 to 5 % of the time of a short one.
constexpr std::uint64_t busy_wait_ns = 300'000;

// Polls without sleeping until there is input, or the busy wait is over.
void wait_awake(int fd) {
  pollfd input{fd, POLLIN, 0};
  const std::uint64_t begin_ns = monotonic_ns();
  while (::poll(&input, 1, 0) == 0 && monotonic_ns() - begin_ns < busy_wait_ns) {
  }
}

void write_all(int fd, const char* data, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t part = ::write(fd, data + done, size - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw std::system_error(errno, std::generic_category(), "write a reply");
    done += static_cast<std::size_t>(part);
  }
}

[[noreturn]] void reject_request(const char* what) {
  throw failure(exit_code::usage, std::string("malformed request: ") + what,
                "stallscope starts this program");
}

std::string next_string(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) reject_request("a string has no end");
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return text;
}

template <typename Field>
constexpr std::size_t at(Field field) {
  return static_cast<std::size_t>(field);
}

void write_numbers(int fd, const reply& numbers) {
  write_all(fd, reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
}

}  // namespace

std::optional<command> read_request(int fd) {
  std::array<std::uint64_t, request_size> numbers{};
  wait_awake(fd);
  if (!read_all(fd, reinterpret_cast<char*>(numbers.data()), sizeof numbers)) return std::nullopt;
  const auto number = [&numbers](request_field field) { return numbers[at(field)]; };
  const std::uint64_t size = number(request_field::string_bytes);
  const std::uint64_t arguments = number(request_field::arguments);
  const std::uint64_t environment = number(request_field::environment);
  if (size > max_string_bytes || arguments > size || environment > size) reject_request("too long");
  if (arguments == 0) reject_request("no argument");
  if (number(request_field::time_limit_ns) > max_ns || number(request_field::grace_ns) > max_ns ||
      number(request_field::output_limit) > max_output_bytes) {
    reject_request("a limit is too large");
  }
  std::string strings(size, '\0');
  if (!read_all(fd, strings.data(), size)) return std::nullopt;
  std::string_view rest = strings;
  command requested;
  requested.directory = next_string(rest);
  for (std::uint64_t i = 0; i < arguments; ++i) requested.arguments.push_back(next_string(rest));
  for (std::uint64_t i = 0; i < environment; ++i) {
    requested.environment.push_back(next_string(rest));
  }
  using std::chrono::nanoseconds;
  requested.time_limit =
      nanoseconds(static_cast<std::int64_t>(number(request_field::time_limit_ns)));
  requested.grace = nanoseconds(static_cast<std::int64_t>(number(request_field::grace_ns)));
  requested.output_limit = number(request_field::output_limit);
  requested.is_server = number(request_field::is_server) != 0;
  return requested;
}

void write_reply(int fd, const completed_run& run) {
  const auto microseconds = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000 + std::int64_t{time.tv_usec};
  };
  reply numbers{};
  const auto set = [&numbers](reply_field field, std::int64_t value) {
    numbers[at(field)] = value;
  };
  set(reply_field::status, run.status);
  set(reply_field::begin_ns, static_cast<std::int64_t>(run.begin_ns));
  set(reply_field::wall_ns, static_cast<std::int64_t>(run.wall_ns));
  set(reply_field::user_us, microseconds(run.usage.ru_utime));
  set(reply_field::system_us, microseconds(run.usage.ru_stime));
  set(reply_field::max_rss_bytes, std::int64_t{run.usage.ru_maxrss} * 1024);
  set(reply_field::minor_faults, run.usage.ru_minflt);
  set(reply_field::major_faults, run.usage.ru_majflt);
  set(reply_field::voluntary_switches, run.usage.ru_nvcsw);
  set(reply_field::involuntary_switches, run.usage.ru_nivcsw);
  set(reply_field::timed_out, run.timed_out ? 1 : 0);
  set(reply_field::leftovers, run.leftovers);
  set(reply_field::output_cut, run.output_cut ? 1 : 0);
  set(reply_field::output_bytes, static_cast<std::int64_t>(run.output.size()));
  write_numbers(fd, numbers);
  write_all(fd, run.output.data(), run.output.size());
}

void write_start_error(int fd, int error) {
  reply numbers{};
  numbers[at(reply_field::start_error)] = error;
  write_numbers(fd, numbers);
}

}  // namespace stallscope::launch
