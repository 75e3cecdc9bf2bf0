#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/descriptor.hpp"
#include "collect/reporter.hpp"

using namespace stallscope;
using namespace stallscope::collect;

TEST_CASE("a warning is reported once: at the start, or at the end if it is newer") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const descriptor reader{ends[0]};
  descriptor writer{ends[1]};
  reporter report{writer.get()};
  std::vector<warning> warnings{{"early", "was there"}};
  start_notice notice;
  notice.warnings = warnings;
  report.started(notice);
  warnings.push_back({"late", "came later"});
  report.finished({1, 0, 2, 0.5}, exit_code::done, "duration", warnings);
  writer.reset();
  std::array<char, 4096> lines{};
  const auto got = ::read(reader.get(), lines.data(), lines.size());
  REQUIRE(got > 0);
  const std::string text{lines.data(), static_cast<std::size_t>(got)};
  const auto end = text.find("\"finished\"");
  REQUIRE(end != std::string::npos);
  CHECK(text.find("was there") < end);
  CHECK(text.find("was there", end) == std::string::npos);
  CHECK(text.find("came later") > end);
  CHECK(text.find("came later") != std::string::npos);
}

TEST_CASE("progress lines are dropped whole while the reader stalls, and later lines arrive") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const descriptor reader{ends[0]};
  descriptor writer{ends[1]};
  reporter report{writer.get()};
  for (int i = 0; i < 20'000; ++i) report.progress({1, 0, 2, 0.5});  // far more than a pipe holds
  std::string text(1 << 20, ' ');
  const auto got = ::read(reader.get(), text.data(), text.size());
  REQUIRE(got > 0);
  text.resize(static_cast<std::size_t>(got));
  CHECK(text.ends_with("}\n"));
  report.finished({1, 0, 2, 0.5}, exit_code::done, "signal", {});
  writer.reset();
  std::array<char, 512> last{};
  const auto rest = ::read(reader.get(), last.data(), last.size());
  REQUIRE(rest > 0);
  CHECK(std::string{last.data(), static_cast<std::size_t>(rest)}.find("\"finished\"") !=
        std::string::npos);
}
