#include "load/load_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <future>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"

namespace stallscope::load {
namespace {

constexpr std::uint64_t start_after_ns = second_ns / 100;
constexpr std::uint64_t never_start = 0;
constexpr int reporter_niceness = 10;
constexpr int output_timeout_ms = 2'000;
constexpr rlim_t descriptors_beside = 64;

std::string password_of(const std::string& path) {
  if (path.empty()) return "";
  const auto unreadable = [&](const std::string& what) {
    return failure{exit_code::usage, "the password file " + path + ": " + what,
                   "use a file whose first line is the password, at most 4096 bytes"};
  };
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) throw unreadable(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) throw unreadable("it is not a regular file");
  std::string text(4096, '\0');
  const auto got = ::read(file.get(), text.data(), text.size());
  if (got < 0) throw unreadable(std::strerror(errno));
  text.resize(std::min(text.find_first_of("\r\n"), static_cast<std::size_t>(got)));
  if (text.empty()) throw unreadable("its first line is empty");
  return text;
}

// Raises the descriptor limit for the connections, as far as permitted.
void allow_descriptors(unsigned connections) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = connections + descriptors_beside;
  if (limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed) {
    throw failure{exit_code::unable,
                  std::to_string(connections) + " connections exceed the limit of " +
                      std::to_string(limit.rlim_max) + " open files",
                  "use fewer connections or raise the limit with ulimit -n"};
  }
  limit.rlim_cur = needed;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void pin(std::span<const int> cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw failure{exit_code::unable, "cannot pin a thread to the CPUs of --cpus",
                  "use CPUs that are online and allowed for this process"};
  }
}

// On a single CPU, busy-waiting would keep the target from running.
std::uint64_t spin_of(const options& settings) {
  cpu_set_t set;
  const bool has_affinity = ::sched_getaffinity(0, sizeof set, &set) == 0;
  return has_affinity && CPU_COUNT(&set) == 1 ? 0 : settings.spin_ns;
}

load_plan plan_of(const options& settings) {
  load_plan plan{.settings = settings,
                 .target = target_address(settings.target),
                 .password = password_of(settings.password_file),
                 .file = nullptr,
                 .run_name = std::to_string(realtime_ns())};
  plan.settings.spin_ns = spin_of(settings);
  if (!settings.what.request_file.empty()) {
    plan.file = std::make_shared<request_file>(settings.what.request_file);
  }
  return plan;
}

descriptor ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

struct load_run::thread_state {
  thread_state(const load_plan& plan, unsigned index, int notice)
      : exchange{notice}, runs{plan, index, exchange} {}

  measurement_exchange exchange;
  worker runs;
  std::promise<bool> prepared;
  std::promise<std::uint64_t> start;
  std::promise<void> done;
  bool start_sent = false;
  std::thread thread;
};

load_run::load_run(const options& settings)
    : plan_{plan_of(settings)},
      marks_{settings.phases_fd},
      notice_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      signals_{ending_signals()} {
  if (!notice_ || !signals_) {
    throw std::system_error(errno, std::generic_category(), "eventfd or signalfd");
  }
  allow_descriptors(settings.connections);
  if (!settings.directory.empty()) files_.emplace(settings.directory);
  for (unsigned i = 0; i < settings.threads; ++i) {
    threads_.push_back(std::make_unique<thread_state>(plan_, i, notice_.get()));
  }
}

load_run::~load_run() {
  end_early();
  for (const auto& state : threads_) {
    if (!state->start_sent) state->start.set_value(never_start);
    if (state->thread.joinable()) state->thread.join();
  }
}

void load_run::run() {
  start_threads();
  if (!plan_.settings.cpus.empty()) pin(plan_.settings.cpus);
  // Encoding histograms must not preempt a thread that waits for replies.
  ::setpriority(PRIO_PROCESS, 0, reporter_niceness);
  if (wait_until_ready()) {
    begin();
    report_until_done();
  }
  finish();
}

void load_run::start_threads() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    thread_state& state = *threads_[i];
    const auto& cpus = plan_.settings.cpus;
    const int cpu = cpus.empty() ? -1 : cpus[i % cpus.size()];
    state.thread = std::thread([&state, cpu, notice = notice_.get()] {
      const auto print_line = [notice] { ::eventfd_write(notice, 1); };
      bool prepared = false;
      try {
        if (cpu >= 0) pin(std::span(&cpu, 1));
        ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
        prepared = state.runs.prepare();
        state.prepared.set_value(prepared);
      } catch (...) {
        state.prepared.set_exception(std::current_exception());
      }
      print_line();
      const std::uint64_t start_ns = state.start.get_future().get();
      try {
        if (prepared && start_ns != never_start) state.runs.run(start_ns);
        state.done.set_value();
      } catch (...) {
        state.done.set_exception(std::current_exception());
      }
      print_line();
    });
  }
}

