#include "exchange.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <future>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "disk/plan.hpp"
#include "disk/real_time.hpp"

namespace stallscope::ioqueue {
namespace {

disk::run_control control;  // shared with the signal handler

void on_signal(int /*number*/) { control.stop.store(true, std::memory_order_relaxed); }

json real_time_refusal() {
  return std::async(std::launch::async,
                    [] {
                      const auto refusal = disk::take_real_time();
                      return refusal ? json(*refusal) : json(nullptr);
                    })
      .get();
}

}  // namespace

disk::run_control& handle_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  return control;
}

std::string read_input() {
  std::string text;
  char piece[65536];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, piece, sizeof(piece));
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "standard input");
    text.append(piece, static_cast<std::size_t>(count));
    if (text.size() > disk::max_plan_bytes) {
      throw failure(exit_code::usage, "the plan is larger than 8 MiB", "measure fewer points");
    }
  }
}

void print(const std::string& line) {
  if (std::puts(line.c_str()) < 0 || std::fflush(stdout) != 0) {
    throw stallscope::output_error(errno, "standard output");
  }
}

void print(const json& line) { print(line.dump()); }

void print_begin(const begin_facts& facts) {
  json line{{"kind", "begin"}, {"version", STALLSCOPE_VERSION}};
  line["source"] = facts.modelled ? "modelled" : "measured";
  line["io_uring"] = facts.uring_refusal.empty() ? json(nullptr) : json(facts.uring_refusal);
  line["real_time"] = facts.real_time ? real_time_refusal() : json("it was not requested");
  line["direct"] = facts.direct;
  print(line);
}

void print_progress(const std::string& id, std::uint64_t begun_ns,
                    const disk::run_control& control) {
  print(json{{"kind", "progress"},
             {"id", id},
             {"elapsed_s", static_cast<double>(monotonic_ns() - begun_ns) / 1e9},
             {"requests", control.requests.load(std::memory_order_relaxed)}});
}

void print_end(const disk::run_control& control) {
  print(json{{"kind", "end"}, {"interrupted", control.stop.load()}});
}

std::optional<histogram::interval_log> open_log(const std::string& name, std::uint64_t now_ns) {
  if (name.empty()) return std::nullopt;
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  descriptor file{::open(name.c_str(), flags, 0600)};
  if (!file) {
    throw failure(exit_code::usage,
                  "cannot create " + name + ": " + std::generic_category().message(errno),
                  "choose a new file in a directory that this user can write");
  }
  const double start_s = static_cast<double>(realtime_ns() - (monotonic_ns() - now_ns)) / 1e9;
  return histogram::interval_log{std::move(file), name, start_s};
}

}  // namespace stallscope::ioqueue
