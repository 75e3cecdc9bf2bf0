#include "tracee.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

namespace stallscope::unwind_compare {
namespace {

namespace files = std::filesystem;

files::path task_folder(pid_t process) {
  return files::path("/proc") / std::to_string(process) / "task";
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code gone;
  for (const auto& entry : files::directory_iterator(task_folder(process), gone)) {
    threads.push_back(std::stoi(entry.path().filename()));
  }
  return threads;
}

bool is_running(pid_t process, pid_t thread) {
  std::ifstream stat(task_folder(process) / std::to_string(thread) / "stat");
  std::string line;
  std::getline(stat, line);
  const auto name_end = line.rfind(')');
  return name_end != std::string::npos && name_end + 2 < line.size() && line[name_end + 2] == 'R';
}

bool is_event_stop(int status) { return status >> 16 == PTRACE_EVENT_STOP; }

// A signal that the thread is about to get, 0 where this is a stop of our own making.
int signal_of(int status) {
  return is_event_stop(status) || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

}  // namespace

tracee tracee::attach(pid_t process) {
  tracee made{process, false};
  if (ptrace(PTRACE_SEIZE, process, 0, 0) != 0) {
    throw std::system_error(errno, std::generic_category(), "ptrace(PTRACE_SEIZE)");
  }
  made.threads_.push_back(process);
  return made;
}

tracee tracee::spawn(const std::vector<std::string>& command, const std::string& input) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
  // Our own output is one JSON document.
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), command[0]);
  try {
    auto made = attach(process);
    made.ours_ = true;
    return made;
  } catch (...) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    throw;
  }
}

tracee::tracee(tracee&& other) noexcept
    : process_{other.process_},
      ours_{std::exchange(other.ours_, false)},
      threads_{std::exchange(other.threads_, {})},
      stopped_{std::exchange(other.stopped_, 0)},
      signal_{other.signal_} {}

tracee::~tracee() {
  if (ours_) {
    kill(process_, SIGKILL);
    while (waitpid(-1, nullptr, __WALL) > 0) {
    }
  } else if (stopped_ != 0) {
    resume();  // and the kernel lets go of all threads when we end
  }
}

void tracee::run_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    pass_on_stops();
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
  pass_on_stops();
}

// Threads begin at any time: each look finds the new ones.
void tracee::seize_new_threads() {
  for (const auto thread : threads_of(process_)) {
    if (std::ranges::find(threads_, thread) == threads_.end() &&
        ptrace(PTRACE_SEIZE, thread, 0, 0) == 0) {
      threads_.push_back(thread);
    }
  }
}

void tracee::pass_on_stops() {
  int status = 0;
  for (;;) {
    const auto thread = waitpid(-1, &status, WNOHANG | __WALL);
    if (thread <= 0) return;
    if (!WIFSTOPPED(status)) {
      std::erase(threads_, thread);
    } else if (is_event_stop(status) && WSTOPSIG(status) != SIGTRAP) {
      ptrace(PTRACE_LISTEN, thread, 0, 0);  // a group stop lasts until SIGCONT
    } else {
      ptrace(PTRACE_CONT, thread, 0, signal_of(status));
    }
  }
}

std::vector<pid_t> tracee::candidates() const {
  std::vector<pid_t> running;
  std::ranges::copy_if(threads_, std::back_inserter(running),
                       [this](pid_t thread) { return is_running(process_, thread); });
  return running;
}

bool tracee::stop_some_thread(std::mt19937_64& random) {
  seize_new_threads();
  while (!threads_.empty()) {
    auto choice = candidates();
    // Waiting threads are looked at, too, now and then.
    if (choice.empty() || random() % 16 == 0) choice = threads_;
    const auto thread = choice[random() % choice.size()];
    if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) == 0 && wait_for_stop(thread)) return true;
    std::erase(threads_, thread);
  }
  return false;
}

bool tracee::note_stop(int status) {
  if (!WIFSTOPPED(status)) return false;
  if (const int signal = signal_of(status); signal != 0) signal_ = signal;
  return true;
}

// A thread that ended without a word (a leader before its threads) is given up after a while.
bool tracee::wait_for_stop(pid_t thread) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  while (std::chrono::steady_clock::now() < until) {
    int status = 0;
    const auto got = waitpid(thread, &status, WNOHANG | __WALL);
    if (got < 0) return false;
    if (got == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds{20});
      continue;
    }
    stopped_ = note_stop(status) ? thread : 0;
    return stopped_ != 0;
  }
  return false;
}

std::optional<user_regs_struct> tracee::registers() const {
  user_regs_struct read{};
  if (ptrace(PTRACE_GETREGS, stopped_, 0, &read) != 0) return std::nullopt;
  return read;
}

bool tracee::step() {
  if (ptrace(PTRACE_SINGLESTEP, stopped_, 0, std::exchange(signal_, 0)) != 0) return false;
  int status = 0;
  if (waitpid(stopped_, &status, __WALL) == stopped_ && note_stop(status)) return true;
  std::erase(threads_, stopped_);
  stopped_ = 0;
  return false;
}

void tracee::resume() {
  ptrace(PTRACE_CONT, stopped_, 0, std::exchange(signal_, 0));
  stopped_ = 0;
}

}  // namespace stallscope::unwind_compare