bool load_run::wait_until_ready() {
  bool ready = true;
  for (const auto& state : threads_) {
    auto prepared = state->prepared.get_future();
    while (prepared.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      take_notice();
    }
    ready = prepared.get() && ready;
  }
  return ready;
}

void load_run::begin() {
  const std::uint64_t start_ns = monotonic_ns() + start_after_ns;
  measured_from_ns_ = start_ns + plan_.settings.when.warmup_ns;
  started_at_s_ =
      static_cast<double>(realtime_ns() + start_after_ns + plan_.settings.when.warmup_ns) /
      static_cast<double>(second_ns);
  if (files_) files_->begin(started_at_s_);
  marks_.start(measured_from_ns_);
  marks_.stop(measured_from_ns_ + plan_.settings.when.duration_ns);
  print_line(started_line(plan_.settings));
  for (const auto& state : threads_) {
    state->start.set_value(start_ns);
    state->start_sent = true;
  }
}

void load_run::report_until_done() {
  std::vector<std::future<void>> running;
  for (const auto& state : threads_) running.push_back(state->done.get_future());
  const auto has_ended = [](std::future<void>& thread) {
    if (thread.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    thread.get();  // rethrows the exception of the thread
    return true;
  };
  for (;;) {
    std::erase_if(running, has_ended);
    report_complete_seconds();
    if (running.empty()) return;
    take_notice();
  }
}

// Waits until a thread signals or a signal arrives; a signal ends the run early.
void load_run::take_notice() {
  pollfd ready[] = {{notice_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
  ::poll(ready, 2, -1);
  eventfd_t times = 0;
  if (ready[0].revents != 0) ::eventfd_read(notice_.get(), &times);
  signalfd_siginfo signal{};
  if (ready[1].revents != 0 && ::read(signals_.get(), &signal, sizeof signal) > 0) {
    result_.interrupted = true;
    end_early();
  }
}

void load_run::end_early() noexcept {
  for (const auto& state : threads_) state->runs.stop();
}

bool load_run::all_have(unsigned second) {
  return std::ranges::all_of(threads_,
                             [&](const auto& state) { return state->exchange.has(second); });
}

void load_run::report_complete_seconds() {
  const auto finished = [&] {
    return std::ranges::all_of(
        threads_, [](const auto& state) { return state->exchange.account().has_value(); });
  };
  while (!finished() && all_have(second_)) report_second(second_, std::chrono::seconds(1));
}

// The last second may be shorter and includes replies after the end.
void load_run::report_second(unsigned up_to, std::chrono::nanoseconds length) {
  measurements values;
  for (const auto& state : threads_) state->exchange.take(up_to, values);
  const std::chrono::nanoseconds begin = std::chrono::seconds(second_++);
  if (files_ && result_.log_error.empty()) {
    try {
      files_->append(begin, length, values);
    } catch (const std::exception& error) {
      result_.log_error = error.what();  // the run continues and reports the error
    }
  }
  print_line(second_line(std::chrono::duration<double>(begin + length).count(), values));
  result_.all.add(values);
}

void load_run::finish() {
  marks_.stop(monotonic_ns());  // after an early end
  for (const auto& state : threads_) {
    result_.threads.push_back(state->exchange.account().value_or(thread_account{}));
  }
  const auto measured = result_.measured();
  while (std::chrono::seconds(second_ + 1) < measured) {
    report_second(second_, std::chrono::seconds(1));
  }
  const auto rest = measured - std::chrono::seconds(second_);
  if (files_ && measured_from_ns_ == 0) files_->begin(started_at_s_);
  report_second(last_second, std::max(rest, rest.zero()));
  if (files_) files_->finish(load_document(plan_.settings, result_, started_at_s_));
  print_line(done_line(plan_.settings, result_));
  const std::string why = target_failure(result_);
  if (!why.empty()) {
    throw failure{exit_code::target_failed,
                  "the target " + plan_.settings.target + " failed: " + why,
                  "see the messages of the target; the measurements so far are kept"};
  }
}

// A slow or closed reader must not delay the run.
void load_run::print_line(const std::string& line) const {
  const std::string text = line + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    pollfd ready{STDOUT_FILENO, POLLOUT, 0};
    if (::poll(&ready, 1, output_timeout_ms) <= 0) return;
    const std::size_t size = std::min<std::size_t>(text.size() - done, PIPE_BUF);
    const auto wrote = ::write(STDOUT_FILENO, text.data() + done, size);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace stallscope::load
