#include "kernels/kernel_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include "base/failure.hpp"
#include "kernels/harmless_threads.hpp"
#include "kernels/mix_output.hpp"
#include "kernels/report.hpp"
#include "kernels/runner.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::kernels {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

// SIGINT and SIGTERM end the run instead of the process, also during the preparation.
void end_run_by_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

kernel_settings setting_of(const kernel_command& command, const std::vector<int>& cpus) {
  const kernel_entry& entry = *command.entry;
  const unsigned threads = command.threads.value_or(entry.threads);
  if (threads < entry.min_threads || threads > entry.max_threads) {
    throw std::invalid_argument("--threads: " + std::string(entry.name) + " takes " +
                                std::to_string(entry.min_threads) + " to " +
                                std::to_string(entry.max_threads));
  }
  const std::string cpu = "cpu" + std::to_string(cpus.empty() ? 0 : cpus.front());
  const auto memory_bytes = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                            static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {.threads = threads,
          .caches = read_cache_sizes("/sys/devices/system/cpu/" + cpu),
          .memory_limit_bytes = memory_bytes / 4,
          .look_alike = command.look_alike,
          .cured = command.cured,
          .padded = command.padded,
          .duration_s = command.iterations ? 0 : command.duration_s,
          .rate_per_s = command.rate_per_s > 0 ? command.rate_per_s : entry.rate_per_s,
          .path = command.path};
}

std::vector<kernel_parameter> parameters_of(const kernel_entry& entry,
                                            const kernel_settings& setting,
                                            const kernel_base& kernel) {
  std::vector<kernel_parameter> parameters = {{"threads", std::uint64_t{setting.threads}},
                                              {"iterations_per_call", entry.iterations_per_call}};
  if (entry.instructions_per_iteration != 0) {
    parameters.push_back(
        {"instructions_per_iteration", std::uint64_t{entry.instructions_per_iteration}});
  }
  if (entry.look_alike != nullptr) {
    parameters.push_back({"look_alike", setting.look_alike ? "yes" : "no"});
  }
  for (auto& parameter : kernel.parameters()) parameters.push_back(std::move(parameter));
  return parameters;
}

void write_out(const std::string& text) {
  if (!write_line(stdout, text)) {
    throw stallscope::output_error(errno, "cannot write to standard output");
  }
}

void add_options(cli::command& sub, kernel_command& command, const kernel_entry& entry) {
  const cli::option duration = sub.add_option("--duration", command.duration_s,
                                              "Duration in seconds; 0: until SIGINT or SIGTERM")
                                   .check(cli::range(0.0, 1e6))
                                   .capture_default_str();
  sub.add_option("--iterations", command.iterations, "Number of iterations per thread")
      .check(cli::range(std::uint64_t{1}, std::uint64_t{1} << 60U))
      .excludes(duration);
  sub.add_option("--threads", command.threads,
                 "Number of threads [" + std::to_string(entry.threads) + "]");
  sub.add_option("--cpus", command.cpus,
                 "CPUs to pin the threads to, round-robin, for example 0,2-3");
  sub.add_flag("--json", command.json, "Print JSON also to a terminal");
  if (entry.may_be_padded) {
    sub.add_flag("--padded", command.padded, "Use one cache line per counter, as a control");
  }
  if (entry.rate_per_s > 0) {
    sub.add_option("--rate", command.rate_per_s,
                   "Short waits per second [" + std::to_string(std::lround(entry.rate_per_s)) + "]")
        .check(cli::range(1.0, 1e7));
  }
  if (entry.uses_disk) {
    sub.add_option("--path", command.path,
                   "Directory for its file, or a file or device to overwrite [/var/tmp]");
  }
  sub.add_option("--beside", command.beside,
                 "Harmless threads beside the kernel: idle-pool or poller")
      .check(cli::one_of({"idle-pool", "poller"}));
  if (entry.cured != nullptr) {
    sub.add_flag("--cured", command.cured,
                 std::string("The same work without the fault: ") + entry.cured);
  }
  if (entry.look_alike != nullptr) {
    sub.add_flag("--look-alike", command.look_alike,
                 std::string("Without the fault: ") + entry.look_alike);
  }
}

}  // namespace

void add_kernels(cli::command& app, kernel_command& command) {
  for (const kernel_entry& entry : all_kernels()) {
    cli::command sub = app.add_subcommand(entry.name, entry.what);
    sub.callback([&command, &entry] { command.entry = &entry; });
    // Adds only the options of the named kernel: the start of a program whose instructions are
    // counted should execute few instructions.
    sub.before_options(
        [&command, &entry](cli::command& named) { add_options(named, command, entry); });
    sub.footer(std::string("Expected diagnosis: ") + entry.expected +
               "\nExample: stallscope-kernels " + entry.name + " --duration 2 --json");
  }
}

void run_command(const kernel_command& command) {
  std::signal(SIGPIPE, SIG_IGN);
  end_run_by_signals();
  const kernel_entry& entry = *command.entry;
  run_options options;
  options.iterations = command.iterations;
  if (!command.iterations)
    options.duration_ns = static_cast<std::uint64_t>(command.duration_s * 1e9);
  if (!command.cpus.empty()) options.cpus = perf_events::parse_cpu_list(command.cpus);
  const kernel_settings setting = setting_of(command, options.cpus);
  const auto kernel = entry.make(setting);
  const harmless_threads beside(command.beside);
  const run_report report = run_kernel(entry, setting.threads, *kernel, options, stop);
  const auto parameters = parameters_of(entry, setting, *kernel);
  kernel_entry reported = entry;
  const std::string not_expected = std::string("not ") + entry.expected;
  if (setting.look_alike || setting.cured) reported.expected = not_expected.c_str();
  const bool to_terminal = !command.json && isatty(STDOUT_FILENO) != 0;
  const auto account = kernel->account();
  write_out(to_terminal ? report_text(reported, report, parameters, account)
                        : report_json(reported, report, parameters, account, kernel->states()));
}

void write_list(bool json) {
  std::signal(SIGPIPE, SIG_IGN);
  write_out(json ? list_json(all_kernels()) : list_text(all_kernels()));
}

}  // namespace stallscope::kernels
