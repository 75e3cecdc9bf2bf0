#include "stages/stage.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "stages/batch_log.hpp"

namespace stallscope::stages {
namespace {

bool is_stage_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

thread_local stage_registry* registry_of_thread = nullptr;

}  // namespace

stage::stage(stage_registry& registry, std::string name)
    : scheduler_(registry.scheduler_),
      settings_(registry.settings_),
      registry_(registry),
      name_(std::move(name)),
      number_(registry.add(*this, name_)) {}

stage::~stage() {
  assert(!scheduled_);
  registry_.remove(*this);
}

void stage::schedule_now() {
  scheduled_ = true;
  tally_.scheduled.add(1);
  scheduler_.schedule(*this);
}

void stage::count_batch(std::size_t calls) noexcept {
  tally_.executed.add(calls);
  tally_.batch(calls);
  if (registry_.log_ != nullptr) {
    registry_.log_->record(number_, calls);
  }
}

stage_registry::stage_registry(reactor::task_scheduler& scheduler, stage_settings settings,
                               batch_log* log)
    : scheduler_(scheduler), settings_(settings), log_(log) {
  if (settings_.max_batch == 0 || settings_.queue_limit == 0) {
    throw std::invalid_argument("max_batch and queue_limit of a stage must be at least 1");
  }
}

std::vector<stage_counts> stage_registry::counts() const {
  std::vector<stage_counts> all;
  all.reserve(stages_.size());
  for (const auto* known : stages_) {
    all.push_back(known->counts());
  }
  return all;
}

std::vector<std::string> stage_registry::names() const {
  std::vector<std::string> all;
  all.reserve(stages_.size());
  for (const auto* known : stages_) {
    all.push_back(known->name());
  }
  return all;
}

bool stage_registry::idle() const noexcept {
  return std::ranges::all_of(stages_, [](const stage* known) { return known->queued() == 0; });
}

void stage_registry::drain() {
  while (!idle()) {
    for (auto* known : stages_) {
      known->run_queued(SIZE_MAX);
    }
  }
}

std::uint32_t stage_registry::add(stage& added, std::string_view name) {
  if (!is_stage_name(name)) {
    throw std::invalid_argument("a stage name may contain only a-z, 0-9 and _: \"" +
                                std::string(name) + "\"");
  }
  if (std::ranges::any_of(stages_, [&](const stage* known) { return known->name() == name; })) {
    throw std::invalid_argument("there is a stage \"" + std::string(name) + "\" already");
  }
  stages_.push_back(&added);
  return static_cast<std::uint32_t>(stages_.size() - 1);
}

void stage_registry::remove(const stage& removed) noexcept { std::erase(stages_, &removed); }

thread_registry::thread_registry(stage_registry& registry) noexcept
    : before_(std::exchange(registry_of_thread, &registry)) {}

thread_registry::~thread_registry() { registry_of_thread = before_; }

stage_registry& thread_registry::current() {
  if (registry_of_thread == nullptr) {
    throw std::logic_error("this thread has no thread_registry to make a stage in");
  }
  return *registry_of_thread;
}

}  // namespace stallscope::stages
