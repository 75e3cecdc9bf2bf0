#include "base/program.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include "base/visible_text.hpp"

namespace stallscope {

program::program(std::string name, std::string remedy)
    : name_{std::move(name)}, remedy_{std::move(remedy)}, parent_{::getppid()} {}

int program::run(const std::function<exit_code()>& body) const noexcept {
  return run(body, [this](const failure& error) { report(error.what(), error.remedy()); });
}

int program::run(const std::function<exit_code()>& body,
                 const std::function<void(const failure&)>& report_failure) const noexcept {
  try {
    try {
      return static_cast<int>(body());
    } catch (const failure& error) {
      report_failure(error);
      return static_cast<int>(error.code());
    } catch (const std::system_error& error) {
      const auto problem = failure_of(error, remedy_);
      report_failure(problem);
      return static_cast<int>(problem.code());
    } catch (const std::exception& error) {
      report_failure({exit_code::unable, error.what(), remedy_});
    } catch (...) {
      report_failure({exit_code::unable, "unknown exception", remedy_});
    }
  } catch (...) {
    std::fprintf(stderr, "%s: error: out of memory\n", name_.c_str());
  }
  return static_cast<int>(exit_code::unable);
}

bool program::follow_parent(int signal) const noexcept {
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(signal), 0UL, 0UL, 0UL);
  return ::getppid() == parent_;
}

void program::report(const std::string& message, const std::string& remedy) const noexcept {
  try {
    std::fputs(error_lines(name_, message, remedy).c_str(), stderr);
  } catch (const std::exception&) {
    std::fprintf(stderr, "%s: error: out of memory\n", name_.c_str());
  }
}

std::string error_lines(std::string_view program, const std::string& message,
                        const std::string& remedy) {
  std::string text = std::string{program} + ": error: " + visible_text(message) + "\n";
  if (!remedy.empty()) text += "  remedy: " + visible_text(remedy) + "\n";
  return text;
}

}  // namespace stallscope
