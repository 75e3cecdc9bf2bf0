#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/failure.hpp"
#include "disk/target_file.hpp"

namespace stallscope::disk {
namespace {

// An unlinked file of 64 KiB: its descriptor is all there is.
descriptor small_file() {
  std::string name = (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") +
                     std::string{"/stallscope-disk-XXXXXX"};
  descriptor file{::mkstemp(name.data())};
  REQUIRE(file);
  ::unlink(name.c_str());
  REQUIRE(::ftruncate(file.get(), 65536) == 0);
  return file;
}

plan of_file(const descriptor& file, point asked) {
  return {.target = {.path = "", .fd = file.get(), .span_bytes = 65536}, .points = {asked}};
}

std::string refusal(const plan& asked) {
  try {
    open_target(asked);
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::usage);
    return problem.what();
  }
  return "";
}

TEST_CASE("a descriptor is used as it was opened") {
  const descriptor file = small_file();
  const target_file found = open_target(of_file(file, {.block_bytes = 100}));
  CHECK(found.fd.get() != file.get());
  CHECK_FALSE(found.direct);
}

TEST_CASE("a span beyond the file's end is refused") {
  const descriptor file = small_file();
  plan asked = of_file(file, {});
  asked.target.offset = 4096;
  CHECK(refusal(asked).find("has 65536 bytes") != std::string::npos);
  asked.target.offset = 1U << 20U;
  CHECK(refusal(asked).find("has 65536 bytes") != std::string::npos);
}

TEST_CASE("a file that is open for reading alone is not written to") {
  const descriptor file = small_file();
  const descriptor reading{
      ::open(("/proc/self/fd/" + std::to_string(file.get())).c_str(), O_RDONLY | O_CLOEXEC)};
  REQUIRE(reading);
  CHECK(refusal(of_file(reading, {.read_share = 0.5})).find("writing") != std::string::npos);
  CHECK(refusal(of_file(reading, {})).empty());
}

TEST_CASE("a path is read, and never opened to be written to") {
  const std::string name = std::string{"/proc/self/exe"};
  char path[4096] = {};
  REQUIRE(::readlink(name.c_str(), path, sizeof path - 1) > 0);
  const plan writes{.target = {.path = path, .span_bytes = 4096, .writable = true},
                    .points = {{.read_share = 0}}};
  // Busy if it were opened to be written to; a filesystem without direct I/O says so before.
  const std::string said = refusal(writes);
  const bool refused = said.find("is not open for writing") != std::string::npos ||
                       said.find("Invalid argument") != std::string::npos;
  CHECK_MESSAGE(refused, said);
}

TEST_CASE("no file, or nothing with a size, is refused") {
  CHECK(refusal({.target = {.path = "/dev/null", .span_bytes = 1}}).find("/dev/null") !=
        std::string::npos);
  CHECK(refusal({.target = {.path = "/nonexistent", .span_bytes = 1}}).find("No such file") !=
        std::string::npos);
  CHECK(refusal({.target = {.path = "", .fd = 999'999, .span_bytes = 1}}).find("descriptor") !=
        std::string::npos);
}

}  // namespace
}  // namespace stallscope::disk
