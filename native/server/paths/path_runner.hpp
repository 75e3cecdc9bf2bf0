// Takes requests through the steps of a path, in one of two ways: all steps at once for each
// request (stages off), or each step as an execution stage of its own (stages on). The replies are
// the same, and the requests end in the order they were submitted. Belongs to the thread of the
// path.
//
// Costs over calling the steps: nothing with stages off; with stages on what execution_stage.hpp
// says.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "server/paths/path.hpp"
#include "stages/execution_stage.hpp"

namespace stallscope::server {

class path_runner {
 public:
  // Who submits requests. finished() comes once for each, in their order, within submit() with
  // stages off. Where call.error is set a step threw, later ones were left out, and what the path
  // has written of a reply is to be replaced. It may submit further requests.
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

  // Stages off. The steps stay where they are as long as the runner.
  path_runner(std::span<const step> steps, owner& owner);
  // Stages on: one is added to the registry for each step, under its name.
  path_runner(std::span<const step> steps, owner& owner, stages::stage_registry& registry);

  // The call stays in place until it is finished. Whether a whole wave waits to be run: further
  // calls would only leave the data cache before their turn.
  bool submit(request_call& call) {
    if (under_way_ >= max_wave_ || !waiting_.empty()) return submit_apart(call);
    ++under_way_;
    stages_.front()->enqueue(&call);
    return under_way_ >= max_wave_;
  }

  // Whether stages are on and nothing is under way in them. A request that nothing else waits
  // behind then gains nothing by a queue: one of the next two runs it there and then, as batches of
  // one, at little more than it costs with stages off.
  [[nodiscard]] bool free() const noexcept {
    return !stages_.empty() && under_way_ == 0 && waiting_.empty();
  }
  void run_alone(request_call& call);
  // For a path of one step, which `work` does without a call and so without the owner's finished().
  template <typename Work>
  void run_only_step(Work work) noexcept {
    stages_.front()->run_alone(work);
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

  [[gnu::noinline]] bool submit_apart(request_call& call);
  void run_all(request_call& call) const;
  static bool run_step(const step& one, request_call& call) noexcept;
  [[gnu::noinline]] void begin_wave();
  [[gnu::noinline]] void ended(request_call& call) noexcept;

  std::span<const step> steps_;
  owner& owner_;
  std::vector<std::unique_ptr<step_stage>> stages_;
  std::size_t max_wave_ = 0;   // 0: stages are off
  std::size_t under_way_ = 0;  // of this wave
  stages::call_queue<request_call*> waiting_{0};
};

// Inlined into the stages' loops: the two run for every step of every request.
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
