// The shell that every program shares: how it reports a failure, what it returns, and that it ends
// with its parent.
//
//   int main(int argc, char** argv) {
//     const stallscope::program program("stallscope-wake", "run stallscope doctor");
//     return program.run([&] {
//       const auto options = parse(argc, argv);
//       if (options.die_with_parent && !program.follow_parent()) return exit_code::done;
//       return measure(options);
//     });
//   }
//
// Construct it first in main: it remembers the parent, which may end at any time.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <string>
#include <string_view>

#include "base/failure.hpp"

namespace stallscope {

// Returns the error line of a program, with the remedy, if there is one, on a second line. Control
// characters of untrusted names are replaced.
std::string error_lines(std::string_view program, const std::string& message,
                        const std::string& remedy);

class program {
 public:
  // `remedy` is the advice for errors that carry none.
  program(std::string name, std::string remedy);

  // Returns the exit code of the body; an exception becomes an error line and its exit code.
  [[nodiscard]] int run(const std::function<exit_code()>& body) const noexcept;

  // The same for a program that does not report its errors on standard error alone.
  [[nodiscard]] int run(const std::function<exit_code()>& body,
                        const std::function<void(const failure&)>& report_failure) const noexcept;

  // Makes the kernel send a signal when the parent ends; false if it has ended already.
  [[nodiscard]] bool follow_parent(int signal = SIGTERM) const noexcept;

  // Writes the error line to standard error, with the remedy on a second line.
  void report(const std::string& message, const std::string& remedy) const noexcept;

 private:
  std::string name_;
  std::string remedy_;
  pid_t parent_;
};

}  // namespace stallscope
