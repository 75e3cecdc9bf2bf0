#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <map>

#include "collect/reporter.hpp"
#include "words.hpp"

namespace stallscope::collect {
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
    "  stallscope-collect count --help                      counts events instead\n"
    "  stallscope-collect -o run -e task-clock --with page-faults,context-switches -- make\n"
    "  stallscope-collect --probe                           what this user can measure here\n"
    "Exit codes: 0 done; 2 usage; 3 this machine or user cannot; 4 the target failed; 5 empty or "
    "lossy.";

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
  bool has_stack_bytes = false;
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
  app.add_option("--with", options.with,
                 "Count these events in its group and put their counts into each sample; a name "
                 "may bring its encoding, NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]]")
      ->delimiter(',');
  app.add_option("--leader", options.leader,
                 "The event that leads this group without sampling, where one must (slots)");
  auto* rate = app.add_option("-F,--freq", options.frequency_hz, "Samples a second and CPU")
                   ->check(CLI::PositiveNumber)
                   ->capture_default_str();
  app.add_option("-c,--count", options.period, "Sample after every N events instead")
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

void choose_target(const raw_options& raw, collect_options& options) {
  const int targets = (raw.pids.empty() ? 0 : 1) + (raw.all_cpus || !raw.cpus.empty() ? 1 : 0) +
                      (options.cgroup.empty() ? 0 : 1) + (options.command.empty() ? 0 : 1);
  if (targets == 0)
    usage("no target was named", "name one: -p PID, -a, -C LIST, -G CGROUP or -- COMMAND");
  if (targets > 1 || (raw.all_cpus && !raw.cpus.empty()))
    usage("more than one kind of target was named", "name one of -p, -a, -C, -G and -- COMMAND");
  options.pids = checked_pids(raw.pids);
  options.cpus = checked_cpus(raw.cpus);
  options.kind = !raw.pids.empty()          ? target_kind::process
                 : !options.command.empty() ? target_kind::command
                 : !options.cgroup.empty()  ? target_kind::cgroup
                                            : target_kind::cpus;
}

void check(const raw_options& raw, collect_options& options) {
  check_protocol(raw.protocol);
  if (raw.probe) return;
  choose_target(raw, options);
  if (options.directory.empty()) usage("no output directory was named", "name one with -o DIR");
  if (raw.ring_kib != 0 && !std::has_single_bit(raw.ring_kib))
    usage("--ring-kib must be a power of two, such as 2048");
  if (options.stack_bytes % 8 != 0) usage("--stack-bytes must be a multiple of 8, such as 8192");
  if (raw.has_stack_bytes && options.stacks == stack_wish::frame_pointers)
    usage("--stacks fp copies no stacks, so --stack-bytes says nothing",
          "leave out one of them, or copy with --stacks dwarf");
  if (options.start_disabled && options.control_fd < 0)
    usage("--start-disabled needs --control-fd to say when to begin");
  check_duration(options.duration_s);
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
  const auto divided = divide(words);
  parsed.options.command = divided.command;

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
  if (!parse_words(app, divided.own)) {
    parsed.exit_status = 0;
    return parsed;
  }
  raw.has_control = app.count("--control-fd") != 0;
  raw.has_progress = app.count("--progress-fd") != 0;
  raw.has_stack_bytes = app.count("--stack-bytes") != 0;
  check(raw, parsed.options);
  parsed.probe = raw.probe;
  return parsed;
}

}  // namespace stallscope::collect
