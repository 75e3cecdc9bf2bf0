#include "kernels/waiting/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "kernels/waiting/disk_file.hpp"
#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

// Reads one byte of the next 256 KiB of a mapped file, then computes 0.1 ms. Before the read the
// pages are dropped from the page cache; the look-alike only unmaps them, so that the fault finds
// them in the cache.
class mapped_file_faults_kernel : public waiting_kernel {
 public:
  explicit mapped_file_faults_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        file_(setting.path),
        start_(mmap(nullptr, file_.size_bytes(), PROT_READ, MAP_SHARED, file_.fd(), 0)) {
    if (start_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    madvise(start_, file_.size_bytes(), MADV_RANDOM);
  }
  ~mapped_file_faults_kernel() override { munmap(start_, file_.size_bytes()); }
  mapped_file_faults_kernel(const mapped_file_faults_kernel&) = delete;
  mapped_file_faults_kernel& operator=(const mapped_file_faults_kernel&) = delete;
  mapped_file_faults_kernel(mapped_file_faults_kernel&&) = delete;
  mapped_file_faults_kernel& operator=(mapped_file_faults_kernel&&) = delete;

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"path", file_.path()}, {"file_bytes", std::uint64_t{file_.size_bytes()}}};
  }
  [[nodiscard]] std::vector<kernel_parameter> account() const override {
    return {{"major_faults", major_faults_}};
  }

 private:
  static constexpr std::size_t step_bytes = std::size_t{256} << 10U;

  bool iterate(unsigned thread, const std::atomic<bool>&) override {
    char* const page = static_cast<char*>(start_) + offset_;
    madvise(page, step_bytes, MADV_DONTNEED);
    if (!look_alike_) {
      posix_fadvise(file_.fd(), static_cast<off_t>(offset_), step_bytes, POSIX_FADV_DONTNEED);
    }
    const long faults_before = faults();
    read_byte(page, thread);
    major_faults_ += static_cast<std::uint64_t>(faults() - faults_before);
    offset_ = (offset_ + step_bytes) % file_.size_bytes();
    compute_for(100 * us);
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "reader"; }
  [[gnu::noinline]] void read_byte(const volatile char* page, unsigned thread) {
    const timed_wait wait(times(thread), wait_state::page_fault);
    byte_ = *page;
  }
  static long faults() noexcept {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_majflt;
  }

  bool look_alike_;
  disk_file file_;
  void* start_;
  std::size_t offset_ = 0;
  std::uint64_t major_faults_ = 0;
  char byte_ = 0;
};

}  // namespace

std::unique_ptr<kernel_base> make_mapped_file_faults(const kernel_settings& setting) {
  return std::make_unique<mapped_file_faults_kernel>(setting);
}

}  // namespace stallscope::kernels
