#include "kernels/kernel_work.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "kernels/private_memory.hpp"

namespace stallscope::kernels {
namespace {

// A pipe that holds one word.
class word_pipe {
 public:
  word_pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe2");
  }
  ~word_pipe() {
    for (const int end : ends_) close(end);
  }
  word_pipe(const word_pipe&) = delete;
  word_pipe& operator=(const word_pipe&) = delete;
  word_pipe(word_pipe&&) = delete;
  word_pipe& operator=(word_pipe&&) = delete;

  // Waits for a word. Returns false if `stop` was set first.
  [[nodiscard]] bool wait(const std::atomic<bool>& stop) const {
    constexpr int longest_ms = 50;
    while (!stop.load()) {
      pollfd reading{.fd = ends_[0], .events = POLLIN, .revents = 0};
      if (poll(&reading, 1, longest_ms) > 0) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t take() const {
    std::uint64_t word = 0;
    while (read(ends_[0], &word, sizeof word) != ssize_t{sizeof word}) {
      if (errno != EINTR) fail("read from a pipe");
    }
    return word;
  }
  void put(std::uint64_t word) const {
    while (write(ends_[1], &word, sizeof word) != ssize_t{sizeof word}) {
      if (errno != EINTR) fail("write to a pipe");
    }
  }

 private:
  [[noreturn]] static void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
  }

  std::array<int, 2> ends_{};
};

// Writes to consecutive pages of a mapping whose pages were dropped: one minor fault per page.
class page_faults_kernel : public kernel_base {
 public:
  explicit page_faults_kernel(const kernel_settings& setting)
      : page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        pages_(std::max(min_pages, mapping_bytes / page_bytes_)),
        cured_(setting.cured) {
    for (unsigned i = 0; i < setting.threads; ++i) {
      areas_.push_back(std::make_unique<mapped_area>(pages_ * page_bytes_));
    }
  }

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    mapped_area& area = *areas_[thread];
    const std::span<unsigned char> bytes = area.memory.as<unsigned char>();
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (area.page == pages_) {
        if (!cured_) area.memory.drop_pages();
        area.page = 0;
        area.written = 1 - area.written;
      }
      const auto page = bytes.subspan(area.page++ * page_bytes_, page_bytes_);
      write_first(page[area.written]);
      area.fresh += page[1 - area.written] == 0 ? 1U : 0U;
    }
    return iterations;
  }
  // Returns the number of touched pages that were fresh, that is, zero.
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& area : areas_) sum += area->fresh;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"mapping_bytes_per_thread", std::uint64_t{pages_ * page_bytes_}},
            {"page_bytes", std::uint64_t{page_bytes_}}};
  }

 private:
  static constexpr std::size_t mapping_bytes = std::size_t{4} << 20U;
  static constexpr std::size_t min_pages = 16;
  struct mapped_area {
    explicit mapped_area(std::size_t bytes) : memory(bytes, MADV_NOHUGEPAGE) {}
    private_memory memory;
    std::size_t page = 0;
    std::size_t written = 0;  // 0 or 1: index of the byte of a page that this pass writes
    std::uint64_t fresh = 0;
  };
  // The first access to a page is a store, which faults once. A load first would add a fault.
  static void write_first(unsigned char& byte) noexcept {
    byte = 1;
    asm volatile("" : "+m"(byte));
  }

  std::size_t page_bytes_;
  std::size_t pages_;
  bool cured_;  // keeps the pages
  std::vector<std::unique_ptr<mapped_area>> areas_;
};

// Writes a word to a private pipe and reads it back: two system calls per iteration, neither of
// which blocks.
class system_calls_kernel : public kernel_base {
 public:
  explicit system_calls_kernel(const kernel_settings& setting)
      : pipes_(setting.threads), words_(setting.threads), batch_(setting.cured ? 64 : 1) {}

  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    const word_pipe& pipe = pipes_[thread];
    auto& value = words_[thread].value;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (++value % batch_ != 0) continue;
      pipe.put(value);
      value = pipe.take();
    }
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override {
    std::uint64_t sum = 0;
    for (const auto& word : words_) sum += word.value;
    return sum;
  }
  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"system_calls_per_iteration", std::uint64_t{2}}};
  }

 private:
  std::vector<word_pipe> pipes_;
  std::vector<thread_word> words_;
  std::uint64_t batch_;  // words per pair of calls
};

// Two threads pass a word back and forth over two pipes: one thread sleeps while the other runs. An
// iteration is a turn of a thread.
class sleep_wake_kernel : public kernel_base {
 public:
  sleep_wake_kernel() { pipes_[0].put(0); }

  std::uint64_t run(unsigned thread, std::uint64_t iterations,
                    const std::atomic<bool>& stop) override {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (!pipes_[thread].wait(stop)) return i;
      const std::uint64_t turns = pipes_[thread].take() + 1;
      turns_.store(turns);
      pipes_[1 - thread].put(turns);
    }
    return iterations;
  }
  // Returns the number of turns, counted in the word.
  [[nodiscard]] std::uint64_t result() const override { return turns_.load(); }

 private:
  std::array<word_pipe, 2> pipes_;
  std::atomic<std::uint64_t> turns_{0};
};

}  // namespace

std::unique_ptr<kernel_base> make_page_faults(const kernel_settings& setting) {
  return std::make_unique<page_faults_kernel>(setting);
}

std::unique_ptr<kernel_base> make_system_calls(const kernel_settings& setting) {
  return std::make_unique<system_calls_kernel>(setting);
}

std::unique_ptr<kernel_base> make_sleep_wake(const kernel_settings&) {
  return std::make_unique<sleep_wake_kernel>();
}

}  // namespace stallscope::kernels
