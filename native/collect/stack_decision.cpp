#include "collect/stack_decision.hpp"

#include <algorithm>
#include <cmath>

#include "base/visible_text.hpp"

namespace stallscope::collect {
namespace {

constexpr double min_whole_share = 0.95;
// Below 1, because unwind tables describe prologues and epilogues by the stack pointer even in code
// that keeps frame pointers.
constexpr double min_code_share = 0.8;
constexpr std::size_t min_samples = 8;
// In a target with many processes, a process with fewer samples than this does not decide for all.
constexpr std::size_t min_process_samples = 4;
constexpr std::size_t max_named = 3;

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
  return process.samples != 0 && whole_share(process) < min_whole_share;
}

std::string samples_reason(const process_evidence& process) {
  return "frame pointers reach the entry in " + percent(whole_share(process)) + " of " +
         shown(process.name) + "'s first " + std::to_string(process.samples) + " samples";
}

std::string code_reason(const std::string& name, std::optional<double> share) {
  if (!share) return "the binaries of " + shown(name) + " could not be read in time";
  return percent(*share) + " of the code of " + shown(name) +
         " and its libraries keeps frame pointers";
}

process_stacks decide_process(const process_evidence& process) {
  process_stacks stacks{process.pid, stack_kind::copies, process.samples, std::nullopt};
  if (process.samples != 0) stacks.whole_share = whole_share(process);
  const bool pointers_suffice = samples_decide(process.samples, process.whole)
                                    ? !breaks_off(process)
                                    : process.code_share.value_or(0) >= min_code_share;
  if (pointers_suffice && process.runtime.empty()) stacks.kind = stack_kind::frame_pointers;
  return stacks;
}

std::string reason_for(const process_evidence& process) {
  if (!process.runtime.empty())
    return shown(process.name) + " runs " + process.runtime +
           ", whose frames are read from copied stacks";
  if (samples_decide(process.samples, process.whole)) return samples_reason(process);
  return code_reason(process.name, process.code_share) + ", and it was idle";
}

// "of 12 processes 5 have call chains that ...: redis-server (3 % whole), gcc (idle), ..."
std::string broken_list(std::span<const process_evidence* const> broken, std::size_t all) {
  std::string text = "of " + std::to_string(all) + " processes " + std::to_string(broken.size()) +
                     " have call chains that do not reach the entry by frame pointers: ";
  for (std::size_t i = 0; i < std::min(broken.size(), max_named); ++i) {
    const auto& process = *broken[i];
    text.append(i == 0 ? "" : ", ").append(shown(process.name));
    text.append(process.samples != 0 ? " (" + percent(whole_share(process)) + " whole)"
                                     : " (idle)");
  }
  return text.append(broken.size() > max_named ? ", ..." : "");
}

}  // namespace

bool samples_decide(std::size_t samples, std::size_t whole) {
  return samples >= min_samples ||
         (samples != 0 &&
          static_cast<double>(whole) < min_whole_share * static_cast<double>(samples));
}

stack_choice decide_per_process(std::span<const process_evidence> processes) {
  stack_choice choice;
  std::vector<const process_evidence*> copied;
  for (const auto& process : processes) {
    choice.processes.push_back(decide_process(process));
    choice.with_runtime = choice.with_runtime || !process.runtime.empty();
    if (choice.processes.back().kind == stack_kind::copies) copied.push_back(&process);
  }
  choice.kind = copied.empty()                     ? stack_kind::frame_pointers
                : copied.size() < processes.size() ? stack_kind::mixed
                                                   : stack_kind::copies;
  choice.why = processes.size() == 1 ? reason_for(processes.front())
               : copied.empty()      ? "frame pointers reach the entry in all " +
                                      std::to_string(processes.size()) + " processes"
                                : broken_list(copied, processes.size());
  return choice;
}

stack_choice decide_for_all(std::span<const process_evidence> processes) {
  stack_choice choice;
  std::vector<const process_evidence*> broken;
  std::size_t samples = 0;
  std::size_t whole = 0;
  std::string runtime;
  for (const auto& process : processes) {
    samples += process.samples;
    whole += process.whole;
    if (!process.runtime.empty() && runtime.empty()) runtime = reason_for(process);
    if (breaks_off(process) && process.samples >= min_process_samples) broken.push_back(&process);
  }
  const bool seen = samples >= min_samples;
  const double share = seen ? static_cast<double>(whole) / static_cast<double>(samples) : 0;
  const bool pointers_suffice = runtime.empty() && broken.empty() && share >= min_whole_share;
  choice.with_runtime = !runtime.empty();
  choice.kind = pointers_suffice ? stack_kind::frame_pointers : stack_kind::copies;
  choice.why = !runtime.empty()  ? runtime
               : !seen           ? "too few samples could be compared"
               : !broken.empty() ? broken_list(broken, processes.size())
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
  const bool pointers_suffice = code_share.value_or(0) >= min_code_share;
  return {pointers_suffice ? stack_kind::frame_pointers : stack_kind::copies,
          code_reason(name, code_share),
          {}};
}

}  // namespace stallscope::collect
