// The error of a program: message, remedy and exit code. The exit codes match the table in
// stallscope/errors.py.
//
//   throw failure(exit_code::usage, "cannot open " + path, "use a file that this user can read");
#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace stallscope {

enum class exit_code : int {
  done = 0,
  usage = 2,
  unable = 3,
  target_failed = 4,
  unreadable = 5,
  unwritable = 6  // the output's file system is full or fails
};

class failure : public std::runtime_error {
 public:
  failure(exit_code code, const std::string& message, std::string remedy)
      : std::runtime_error{message}, code_{code}, remedy_{std::move(remedy)} {}
  [[nodiscard]] exit_code code() const noexcept { return code_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

 private:
  exit_code code_;
  std::string remedy_;
};

// A failed call on an output file. Other failed calls throw std::system_error, because the same
// number has another cause there: ENOSPC of epoll_ctl is a limit of watches, not a full disk.
class output_error : public std::system_error {
 public:
  output_error(int error, const std::string& what)
      : std::system_error{error, std::generic_category(), what} {}
};

// Returns the failure of a program: exit code and remedy depend on the call and on its error.
// `remedy` is for errors without a known one.
failure failure_of(const std::system_error& error, const std::string& remedy);

// A problem that readers of the results must know, but that does not end the collection.
struct warning {
  std::string code;
  std::string message;
};

}  // namespace stallscope
