#include <doctest/doctest.h>

#include <cerrno>

#include "collect/refusal.hpp"

using namespace stallscope;
using namespace stallscope::collect;

TEST_CASE("a cgroup outside the controller is not reported as a missing event") {
  for (const int error : {ENOENT, EBADF, EINVAL}) {
    const auto problem = cgroup_refusal(error, "/sys/fs/cgroup/x", 3);
    CHECK(std::string{problem.what()}.find("perf_event controller") != std::string::npos);
    CHECK(problem.remedy().find("-e") == std::string::npos);
  }
  CHECK(cgroup_refusal(EACCES, "/x", 0).remedy().find("run as root") != std::string::npos);
}

TEST_CASE("call chains beyond the kernel's limit have a specific remedy") {
  CHECK(refusal(EOVERFLOW, "the event cycles", 0).remedy().find("--max-stack") !=
        std::string::npos);
}
