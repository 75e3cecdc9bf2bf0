#include "base/program.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

namespace stallscope {

program::program(std::string name, std::string remedy)
    : name_{std::move(name)}, remedy_{std::move(remedy)}, parent_{::getppid()} {}

int program::run(const std::function<exit_code()>& body) const noexcept {
  try {
    return static_cast<int>(body());
  } catch (const failure& error) {
    report(error.what(), error.remedy());
    return static_cast<int>(error.code());
  } catch (const std::system_error& error) {
    const int number = error.code().value();
    const bool full = number == ENOSPC || number == EDQUOT;
    report(error.what(), full ? "free some space there, or name another path" : remedy_);
    return static_cast<int>(full ? exit_code::unwritable : exit_code::unable);
  } catch (const std::exception& error) {
    report(error.what(), remedy_);
    return static_cast<int>(exit_code::unable);
  } catch (...) {
    report("unknown exception", remedy_);
    return static_cast<int>(exit_code::unable);
  }
}

bool program::follow_parent(int signal) const noexcept {
  ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(signal), 0UL, 0UL, 0UL);
  return ::getppid() == parent_;
}

void program::report(const std::string& message, const std::string& remedy) const noexcept {
  std::fprintf(stderr, "%s: error: %s\n", name_.c_str(), message.c_str());
  if (!remedy.empty()) std::fprintf(stderr, "  remedy: %s\n", remedy.c_str());
}

}  // namespace stallscope
