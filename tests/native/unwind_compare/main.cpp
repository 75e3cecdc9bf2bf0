// unwind-compare: stops a program at random moments, steps on from there instruction by
// instruction, and compares the chains of our unwinder with those of elfutils.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>

#include "base/command_line.hpp"
#include "comparison.hpp"
#include "elfutils_walk.hpp"
#include "our_walk.hpp"
#include "tracee.hpp"

namespace {

namespace cli = stallscope::cli;
using namespace stallscope::unwind_compare;

constexpr std::size_t max_frames = 1024;
constexpr std::uint64_t max_steps = 120;     // from one stop
constexpr std::uint64_t steps_per_look = 6;  // on the average
constexpr std::size_t code_bytes = 32;
constexpr int max_steps_to_land = 1000;
constexpr int max_runs = 1000;

struct options {
  pid_t process = 0;
  std::vector<std::string> command;
  std::string input = "/dev/null";
  std::uint64_t chains = 1000;
  std::uint64_t seed = 1;
  std::size_t stack_bytes = 65528;
  std::uint64_t longest_run_us = 2000;  // between two stops
  std::uint64_t max_seconds = 600;
};

// The walks over one process, made anew where its mappings change.
class walks {
 public:
  explicit walks(pid_t process) : process_{process}, memory_{process}, ours_{process, memory_} {}

  void look(tracee& target, const options& settings, comparison& into) {
    const auto registers = target.registers();
    if (!registers) return;
    memory_.forget();
    observation seen{*registers, memory_.bytes(registers->rsp, settings.stack_bytes), {}, {}, {},
                     {}};
    seen.ours = ours_.walk(*registers, seen.stack);
    seen.theirs = theirs_->walk(target.stopped_thread(), dwarf_registers(*registers), max_frames);
    seen.code = memory_.bytes(registers->rip, code_bytes);
    if (seen.ours.resumes != 0 && seen.ours.addresses != seen.theirs.addresses) {
      seen.theirs_there = chain_at(target, seen.ours.addresses[seen.ours.resumes]);
    }
    into.add(seen, *theirs_, ours_);
  }

  // elfutils' chain when the thread gets to this address; none where that takes a system call.
  their_chain chain_at(tracee& target, std::uint64_t address) {
    if (within_system_call(target)) return {};
    for (int steps = 0; steps < max_steps_to_land; ++steps) {
      if (at_system_call(target) || !target.step()) return {};
      const auto registers = target.registers();
      if (!registers || registers->rip != address) continue;
      memory_.forget();
      return theirs_->walk(target.stopped_thread(), dwarf_registers(*registers), max_frames);
    }
    return {};
  }

  // False where the process has no memory any more.
  bool follow_mappings() {
    auto now = executable_mappings(process_);
    if (now.empty()) return false;
    if (now == mappings_) return true;
    try {
      ours_.use(now);
      theirs_ = std::make_unique<elfutils_walk>(process_, memory_);
    } catch (const std::exception&) {
      // Another thread may have ended the process between these looks at it.
      if (executable_mappings(process_).empty()) return false;
      throw;
    }
    mappings_ = std::move(now);
    return true;
  }

  // Whether the next instruction enters the kernel, where a step might wait for long.
  [[nodiscard]] bool at_system_call(const tracee& target) {
    const auto registers = target.registers();
    if (!registers) return true;
    const auto code = memory_.bytes(registers->rip, 2);
    return code.size() < 2 || (code[0] == std::byte{0x0f} && code[1] == std::byte{0x05});
  }

  // Whether the thread was stopped inside of a call that goes on when the thread does.
  [[nodiscard]] static bool within_system_call(const tracee& target) {
    const auto registers = target.registers();
    const bool within = !registers || static_cast<std::int64_t>(registers->orig_rax) >= 0;
    return within && !target.has_signal();
  }

 private:
  pid_t process_;
  std::vector<mapping> mappings_;
  target_memory memory_;
  our_walk ours_;
  std::unique_ptr<elfutils_walk> theirs_;
};

// One stop: a look, and more on the way of some steps.
void look_around(tracee& target, walks& both, const options& settings, std::mt19937_64& random,
                 comparison& into) {
  both.look(target, settings, into);
  const auto steps = walks::within_system_call(target) ? 0 : random() % max_steps;
  for (std::uint64_t i = 0; i < steps && into.chains() < settings.chains; ++i) {
    if (both.at_system_call(target)) break;
    if (!target.step()) return;
    if (random() % steps_per_look == 0) both.look(target, settings, into);
  }
  target.resume();
}

void compare(tracee target, const options& settings, std::mt19937_64& random, comparison& into) {
  walks both{target.process()};
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{settings.max_seconds};
  while (into.chains() < settings.chains && std::chrono::steady_clock::now() < until) {
    target.run_for(std::chrono::microseconds{random() % settings.longest_run_us});
    if (!target.stop_some_thread(random)) return;
    if (!both.follow_mappings()) return;
    look_around(target, both, settings, random, into);
  }
}

void compare_all(const options& settings) {
  comparison total;
  std::mt19937_64 random{settings.seed};
  if (settings.command.empty()) {
    compare(tracee::attach(settings.process), settings, random, total);
  } else {
    // A command that ends early is run again.
    for (int runs = 0; runs < max_runs && total.chains() < settings.chains; ++runs) {
      compare(tracee::spawn(settings.command, settings.input), settings, random, total);
    }
  }
  std::cout << total.document().dump(1) << '\n';
}

void add_options(cli::command& app, options& settings) {
  app.add_option("--pid", settings.process, "the process to look at");
  app.add_option("--chains", settings.chains, "how many chains to compare");
  app.add_option("--seed", settings.seed, "of the moments and steps");
  app.add_option("--stack-bytes", settings.stack_bytes, "how much of the stack we are given");
  app.add_option("--longest-run-us", settings.longest_run_us, "between two stops");
  app.add_option("--most-seconds", settings.max_seconds, "of one run of the program");
  app.add_option("--input", settings.input, "the file that the program reads");
  app.add_option("command", settings.command, "the program to run, and its arguments");
  app.positionals_at_end();
}

int run(int argc, char** argv) {
  options settings;
  cli::parser app{"Compares our call chains with elfutils' on a live process.", "unwind-compare"};
  add_options(app, settings);
  if (!stallscope::parse_arguments(app, argc, argv)) return 0;
  if ((settings.process == 0) == settings.command.empty()) {
    std::fputs("unwind-compare: give either --pid or a command\n", stderr);
    return 2;
  }
  compare_all(settings);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "unwind-compare: %s\n", error.what());
    return 1;
  }
}
