#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/failure.hpp"
#include "disk/target_file.hpp"

namespace stallscope::disk {
namespace {

// An unlinked file of 64 KiB.
descriptor small_file() {
  std::string name = (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") +
                     std::string{"/stallscope-disk-XXXXXX"};
  descriptor file{::mkstemp(name.data())};
  REQUIRE(file);
  ::unlink(name.c_str());
  REQUIRE(::ftruncate(file.get(), 65536) == 0);
  return file;
}

plan of_file(const descriptor& file, point settings) {
  return {.target = {.path = "", .fd = file.get(), .span_bytes = 65536}, .points = {settings}};
}

std::string refusal(const plan& plan) {
  try {
    open_target(plan);
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::usage);
    return problem.what();
  }
  return "";
}

TEST_CASE("a descriptor is used as it was opened") {
  const descriptor file = small_file();
  const target_file target = open_target(of_file(file, {.block_bytes = 100}));
  CHECK(target.fd.get() != file.get());
  CHECK_FALSE(target.direct);
}

TEST_CASE("a span beyond the end of the file is rejected") {
  const descriptor file = small_file();
  plan file_plan = of_file(file, {});
  file_plan.target.offset = 4096;
  CHECK(refusal(file_plan).find("has 65536 bytes") != std::string::npos);
  file_plan.target.offset = 1U << 20U;
  CHECK(refusal(file_plan).find("has 65536 bytes") != std::string::npos);
}

TEST_CASE("a read-only descriptor is rejected if points write") {
  const descriptor file = small_file();
  const descriptor reading{
      ::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC)};
  REQUIRE(reading);
  CHECK(refusal(of_file(reading, {.read_share = 0.5})).find("writing") != std::string::npos);
  CHECK(refusal(of_file(reading, {})).empty());
}

TEST_CASE("a path is never opened for writing") {
  const std::string name = std::string{"/proc/self/exe"};
  char path[4096] = {};
  REQUIRE(::readlink(name.c_str(), path, sizeof path - 1) > 0);
  const plan writes{.target = {.path = path, .span_bytes = 4096, .writable = true},
                    .points = {{.read_share = 0}}};
  // An open for writing would fail with ETXTBSY; a filesystem without direct I/O fails first.
  const std::string message = refusal(writes);
  const bool refused = message.find("is not open for writing") != std::string::npos ||
                       message.find("Invalid argument") != std::string::npos;
  CHECK_MESSAGE(refused, message);
}

TEST_CASE("a missing file or one without a size is rejected") {
  CHECK(refusal({.target = {.path = "/dev/null", .span_bytes = 1}}).find("/dev/null") !=
        std::string::npos);
  CHECK(refusal({.target = {.path = "/nonexistent", .span_bytes = 1}}).find("No such file") !=
        std::string::npos);
  CHECK(refusal({.target = {.path = "", .fd = 999'999, .span_bytes = 1}}).find("descriptor") !=
        std::string::npos);
}

}  // namespace
}  // namespace stallscope::disk
