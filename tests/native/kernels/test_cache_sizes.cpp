#include "kernels/cache_sizes.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace stallscope::kernels;

namespace {

// A temporary directory in the layout of /sys/devices/system/cpu/cpu0.
class recorded_cpu {
 public:
  recorded_cpu() {
    std::string name = (std::filesystem::temp_directory_path() / "cpu-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~recorded_cpu() { std::filesystem::remove_all(path_); }
  recorded_cpu(const recorded_cpu&) = delete;
  recorded_cpu& operator=(const recorded_cpu&) = delete;
  recorded_cpu(recorded_cpu&&) = delete;
  recorded_cpu& operator=(recorded_cpu&&) = delete;

  void add(int index, const std::string& level, const std::string& type, const std::string& size) {
    const auto folder = path_ / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << "\n";
    std::ofstream(folder / "type") << type << "\n";
    std::ofstream(folder / "size") << size << "\n";
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("sizes are read by level and type") {
  recorded_cpu cpu;
  cpu.add(0, "1", "Data", "48K");
  cpu.add(1, "1", "Instruction", "64K");
  cpu.add(2, "2", "Unified", "2M");
  cpu.add(3, "3", "Unified", "107520K");
  const cache_sizes sizes = read_cache_sizes(cpu.path());
  CHECK(sizes.l1d.bytes == 48U << 10U);
  CHECK(sizes.l1i.bytes == 64U << 10U);
  CHECK(sizes.l2.bytes == 2U << 20U);
  CHECK(sizes.l3.bytes == 105U << 20U);
  CHECK(sizes.l1d.known);
  CHECK(sizes.l1i.known);
  CHECK(sizes.l2.known);
  CHECK(sizes.l3.known);
}

TEST_CASE("a missing level keeps its assumed size and is not known") {
  recorded_cpu cpu;
  cpu.add(0, "1", "Data", "32K");
  const cache_sizes sizes = read_cache_sizes(cpu.path());
  CHECK(sizes.l1d.known);
  CHECK_FALSE(sizes.l2.known);
  CHECK_FALSE(sizes.l3.known);
  CHECK(sizes.l3.bytes == cache_sizes{}.l3.bytes);
  CHECK_FALSE(read_cache_sizes(cpu.path() / "nowhere").l1d.known);
}

TEST_CASE("an implausible size is ignored") {
  for (const char* size : {"", "K", "-1K", "32KB", "0K", "12", "99999999999999999999",
                           "17179869185", "1000G", "0x20K"}) {
    CAPTURE(size);
    recorded_cpu cpu;
    cpu.add(0, "3", "Unified", size);
    const cache_sizes sizes = read_cache_sizes(cpu.path());
    CHECK_FALSE(sizes.l3.known);
    CHECK(sizes.l3.bytes == cache_sizes{}.l3.bytes);
  }
}
