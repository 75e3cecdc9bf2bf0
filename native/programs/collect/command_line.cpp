#include "command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "stallscope/collect/failure.hpp"
#include "stallscope/collect/reporter.hpp"
#include "stallscope/perf_events/cpu_list.hpp"

namespace stallscope {
namespace {

constexpr const char* summary =
    "Samples processes, a command, CPUs or a cgroup into a recording directory.";

constexpr const char* examples =
    "Examples:\n"
    "  stallscope-collect -p 1234 -o run --duration 10      a running process\n"
    "  stallscope-collect -p 1234,1250 -o run               several, until they end or Ctrl-C\n"
    "  stallscope-collect -o run -- make -j4                a command and all it starts\n"
    "  stallscope-collect -a -o run --duration 5            all CPUs\n"
    "  stallscope-collect -C 0-3,8 -F 199 -o run            some CPUs, 199 samples a second\n"
    "  stallscope-collect -G system.slice/redis.service -o run\n"
    "  stallscope-collect --stacks dwarf --stack-bytes 16384 -p 1234 -o run\n"
    "  stallscope-collect --probe                           what this user can measure here\n"
    "Exit codes: 0 done; 2 usage; 3 this machine or user cannot; 4 the target failed; 5 empty or "
    "lossy.";

constexpr double longest_duration_s = 1e9;
// A copy has to hold more than a frame, and the size of a sample is a number of 16 bits.
constexpr unsigned least_stack_bytes = 256;
constexpr unsigned most_stack_bytes = 65'528;

// The words as CLI11 fills them in, before they are checked together.
struct raw_options {
  std::vector<pid_t> pids;
  bool all_cpus = false;
  std::string cpus;
  std::uint64_t ring_kib = 0;
  std::uint64_t max_stack = 0;
  std::string python = "auto";
  bool user = false;
  bool kernel = false;
  int protocol = protocol_version;
  bool probe = false;
  bool has_control = false;
  bool has_progress = false;
};

void add_target(CLI::App& app, raw_options& raw, collect_options& options) {
  app.add_option("-p,--pid", raw.pids, "Processes, with their threads and later children")
      ->delimiter(',');
  app.add_flag("-a,--all-cpus", raw.all_cpus, "All CPUs");
  app.add_option("-C,--cpu", raw.cpus, "CPUs, as 0-3,8");
  app.add_option("-G,--cgroup", options.cgroup, "A cgroup, by full path or below its hierarchy");
}

void add_output(CLI::App& app, collect_options& options) {
  app.add_option("-o,--output", options.directory, "Directory of the recording, new or empty");
  app.add_flag("--force", options.force, "Replace the recording that is in the directory");
  app.add_option("--control-fd", options.control_fd,
                 "Read \"enable\" and \"stop\" lines here; its end stops, too");
  app.add_option("--progress-fd", options.progress_fd, "Write progress here as JSON lines");
  app.add_flag("--start-disabled", options.start_disabled,
               "Attach only when the control descriptor says \"enable\"");
}

void add_sampling(CLI::App& app, raw_options& raw, collect_options& options) {
  app.add_option("-e,--event", options.event,
                 "Event, by a name of libpfm4 (default: cycles, else cpu-clock)");
  auto* rate = app.add_option("-F,--freq", options.frequency_hz, "Samples a second and CPU")
                   ->check(CLI::PositiveNumber)
                   ->capture_default_str();
  app.add_option("-c,--count", options.period, "Sample every so many events instead")
      ->excludes(rate)
      ->check(CLI::PositiveNumber);
  app.add_option("--duration", options.duration_s, "Seconds to record")->check(CLI::PositiveNumber);
  auto* user = app.add_flag("--user", raw.user, "User code only");
  app.add_flag("--kernel", raw.kernel, "Fail where kernel code may not be sampled")->excludes(user);
  app.add_option("--ring-kib", raw.ring_kib,
                 "Ring buffer of each CPU, a power of two (default: what the samples need)")
      ->check(CLI::Range(64, 1 << 20));
  app.add_option("--max-stack", raw.max_stack,
                 "Frames of a call chain (default: the kernel's limit)")
      ->check(CLI::Range(1, 1024));
}

void add_python(CLI::App& app, raw_options& raw) {
  app.add_option("--python", raw.python,
                 "Read the Python frames of CPython 3.11 and later (auto, the default), or not")
      ->check(CLI::IsMember({"auto", "off"}));
}

void add_stacks(CLI::App& app, collect_options& options) {
  static const std::map<std::string, stack_wish> ways{{"fp", stack_wish::frame_pointers},
                                                      {"dwarf", stack_wish::copies},
                                                      {"auto", stack_wish::automatic}};
  app.add_option("--stacks", options.stacks,
                 "User stacks by frame pointers (fp), copied to be unwound later (dwarf), or as "
                 "the target needs (auto, the default)")
      ->transform(CLI::Transformer(ways, CLI::ignore_case).description(""))
      ->type_name("fp|dwarf|auto");
  app.add_option("--stack-bytes", options.stack_bytes,
                 "Bytes of each stack copied, a multiple of 8")
      ->capture_default_str()
      ->check(CLI::Range(least_stack_bytes, most_stack_bytes));
}

[[noreturn]] void usage(const std::string& message,
                        const std::string& remedy = "see stallscope-collect --help") {
  throw failure{exit_code::usage, message, remedy};
}

void choose_target(const raw_options& raw, collect_options& options) {
  const int targets = (raw.pids.empty() ? 0 : 1) + (raw.all_cpus || !raw.cpus.empty() ? 1 : 0) +
                      (options.cgroup.empty() ? 0 : 1) + (options.command.empty() ? 0 : 1);
  if (targets == 0)
    usage("no target was named", "name one: -p PID, -a, -C LIST, -G CGROUP or -- COMMAND");
  if (targets > 1 || (raw.all_cpus && !raw.cpus.empty()))
    usage("more than one kind of target was named", "name one of -p, -a, -C, -G and -- COMMAND");
  if (std::any_of(raw.pids.begin(), raw.pids.end(), [](pid_t pid) { return pid <= 0; }))
    usage("a pid is a number above 0");
  options.pids = raw.pids;
  std::sort(options.pids.begin(), options.pids.end());
  options.pids.erase(std::unique(options.pids.begin(), options.pids.end()), options.pids.end());
  if (!raw.cpus.empty()) {
    try {
      options.cpus = parse_cpu_list(raw.cpus);
    } catch (const std::invalid_argument& error) {
      usage(std::string{"-C: "} + error.what());
    }
  }
  options.kind = !raw.pids.empty()          ? target_kind::process
                 : !options.command.empty() ? target_kind::command
                 : !options.cgroup.empty()  ? target_kind::cgroup
                                            : target_kind::cpus;
}

// Closed on exec: the command is not to hold the caller's descriptors.
void check_descriptor(const char* flag, int fd) {
  if (fd >= 0 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) return;
  usage(std::string{flag} + ": no file is open under the number " + std::to_string(fd),
        "let the caller pass the descriptor on");
}

void check(const raw_options& raw, collect_options& options) {
  if (raw.protocol != protocol_version) {
    usage("protocol " + std::to_string(raw.protocol) +
              " was asked for; this is stallscope-collect " STALLSCOPE_VERSION " with protocol " +
              std::to_string(protocol_version),
          "install programs and package of the same version");
  }
  if (raw.probe) return;
  choose_target(raw, options);
  if (options.directory.empty()) usage("no output directory was named", "name one with -o DIR");
  if (raw.ring_kib != 0 && !std::has_single_bit(raw.ring_kib))
    usage("--ring-kib must be a power of two, such as 2048");
  if (options.stack_bytes % 8 != 0) usage("--stack-bytes must be a multiple of 8, such as 8192");
  if (options.start_disabled && options.control_fd < 0)
    usage("--start-disabled needs --control-fd to say when to begin");
  if (!(options.duration_s >= 0 && options.duration_s <= longest_duration_s))
    usage("--duration must be a number of seconds, at most 1e9");
  if (raw.has_progress) check_descriptor("--progress-fd", options.progress_fd);
  if (raw.has_control) check_descriptor("--control-fd", options.control_fd);
  options.ring_bytes = static_cast<std::size_t>(raw.ring_kib) << 10U;
  options.max_stack = static_cast<std::uint16_t>(raw.max_stack);
  options.python = raw.python == "auto";
  options.scope = raw.user     ? privilege_scope::user
                  : raw.kernel ? privilege_scope::kernel
                               : privilege_scope::allowed;
}

}  // namespace

parsed_command_line parse_command_line(const std::vector<std::string>& words) {
  parsed_command_line parsed;
  raw_options raw;
  parsed.options.arguments = words;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) parsed.options.command.assign(dashes + 1, words.end());
  if (dashes != words.end() && parsed.options.command.empty()) usage("no command stands after --");

