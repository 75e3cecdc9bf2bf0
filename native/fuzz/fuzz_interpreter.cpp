// Any bytes as the file and the memory of an interpreter: the search ends within its budget, with a
// version and a layout, with a refusal, or without a result. The first two bytes are the size of
// the file; the rest is the memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "python_frames/interpreter.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::python_frames;

constexpr std::size_t memory_bytes = std::size_t{64} << 10U;

void require(bool holds) {
  if (!holds) std::abort();
}

// A directory like /proc with this process, whose only mapping is a file named like an interpreter.
class fake_process {
 public:
  fake_process()
      : memory_{::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0)} {
    require(::mkdtemp(folder_.data()) != nullptr);
    const auto path = folder_ + "/python3";
    file_ = descriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    struct stat status {};
    require(::fstat(file_.get(), &status) == 0);
    const auto process = folder_ + "/" + std::to_string(::getpid());
    std::filesystem::create_directory(process);
    std::array<char, 512> line{};
    const auto start = reinterpret_cast<std::uintptr_t>(memory_);
    std::snprintf(line.data(), line.size(), "%lx-%lx r-xp 00000000 00:01 %lu %s\n",
                  static_cast<unsigned long>(start),
                  static_cast<unsigned long>(start + memory_bytes),
                  static_cast<unsigned long>(status.st_ino), path.c_str());
    std::ofstream{process + "/maps"} << line.data();
  }
  fake_process(const fake_process&) = delete;
  fake_process& operator=(const fake_process&) = delete;
  fake_process(fake_process&&) = delete;
  fake_process& operator=(fake_process&&) = delete;
  ~fake_process() { std::filesystem::remove_all(folder_); }

  void set(const std::uint8_t* file, std::size_t file_bytes, const std::uint8_t* memory,
           std::size_t size) {
    require(::ftruncate(file_.get(), 0) == 0);
    require(::pwrite(file_.get(), file, file_bytes, 0) == static_cast<ssize_t>(file_bytes));
    std::memset(memory_, 0, memory_bytes);
    std::memcpy(memory_, memory, std::min(size, memory_bytes));
  }
  [[nodiscard]] procfs proc() const { return procfs{folder_}; }

 private:
  std::string folder_ = "/tmp/stallscope-fuzz-XXXXXX";
  descriptor file_;
  void* memory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fake_process process;
  if (size < 2) return 0;
  const std::size_t file_bytes = std::min<std::size_t>(data[0] | data[1] << 8U, size - 2);
  process.set(data + 2, file_bytes, data + 2 + file_bytes, size - 2 - file_bytes);
  stallscope::process_reading::read_budget budget{
      {.bytes = std::uint64_t{1} << 20U, .cpu_ns = 1'000'000'000}};
  const auto search = find_interpreter(process.proc(), ::getpid(), budget);
  require(!search.match || (search.present && !search.match->version.empty()));
  require(search.match || search.present == !search.refusal.empty());
  return 0;
}
