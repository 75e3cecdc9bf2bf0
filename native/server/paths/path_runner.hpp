// Runs requests through the steps of a path: all steps at once (stages off), or each step as an
// execution stage (stages on). Replies are the same, and requests finish in the order of
// submission.
//
// Cost over calling the steps: none with stages off, else that of execution_stage.hpp. Thread: that
// of the path.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "server/paths/path.hpp"
#include "stages/execution_stage.hpp"

namespace stallscope::server {

class path_runner {
 public:
  // The submitter of requests. finished() is called once per request, in order, and within submit()
  // if stages are off. If call.error is set, a step threw, later steps were skipped, and any
  // partial reply of the path must be replaced. May submit more requests.
  class owner {
   public:
    virtual void finished(request_call& call) noexcept = 0;

   protected:
    ~owner() = default;
  };

  path_runner(const path_runner&) = delete;
  path_runner& operator=(const path_runner&) = delete;
  path_runner(path_runner&&) = delete;
  path_runner& operator=(path_runner&&) = delete;
  ~path_runner() = default;

  // Stages off. The steps outlive the runner.
  path_runner(std::span<const step> steps, owner& owner);
  // Stages on: adds a stage per step to the registry, with the name of the step.
  path_runner(std::span<const step> steps, owner& owner, stages::stage_registry& registry);

  // The call stays in place until it is finished. Returns true if a full wave is waiting to run:
  // more calls would only evict each other from the data cache.
  bool submit(request_call& call) {
    if (under_way_ >= max_wave_ || !waiting_.empty()) return submit_slow(call);
    ++under_way_;
    stages_.front()->enqueue(&call);
    return under_way_ >= max_wave_;
  }

  // Whether stages are on and empty. A single request then gains nothing from a queue; the next two
  // functions run it at once, as batches of one, at little more than the cost with stages off.
  [[nodiscard]] bool free() const noexcept {
    return !stages_.empty() && under_way_ == 0 && waiting_.empty();
  }
  void run_single(request_call& call);
  // For a path of one step: `work` is the step, without a call and without finished().
  template <typename Work>
  void run_only_step(Work work) noexcept {
    stages_.front()->run_single(work);
  }

 private:
  struct step_handler;
  using step_stage = stages::execution_stage<step_handler>;
  struct step_handler {
    using call = request_call*;
    const step* work;
    step_stage* next;  // null after the last step
    path_runner* runner;

    void run(request_call* call) const;
    void failed(request_call* call, std::exception_ptr thrown) const noexcept;
    void pass_on(request_call* call) const noexcept;
  };

  [[gnu::noinline]] bool submit_slow(request_call& call);
  void run_all(request_call& call) const;
  static bool run_step(const step& current, request_call& call) noexcept;
  [[gnu::noinline]] void begin_wave();
  [[gnu::noinline]] void ended(request_call& call) noexcept;

  std::span<const step> steps_;
  owner& owner_;
  std::vector<std::unique_ptr<step_stage>> stages_;
  std::size_t max_wave_ = 0;   // 0 if stages are off
  std::size_t under_way_ = 0;  // of this wave
  stages::call_queue<request_call*> waiting_{0};
};

// Inline in the loops of the stages: both run for every step of every request.
inline void path_runner::step_handler::pass_on(request_call* call) const noexcept {
  if (next != nullptr) {
    next->enqueue(call);
  } else {
    runner->ended(*call);
  }
}

inline void path_runner::step_handler::run(request_call* call) const {
  if (!call->error) {
    work->run(work->context, *call);
  }
  pass_on(call);
}

}  // namespace stallscope::server
