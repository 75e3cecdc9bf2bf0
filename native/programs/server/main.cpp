// stallscope-server: the reference server with batched execution. Prints one JSON line when it is
// ready; SIGTERM and SIGINT shut it down in order.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/json.hpp"
#include "base/program.hpp"
#include "command_line.hpp"
#include "server/shards/running_server.hpp"

namespace {

namespace server = stallscope::server;

using stallscope::exit_code;
using stallscope::failure;
using stallscope::json;

// Raises the descriptor limit for all clients; lowers --maxclients if that is not permitted.
void make_room_for_clients(server::server_options& options) {
  constexpr rlim_t own = 64;  // sockets, files and eventfds of the server itself
  const rlim_t per_shard = 4;
  const rlim_t files = options.path == server::path_kind::disk ? 512 : 0;  // segments of the log
  const rlim_t others = own + per_shard * options.cpus.size() + files;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = options.limits.clients + others;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return;
  const rlim_t fit = limit.rlim_cur > others ? limit.rlim_cur - others : 1;
  std::fprintf(
      stderr, "stallscope-server: --maxclients is lowered to %llu: the limit is %llu descriptors\n",
      static_cast<unsigned long long>(fit), static_cast<unsigned long long>(limit.rlim_cur));
  options.limits.clients = fit;
}

void say_ready(const server::ready_server& ready, const std::string& unix_path) {
  json line{{"event", "ready"}, {"pid", ::getpid()}};
  line["port"] = ready.port ? json(*ready.port) : json();
  line["unix"] = unix_path.empty() ? json() : json(unix_path);
  line["metrics_port"] = ready.metrics_port ? json(*ready.metrics_port) : json();
  line["threads"] = json::array();
  for (const auto& thread : ready.threads) {
    line["threads"].push_back({{"tid", thread.tid}, {"cpu", thread.cpu}});
  }
  // The path may not be valid UTF-8.
  const std::string text = line.dump() + "\n";
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    throw stallscope::output_error(errno, "standard output");
  }
}

// Opened before serving, so that a bad path is reported at once.
stallscope::descriptor open_batches(const std::string& path) {
  if (path.empty()) return {};
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  stallscope::descriptor file(::open(path.c_str(), flags, 0644));
  if (!file) throw stallscope::output_error(errno, path);
  return file;
}

void write_batches(const server::running_server& running, const stallscope::descriptor& file) {
  std::ostringstream text;
  running.write_batches(text);
  const std::string bytes = text.str();
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t now = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (now < 0 && errno != EINTR) {
      throw stallscope::output_error(errno, "--log-batches");
    }
    written += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
  }
}

exit_code serve(const stallscope::program& program, int argc, char** argv) {
  auto parsed = server::parse_command_line(argc, argv);
  if (!parsed) return exit_code::done;
  if (parsed->die_with_parent && !program.follow_parent()) return exit_code::done;
  if (parsed->offline.requested()) {
    server::run_offline(parsed->offline, parsed->options);
    return exit_code::done;
  }
  make_room_for_clients(parsed->options);
  const stallscope::descriptor batches = open_batches(parsed->options.log_batches);
  server::running_server running(parsed->options);
  for (const std::string& message : running.disk_messages()) {
    std::fprintf(stderr, "stallscope-server: %s\n", message.c_str());
  }
  running.run([&](const auto& ready) { say_ready(ready, parsed->options.unix_path); });
  if (batches) write_batches(running, batches);
  return exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-server", "");
  return program.run([&] {
    try {
      return serve(program, argc, argv);
    } catch (const std::invalid_argument& error) {  // a directory or an address; says what to do
      throw failure(exit_code::usage, error.what(), "");
    }
  });
}