  CLI::App app{summary, "stallscope-collect"};
  app.set_version_flag("--version", "stallscope-collect " STALLSCOPE_VERSION " (protocol 1)");
  app.footer(examples);
  add_target(app, raw, parsed.options);
  add_sampling(app, raw, parsed.options);
  add_stacks(app, parsed.options);
  add_python(app, raw);
  add_output(app, parsed.options);
  app.add_option("--protocol", raw.protocol,
                 "Version of the progress protocol that the caller speaks");
  app.add_flag("--probe", raw.probe, "Print what this user can measure here, as JSON");
  std::vector<std::string> own{words.begin() + 1, dashes};
  std::reverse(own.begin(), own.end());  // as CLI11 wants them
  try {
    app.parse(own);
  } catch (const CLI::Success& success) {
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&success) != nullptr;
    std::fputs(version ? (std::string{success.what()} + "\n").c_str() : app.help().c_str(), stdout);
    parsed.exit_status = 0;
    return parsed;
  } catch (const CLI::ParseError& error) {
    usage(error.what());
  }
  raw.has_control = app.count("--control-fd") != 0;
  raw.has_progress = app.count("--progress-fd") != 0;
  check(raw, parsed.options);
  parsed.probe = raw.probe;
  return parsed;
}

}  // namespace stallscope
