#include "kernels/waiting/deep_queue.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <semaphore>
#include <system_error>

#include "base/descriptor.hpp"
#include "kernels/waiting/disk_file.hpp"
#include "kernels/waiting/waiting_kernel.hpp"
#include "kernels/xorshift.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t blocks = 1024;
constexpr std::ptrdiff_t batch_requests = 7;  // at a time, if cured: eight with the reader's
constexpr unsigned awake_in_look_alike = 4;

// All threads read random blocks past the page cache, one request at a time each. The batch threads
// keep the disk's queue full, and the requests of the reader wait behind theirs. Cured, seven
// batch threads at a time have a request. In the look-alike four threads read, and the others
// sleep.
class deep_queue_kernel : public waiting_kernel {
 public:
  explicit deep_queue_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        cured_(setting.cured),
        path_(setting.path),
        buffers_(block_bytes * setting.threads, MADV_NORMAL),
        random_(setting.threads) {
    struct stat status {};
    if (path_.empty() || (stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) {
      file_.emplace(path_);
      path_ = file_->path();
      return;
    }
    device_.reset(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
    if (!device_) throw std::system_error(errno, std::generic_category(), "cannot open " + path_);
  }

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"path", path_}};
  }

 private:
  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    if (look_alike_ && thread >= awake_in_look_alike) {
      pause_for(50 * ms, times(thread));
      return true;
    }
    if (!cured_ || thread == 0) {
      read_block(thread);
      return true;
    }
    if (!admitted(thread, stop)) return false;
    read_block(thread);
    admitted_.release();
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "reader" : "batch";
  }
  bool admitted(unsigned thread, const std::atomic<bool>& stop) {
    const timed_wait wait(times(thread), wait_state::condition);
    while (!admitted_.try_acquire_for(std::chrono::milliseconds(50))) {
      if (stop) return false;
    }
    return true;
  }
  void read_block(unsigned thread) {
    std::uint64_t& random = random_[thread].value;
    if (random == 0) random = thread + 1;
    random = xorshift64(random);
    const auto buffer = buffers_.as<unsigned char>().subspan(thread * block_bytes, block_bytes);
    const timed_wait wait(times(thread), wait_state::disk_read);
    const ssize_t done = pread(file_ ? file_->fd() : device_.get(), buffer.data(), buffer.size(),
                               static_cast<off_t>(random % blocks * block_bytes));
    if (done != static_cast<ssize_t>(block_bytes)) {
      throw std::system_error(errno, std::generic_category(), "cannot read " + path_);
    }
  }

  bool look_alike_;
  bool cured_;
  std::string path_;
  std::optional<disk_file> file_;
  descriptor device_;
  private_memory buffers_;
  std::vector<thread_word> random_;  // by thread
  std::counting_semaphore<> admitted_{batch_requests};
};

}  // namespace

std::unique_ptr<kernel_base> make_deep_queue(const kernel_settings& setting) {
  return std::make_unique<deep_queue_kernel>(setting);
}

}  // namespace stallscope::kernels
