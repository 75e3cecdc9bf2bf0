#include "server/paths/path_runner.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::server {

path_runner::path_runner(std::span<const step> steps, owner& owner)
    : steps_(steps), owner_(owner) {}

path_runner::path_runner(std::span<const step> steps, owner& owner,
                         stages::stage_registry& registry)
    : steps_(steps), owner_(owner), max_wave_(registry.settings().max_batch) {
  for (const auto& current : steps_) {
    stages_.push_back(std::make_unique<step_stage>(registry, current.name,
                                                   step_handler{&current, nullptr, this}));
  }
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    stages_[i - 1]->handler().next = stages_[i].get();
  }
}

// The slow path of submit(): the call does not join the current wave.
bool path_runner::submit_slow(request_call& call) {
  if (stages_.empty()) {
    run_all(call);
    owner_.finished(call);
    return false;
  }
  waiting_.push(&call);
  return under_way_ >= max_wave_;
}

void path_runner::run_single(request_call& call) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    stages_[i]->run_single([&]() noexcept { return run_step(steps_[i], call); });
  }
  owner_.finished(call);
}

// After a failed step, nothing runs and nothing fails.
bool path_runner::run_step(const step& current, request_call& call) noexcept {
  if (call.error) return true;
  try {
    current.run(current.context, call);
  } catch (...) {
    call.error = std::current_exception();
    return false;
  }
  return true;
}

void path_runner::ended(request_call& call) noexcept {
  owner_.finished(call);
  if (--under_way_ == 0 && !waiting_.empty()) {
    begin_wave();
  }
}

void path_runner::begin_wave() {
  const auto wave = std::min(max_wave_, waiting_.size());
  under_way_ = wave;
  for (std::size_t i = 0; i < wave; ++i) {
    stages_.front()->enqueue(waiting_.pop());
  }
}

void path_runner::run_all(request_call& call) const {
  try {
    for (const auto& current : steps_) {
      current.run(current.context, call);
    }
  } catch (...) {
    call.error = std::current_exception();
  }
}

// The request stays in place, so that replies keep their order; its later steps are skipped.
void path_runner::step_handler::failed(request_call* call,
                                       std::exception_ptr thrown) const noexcept {
  call->error = std::move(thrown);
  pass_on(call);
}

}  // namespace stallscope::server
