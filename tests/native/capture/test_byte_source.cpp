// Files, directories and pipes as sources.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "capture/source_window.hpp"
#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::capture::capture_error;
using stallscope::capture::file_source;
using stallscope::capture::read_capture;
using stallscope::capture::source_window;

namespace {

class scratch {
 public:
  scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "capture-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string many_samples() {
  capture_builder made(order::little, {event_spec{}});
  for (std::uint64_t index = 0; index < 50'000; ++index) {
    made.sample(index % 7, 1, 1, index);
  }
  return made.pipe();
}

}  // namespace

TEST_CASE("a file larger than the window is read whole") {
  const scratch folder;
  const std::string bytes = many_samples();
  REQUIRE(bytes.size() > source_window::window_bytes);
  std::ofstream(folder.path() / "f", std::ios::binary) << bytes;
  file_source source((folder.path() / "f").string());
  const auto done = read_capture(source, {});
  CHECK(done.samples.time_ns.size() == 50'000);
  CHECK(done.stacks.kind.size() == 7);
  CHECK(done.bytes_read == bytes.size());
}

TEST_CASE("a pipe is read forward") {
  const scratch folder;
  const std::string fifo = (folder.path() / "p").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(fifo, std::ios::binary) << many_samples(); });
  file_source source(fifo);
  const auto done = read_capture(source, {});
  writer.join();
  CHECK(done.samples.time_ns.size() == 50'000);
}

TEST_CASE("directories and missing files are errors") {
  const scratch folder;
  CHECK_THROWS_AS(file_source(folder.path().string()), capture_error);
  CHECK_THROWS_AS(file_source((folder.path() / "none").string()), std::system_error);
}

TEST_CASE("a window gives the same bytes after any earlier reads") {
  std::string bytes(3'000'000, '\0');
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = static_cast<char>(at * 7 >> 3U);
  }
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes)));
  source_window window(source);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{1'048'570}, std::size_t{10}, std::size_t{2'999'990},
        std::size_t{3'000'000}, std::size_t{4'000'000}, std::size_t{1'500'000}}) {
    const auto view = window.view(at, 100);
    const std::string expected = at < bytes.size() ? bytes.substr(at, 100) : std::string();
    CHECK(std::string(reinterpret_cast<const char*>(view.data()), view.size()) == expected);
  }
}
