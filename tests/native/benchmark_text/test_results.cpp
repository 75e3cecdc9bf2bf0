#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "benchmark_text/results.hpp"

namespace stallscope::benchmark_text {
namespace {

class text_file {
 public:
  explicit text_file(const std::string& text) : descriptor_(::memfd_create("text", MFD_CLOEXEC)) {
    REQUIRE(::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file() { ::close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

TEST_CASE("values with the same name, unit and configuration are one series") {
  const text_file file(
      "a: 1\nBenchmarkX 1 2 ns/op\nBenchmarkX 1 3 ns/op 4 B/op\na: 2\nBenchmarkX 1 5 ns/op\n");
  results all;
  all.read(file.descriptor(), 0);
  REQUIRE(all.all_series().size() == 3);
  CHECK(all.all_series()[0].values == std::vector<double>{2 * 1e-9, 3 * 1e-9});
  CHECK(all.units()[all.all_series()[0].unit] == "sec/op");
  CHECK(all.result_lines() == 3);
}

TEST_CASE("a line longer than the limit is skipped and named, and the next one is read") {
  const text_file file("Benchmark" + std::string(5 << 20, 'x') + " 1 2 u\r\nBenchmarkY 1 2 u");
  results all;
  all.read(file.descriptor(), 0);
  REQUIRE(all.errors().size() == 1);
  CHECK(all.errors()[0].line == 1);
  REQUIRE(all.names().size() == 1);
  CHECK(all.names()[0] == "Y");
}

TEST_CASE("errors beyond a limit are only counted") {
  std::string lines;
  for (int line = 0; line < 1500; ++line) {
    lines += "BenchmarkX y\n";
  }
  const text_file file(lines);
  results all;
  all.read(file.descriptor(), 0);
  CHECK(all.errors().size() == results::max_errors);
  CHECK(all.dropped_errors() == 500);
}

}  // namespace stallscope::benchmark_text
