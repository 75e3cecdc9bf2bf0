#include <doctest/doctest.h>

#include <cerrno>

#include "base/failure.hpp"

using namespace stallscope;

namespace {

failure of_call(int error) {
  return failure_of(std::system_error{error, std::generic_category(), "call"}, "general");
}

}  // namespace

TEST_CASE("only a failed output has the exit code of an output") {
  const auto full = failure_of(output_error{ENOSPC, "/disk/file"}, "general");
  CHECK(full.code() == exit_code::unwritable);
  CHECK(full.remedy().find("free some space") != std::string::npos);
  CHECK(std::string{full.what()}.find("/disk/file: No space left") != std::string::npos);
  CHECK(failure_of(output_error{EIO, "/disk/file"}, "").code() == exit_code::unwritable);
  CHECK(failure_of(output_error{EMFILE, "/disk/file"}, "").code() == exit_code::unable);
  CHECK(of_call(ENOSPC).code() == exit_code::unable);
  CHECK(of_call(ENOSPC).remedy().find("max_user_watches") != std::string::npos);
}

TEST_CASE("a missing resource has its remedy, other errors the general one") {
  CHECK(of_call(EMFILE).remedy().find("ulimit -n") != std::string::npos);
  CHECK(of_call(ENFILE).remedy().find("fs.file-max") != std::string::npos);
  CHECK(of_call(ENOMEM).remedy().find("free memory") != std::string::npos);
  CHECK(of_call(EAGAIN).remedy().find("ulimit -u") != std::string::npos);
  CHECK(of_call(EACCES).remedy() == "general");
}
