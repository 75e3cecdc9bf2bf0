#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include "base/failure.hpp"

namespace stallscope::known_disk {
namespace {

constexpr std::uint64_t ns_per_us = 1000;
constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t longest_us = 600'000'000;
constexpr std::uint64_t most_requests = std::uint64_t{1} << 40U;

failure wrong(const std::string& what) {
  return {exit_code::usage, what, "see stallscope-known-disk --help"};
}

void add_faults(CLI::App& app, service_plan& plan, std::uint64_t& slow_us) {
  const CLI::Range counts(std::uint64_t{1}, most_requests);
  app.add_option("--fail-every", plan.fail_every, "Every Nth request fails with EIO")
      ->check(counts);
  app.add_option("--fail-after", plan.fail_after, "After N requests all fail with EIO")
      ->check(counts);
  auto* slow = app.add_option("--slow-us", slow_us, "The service time of slow requests")
                   ->check(CLI::Range(std::uint64_t{0}, longest_us));
  app.add_option("--slow-every", plan.slow_every, "Every Nth request is slow")
      ->check(counts)
      ->needs(slow);
  app.add_option("--slow-after", plan.slow_after, "After N requests all are slow")
      ->check(counts)
      ->needs(slow);
}

void add_limits(CLI::App& app, command_line& line, std::uint64_t& slice_ms) {
  app.add_option("--max-background", line.disk.max_background,
                 "Requests the kernel lets wait here; few are a hidden limit")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  app.add_option("--slice-requests", line.plan.slice_requests,
                 "A rate limiter: so many begin in each slice of time")
      ->check(CLI::Range(std::uint64_t{1}, most_requests));
  app.add_option("--slice-ms", slice_ms, "The length of a slice")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{60'000}))
      ->capture_default_str();
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  CLI::App app("A disk whose response curve is known: one file over FUSE, P servers of time S",
               "stallscope-known-disk");
  app.set_version_flag("--version", "stallscope-known-disk " STALLSCOPE_VERSION);
  command_line line;
  std::uint64_t service_us = 2000;
  std::uint64_t slow_us = 0;
  std::uint64_t slice_ms = 100;
  app.add_option("--size-bytes", line.disk.size_bytes, "Size of the file")
      ->check(CLI::Range(std::uint64_t{4096}, std::uint64_t{1} << 50U))
      ->capture_default_str();
  app.add_option("--servers", line.plan.servers, "How many requests are served at once")
      ->check(CLI::Range(1U, 4096U))
      ->capture_default_str();
  app.add_option("--service-us", service_us, "Time a request is served; below 1000 our own shows")
      ->check(CLI::Range(std::uint64_t{0}, longest_us))
      ->capture_default_str();
  app.add_flag("--exponential", line.plan.exponential, "Service times vary, that being their mean");
  app.add_option("--seed", line.plan.seed, "Of those times")->capture_default_str();
  add_limits(app, line, slice_ms);
  add_faults(app, line.plan, slow_us);
  app.footer(
      "Tells its file in one JSON line, and serves until it is ended or its parent ends; nothing\n"
      "stays. Example: stallscope-known-disk --servers 8 --service-us 2000");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw wrong(error.what());
    app.exit(error);  // --help, --version
    return std::nullopt;
  }
  line.plan.service_ns = service_us * ns_per_us;
  line.plan.slow_service_ns = slow_us * ns_per_us;
  line.plan.slice_ns = slice_ms * ns_per_ms;
  return line;
}

}  // namespace stallscope::known_disk
