#include "collect/early_end.hpp"

#include <cerrno>

namespace stallscope::collect {
namespace {

constexpr const char* general_remedy = "see stallscope doctor for what this machine can measure";

std::string reason_of(const std::system_error& error, exit_code code) {
  if (code != exit_code::unwritable) return "failed";
  const int number = error.code().value();
  return number == ENOSPC || number == EDQUOT ? "disk full" : "write failed";
}

}  // namespace

early_end early_end_of(const std::system_error& error, const std::string& what) {
  const auto cause = failure_of(error, general_remedy);
  return {reason_of(error, cause.code()),
          {cause.code(), what + " stopped early: " + error.what(),
           cause.remedy() + "; the data written so far are readable"}};
}

failure failed_start(const std::system_error& error) {
  const auto cause = failure_of(error, general_remedy);
  return {cause.code(), std::string{"the recording cannot start: "} + error.what(), cause.remedy()};
}

}  // namespace stallscope::collect
