#include "server/shards/running_server.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <latch>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/failure.hpp"
#include "server/shards/shard.hpp"

namespace stallscope::server {
namespace {

// Blocked before any thread is created, so that all threads inherit the mask.
descriptor watch_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor made(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!made) throw std::system_error(errno, std::generic_category(), "signalfd");
  return made;
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot pin a thread to CPU " + std::to_string(cpu));
  }
}

// With several shards, one cannot end alone: the others would wait for it. So an exception ends the
// process. What was acknowledged is in the log.
void serve_or_exit(shard& owner) noexcept {
  try {
    owner.serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stallscope-server: error: shard %zu: %s\n", owner.index(), error.what());
    std::_Exit(static_cast<int>(exit_code::unable));
  }
}

// The threads of all shards except the first, from pinning to exit.
class shard_threads {
 public:
  explicit shard_threads(shared_server& server)
      : server_(server),
        pinned_(static_cast<std::ptrdiff_t>(server.shards().size()) - 1),
        started_(server.shards().size()),
        errors_(server.shards().size()) {
    prepare(0);
    if (errors_[0]) std::rethrow_exception(errors_[0]);
    for (std::size_t i = 1; i < server.shards().size(); ++i) {
      if (!start(i)) break;
    }
    pinned_.wait();
  }

  [[nodiscard]] const std::vector<shard_thread>& started() const { return started_; }
  void check() const {
    for (const auto& error : errors_) {
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  void prepare(std::size_t index) noexcept {
    try {
      const int cpu = server_.options().cpus[index];
      pin(cpu);
      started_[index] = {static_cast<pid_t>(::syscall(SYS_gettid)), cpu};
      if (index == 0) return;  // the main thread keeps the process name
      ::pthread_setname_np(::pthread_self(), ("shard-" + std::to_string(index)).c_str());
    } catch (...) {
      errors_[index] = std::current_exception();
    }
  }
  // Returns false if the thread cannot be created: this shard and the following ones then count as
  // done, so that the others can end.
  bool start(std::size_t index) {
    try {
      threads_.emplace_back([this, index] { work(index); });
      return true;
    } catch (const std::exception& error) {
      errors_[index] = std::make_exception_ptr(
          std::runtime_error("cannot start thread " + std::to_string(index + 1) + " of " +
                             std::to_string(errors_.size()) + ": " + error.what()));
    }
    for (std::size_t left = index; left < errors_.size(); ++left) {
      pinned_.count_down();
      server_.shard_is_done();
    }
    return false;
  }
  void work(std::size_t index) {
    prepare(index);
    pinned_.count_down();
    serve_or_exit(*server_.shards()[index]);
  }

  shared_server& server_;
  std::latch pinned_;
  std::vector<shard_thread> started_;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::jthread> threads_;
};

}  // namespace

running_server::running_server(server_options options)
    : server_(std::move(options)), signals_(watch_signals()) {
  const server_options& settings = server_.options();
  shard& first = *server_.shards().front();
  if (settings.tcp) {
    tcp_ = listen_tcp(settings.bind, settings.port);
    server_.set_port(tcp_->port);
    acceptors_.push_back(std::make_unique<acceptor>(server_, first, tcp_->socket.get()));
  }
  if (!settings.unix_path.empty()) {
    unix_.emplace(settings.unix_path);
    acceptors_.push_back(std::make_unique<acceptor>(server_, first, unix_->socket().get()));
  }
  if (settings.metrics_port) {
    metrics_.emplace(server_, first.loop(), static_cast<std::uint16_t>(*settings.metrics_port));
  }
  first.loop().watch(signals_.get(), EPOLLIN, *this);
}

running_server::~running_server() = default;

void running_server::run(const std::function<void(const ready_server&)>& ready) {
  const shard_threads threads(server_);
  try {
    threads.check();
    ready_server ready_state{.port = {}, .metrics_port = {}, .threads = threads.started()};
    if (tcp_) ready_state.port = tcp_->port;
    if (metrics_) ready_state.metrics_port = metrics_->port();
    ready(ready_state);
  } catch (...) {
    end();
    serve_or_exit(*server_.shards().front());
    throw;
  }
  serve_or_exit(*server_.shards().front());
}

std::vector<std::string> running_server::disk_messages() const {
  std::vector<std::string> all;
  for (const auto& owner_shard : server_.shards()) {
    if (owner_shard->disk() == nullptr) continue;
    const std::vector<std::string>& more = owner_shard->disk()->messages();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void running_server::write_batches(std::ostream& out) const {
  stages::batch_file file;
  for (const auto& owner_shard : server_.shards()) {
    const std::size_t replayed = owner_shard->executor().path_stages();
    file.stages = owner_shard->stages().names();
    file.stages.resize(std::min(file.stages.size(), replayed));
    std::ranges::copy_if(owner_shard->batches().recorded(), std::back_inserter(file.batches),
                         [&](const stages::batch& batch) { return batch.stage < replayed; });
  }
  stages::write_batches(out, file);
}

void running_server::on_events(std::uint32_t /*events*/) {
  signalfd_siginfo got{};
  while (::read(signals_.get(), &got, sizeof got) == static_cast<ssize_t>(sizeof got)) end();
}

void running_server::end() {
  for (auto& open_acceptor : acceptors_) open_acceptor->stop();
  tcp_.reset();
  if (unix_) unix_->close();
  server_.begin_shutdown();
}

}  // namespace stallscope::server
