#include "collect/stack_decision.hpp"

#include <algorithm>
#include <cmath>

#include "base/visible_text.hpp"

namespace stallscope::collect {
namespace {

constexpr double least_whole_share = 0.95;
// Prologues and epilogues are described by the stack pointer even in code that keeps frame
// pointers.
constexpr double least_code_share = 0.8;
constexpr std::size_t fewest_samples = 8;
// Of a target with many processes, one that was hardly seen says nothing about all.
constexpr std::size_t fewest_samples_of_one = 4;
constexpr std::size_t most_named = 3;

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(share * 100))) + " %";
}

std::string shown(const std::string& name) {
  return name.empty() ? "the process" : visible_text(name);
}

double whole_share(const process_evidence& process) {
  return static_cast<double>(process.whole) / static_cast<double>(process.samples);
}

bool breaks_off(const process_evidence& process) {
  return process.samples != 0 && whole_share(process) < least_whole_share;
}

std::string of_samples(const process_evidence& process) {
  return "frame pointers reach the entry in " + percent(whole_share(process)) + " of " +
         shown(process.name) + "'s first " + std::to_string(process.samples) + " samples";
}

std::string of_code(const std::string& name, std::optional<double> share) {
  if (!share) return "the binaries of " + shown(name) + " could not be read in time";
  return percent(*share) + " of the code of " + shown(name) +
         " and its libraries keeps frame pointers";
}

process_stacks decide_one(const process_evidence& process) {
  process_stacks stacks{process.pid, stack_kind::copies, process.samples, std::nullopt};
  if (process.samples != 0) stacks.whole_share = whole_share(process);
  const bool kept = samples_decide(process.samples, process.whole)
                        ? !breaks_off(process)
                        : process.code_share.value_or(0) >= least_code_share;
  if (kept) stacks.kind = stack_kind::frame_pointers;
  return stacks;
}

std::string why_one(const process_evidence& process) {
  if (samples_decide(process.samples, process.whole)) return of_samples(process);
  return of_code(process.name, process.code_share) + ", and it was idle";
}

// "of 12 processes 5 have chains that break off: redis-server (3 %), gcc (0 %), sh (50 %), ..."
std::string list_of(std::span<const process_evidence* const> broken, std::size_t all) {
  std::string text = "of " + std::to_string(all) + " processes " + std::to_string(broken.size()) +
                     " have chains that frame pointers do not bring to the entry: ";
  for (std::size_t i = 0; i < std::min(broken.size(), most_named); ++i) {
    const auto& one = *broken[i];
    text.append(i == 0 ? "" : ", ").append(shown(one.name));
    text.append(one.samples != 0 ? " (" + percent(whole_share(one)) + " whole)" : " (idle)");
  }
  return text.append(broken.size() > most_named ? ", ..." : "");
}

}  // namespace

bool samples_decide(std::size_t samples, std::size_t whole) {
  return samples >= fewest_samples ||
         (samples != 0 &&
          static_cast<double>(whole) < least_whole_share * static_cast<double>(samples));
}

stack_choice decide_each(std::span<const process_evidence> processes) {
  stack_choice choice;
  std::vector<const process_evidence*> copied;
  for (const auto& process : processes) {
    choice.processes.push_back(decide_one(process));
    if (choice.processes.back().kind == stack_kind::copies) copied.push_back(&process);
  }
  choice.kind = copied.empty()                     ? stack_kind::frame_pointers
                : copied.size() < processes.size() ? stack_kind::mixed
                                                   : stack_kind::copies;
  choice.why = processes.size() == 1 ? why_one(processes.front())
               : copied.empty()      ? "frame pointers reach the entry in all " +
                                      std::to_string(processes.size()) + " processes"
                                : list_of(copied, processes.size());
  return choice;
}

stack_choice decide_for_all(std::span<const process_evidence> processes) {
  stack_choice choice;
  std::vector<const process_evidence*> broken;
  std::size_t samples = 0;
  std::size_t whole = 0;
  for (const auto& process : processes) {
    samples += process.samples;
    whole += process.whole;
    if (breaks_off(process) && process.samples >= fewest_samples_of_one) broken.push_back(&process);
  }
  const bool seen = samples >= fewest_samples;
  const double share = seen ? static_cast<double>(whole) / static_cast<double>(samples) : 0;
  const bool kept = broken.empty() && share >= least_whole_share;
  choice.kind = kept ? stack_kind::frame_pointers : stack_kind::copies;
  choice.why = !seen             ? "hardly any samples could be looked at"
               : !broken.empty() ? list_of(broken, processes.size())
                                 : "frame pointers reach the entry in " + percent(share) +
                                       " of the first " + std::to_string(samples) + " samples of " +
                                       std::to_string(processes.size()) + " processes";
  for (const auto& process : processes) {
    process_stacks stacks{process.pid, choice.kind, process.samples, std::nullopt};
    if (process.samples != 0) stacks.whole_share = whole_share(process);
    choice.processes.push_back(stacks);
  }
  return choice;
}

stack_choice decide_for_command(const std::string& name, std::optional<double> code_share) {
  const bool kept = code_share.value_or(0) >= least_code_share;
  return {kept ? stack_kind::frame_pointers : stack_kind::copies, of_code(name, code_share), {}};
}

}  // namespace stallscope::collect
