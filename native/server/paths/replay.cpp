#include "server/paths/replay.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "base/clock.hpp"
#include "resp/request_parser.hpp"
#include "server/paths/path_runner.hpp"
#include "server/paths/replay_commands.hpp"

// All code to be counted runs within this function; the simulator finds it by name.
extern "C" [[gnu::noipa]] void stallscope_replay_requests(void (*run)(void*), void* context) {
  run(context);
}

namespace stallscope::server {
namespace {

// Tasks run at the end and find no work: the replay decides what runs when.
class replay_scheduler final : public reactor::task_scheduler {
 public:
  replay_scheduler() { now_ = std::chrono::nanoseconds{1}; }  // constant; 0 means no time

  void schedule(reactor::task& work) override { tasks_.push_back(&work); }
  void run_all() {
    for (; !tasks_.empty(); tasks_.pop_front()) {
      tasks_.front()->run();
    }
  }

 private:
  bool check_quota() override {
    unchecked_calls_ = 63;  // as in a server with short calls
    return false;
  }

  std::deque<reactor::task*> tasks_;
};

struct replayed_call final : request_call {
  std::vector<std::string_view> own_words;
};

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

// The requests of a file in order, and their replies.
class request_run final : public path_runner::owner {
 public:
  request_run(std::string requests, path* states_of)
      : requests_(std::move(requests)), rest_(requests_), states_of_(states_of) {}
  request_run(const request_run&) = delete;
  request_run& operator=(const request_run&) = delete;
  request_run(request_run&&) = delete;
  request_run& operator=(request_run&&) = delete;
  ~request_run() = default;

  // Returns false after the last request.
  bool submit_next(path_runner& to) {
    if (rest_.empty()) {
      return false;
    }
    if (parser_.parse(rest_) != resp::parse_status::request) {
      throw std::runtime_error("the bytes at " + std::to_string(requests_.size() - rest_.size()) +
                               " are not a whole request");
    }
    rest_ = rest_.subspan(parser_.consumed());
    auto& call = take_call();
    call.own_words.assign(parser_.words().begin(), parser_.words().end());  // as the server does
    call.renew(call.own_words, writer_);
    to.submit(call);
    return true;
  }

  [[nodiscard]] replay_report report() const {
    auto report = report_;
    report.reply_bytes = replies_.size();
    report.checksum = fnv1a(replies_.view());
    return report;
  }

 private:
  replayed_call& take_call() {
    if (idle_.empty()) {
      calls_.emplace_back();
      calls_.back().state = states_of_ == nullptr ? nullptr : states_of_->make_state();
      return calls_.back();
    }
    auto& call = *idle_.back();
    idle_.pop_back();
    return call;
  }
  void finished(request_call& call) noexcept override {
    if (call.error) {
      writer_.error("ERR internal error");
    }
    ++report_.requests;
    report_.error_replies += replies_.view()[counted_bytes_] == '-' ? 1U : 0U;
    counted_bytes_ = replies_.size();
    idle_.push_back(static_cast<replayed_call*>(&call));
  }

  std::string requests_;
  std::span<char> rest_;
  path* states_of_;
  resp::request_parser parser_;
  resp::byte_buffer replies_;
  resp::reply_writer writer_{replies_};
  std::deque<replayed_call> calls_;
  std::vector<replayed_call*> idle_;
  std::size_t counted_bytes_ = 0;
  replay_report report_;
};

struct run_times {
  double seconds;
  double cpu_seconds;
};

template <typename Work>
run_times timed(Work work) {
  const auto begin_cpu_ns = thread_cpu_ns();
  const auto begin_ns = monotonic_ns();
  stallscope_replay_requests([](void* context) { (*static_cast<Work*>(context))(); }, &work);
  const auto end_ns = monotonic_ns();
  return {static_cast<double>(end_ns - begin_ns) / 1e9,
          static_cast<double>(thread_cpu_ns() - begin_cpu_ns) / 1e9};
}

// The stages of a path, run by hand: the first on requests of the file, the others on the calls
// that reached them.
class batch_run {
 public:
  batch_run(std::span<const step> steps, request_run& requests)
      : requests_(requests), runner_(steps, requests, registry_) {}
  batch_run(const batch_run&) = delete;
  batch_run& operator=(const batch_run&) = delete;
  batch_run(batch_run&&) = delete;
  batch_run& operator=(batch_run&&) = delete;
  ~batch_run() {
    registry_.drain();
    scheduler_.run_all();
  }

  [[nodiscard]] std::vector<std::string> stages() const { return registry_.names(); }

  void run(std::span<const stages::batch> batches) {
    for (std::size_t at = 0; !ended_; at = at + 1 == batches.size() ? 0 : at + 1) {
      run_batch(batches[at]);
    }
    registry_.drain();
  }

 private:
  void run_batch(const stages::batch& next) {
    if (next.stage == 0) {
      for (std::uint32_t i = 0; i < next.calls && !ended_; ++i) {
        ended_ = !requests_.submit_next(runner_);
      }
    }
    registry_.run_queued(next.stage, next.calls);
  }

  // No queue is longer than this, whatever the file contains.
  static constexpr std::size_t queue_limit = std::size_t{1} << 16U;

  replay_scheduler scheduler_;
  stages::stage_registry registry_{scheduler_,
                                   {.max_batch = queue_limit, .queue_limit = queue_limit}};
  request_run& requests_;
  path_runner runner_;
  bool ended_ = false;
};

}  // namespace

replayed_path::replayed_path(std::unique_ptr<path> own)
    : own_(std::move(own)), commands_(std::make_unique<replay_commands>()) {
  if (own_ != nullptr) {
    steps_.assign(own_->steps().begin(), own_->steps().end());
  }
  steps_.push_back({"execute", commands_.get(), &replay_commands::run_step});
}

replayed_path::~replayed_path() = default;

std::span<const step> replayed_path::steps() const { return steps_; }

replay_report replayed_path::run_at_once(std::string requests) {
  request_run run(std::move(requests), own_.get());
  path_runner runner(steps_, run);
  const auto times = timed([&] {
    while (run.submit_next(runner)) {
    }
  });
  auto report = run.report();
  report.seconds = times.seconds;
  report.cpu_seconds = times.cpu_seconds;
  return report;
}

replay_report replayed_path::run_in_batches(std::string requests,
                                            const stages::batch_file& batches) {
  request_run run(std::move(requests), own_.get());
  batch_run stages(steps_, run);
  if (stages.stages() != batches.stages) {
    throw std::runtime_error("the batches belong to other stages than those of this path");
  }
  if (std::ranges::none_of(batches.batches, [](const auto& batch) { return batch.stage == 0; })) {
    throw std::runtime_error("the first stage has no batch");
  }
  const auto times = timed([&] { stages.run(batches.batches); });
  auto report = run.report();
  report.seconds = times.seconds;
  report.cpu_seconds = times.cpu_seconds;
  return report;
}

stages::batch_file replayed_path::even_batches(std::uint32_t calls) const {
  stages::batch_file file;
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    file.stages.push_back(steps_[i].name);
    file.batches.push_back({i, calls});
  }
  return file;
}

}  // namespace stallscope::server
