#include "fuse_server.hpp"

#include <linux/fuse.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::known_disk {
namespace {

constexpr std::uint64_t root_node = FUSE_ROOT_ID;
constexpr std::uint64_t disk_node = FUSE_ROOT_ID + 1;
constexpr std::uint64_t disk_handle = 1;
constexpr std::string_view disk_name = "disk";
constexpr std::uint64_t valid_s = 3600;             // names and attributes never change
constexpr std::uint32_t largest_bytes = 1U << 20U;  // maximum request size
constexpr std::uint64_t ns_per_s = 1'000'000'000;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// The start of a request's body, padded with zeros if the kernel sent less.
template <class body_type>
body_type body_of(std::span<const std::byte> bytes) {
  body_type body{};
  std::memcpy(&body, bytes.data(), std::min(sizeof body, bytes.size()));
  return body;
}

fuse_attr attributes(std::uint64_t node, const disk_options& options) {
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.nlink = node == root_node ? 2 : 1;
  attributes.mode = node == root_node ? S_IFDIR | 0755U : S_IFREG | 0600U;
  attributes.uid = ::geteuid();
  attributes.gid = ::getegid();
  attributes.blksize = 4096;
  if (node == disk_node) {
    attributes.size = options.size_bytes;
    attributes.blocks = options.size_bytes / 512;
  }
  return attributes;
}

std::vector<std::byte> make_noise(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> noise(largest_bytes);
  for (std::size_t at = 0; at < noise.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(noise.data() + at, &word, sizeof word);
  }
  return noise;
}

}  // namespace

fuse_server::fuse_server(const descriptor& channel, const disk_options& options,
                         const service_plan& plan)
    : channel_{channel},
      options_{options},
      model_{plan},
      request_(largest_bytes + FUSE_MIN_READ_BUFFER),
      noise_{make_noise(plan.seed)} {}

void fuse_server::run() {
  while (mounted_) {
    wait();
    while (mounted_ && read_request()) complete_due();
    complete_due();
  }
}

// Waits until a request arrives or a reply is due.
void fuse_server::wait() const {
  pollfd readable{channel_.get(), POLLIN, 0};
  timespec left{};
  if (!pending_.empty()) {
    const std::uint64_t now_ns = monotonic_ns();
    const std::uint64_t due_ns = pending_.top().due_ns;
    const std::uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    left.tv_sec = static_cast<time_t>(left_ns / ns_per_s);
    left.tv_nsec = static_cast<long>(left_ns % ns_per_s);
  }
  if (::ppoll(&readable, 1, pending_.empty() ? nullptr : &left, nullptr) < 0 && errno != EINTR) {
    fail("ppoll");
  }
}

bool fuse_server::read_request() {
  const ssize_t size = ::read(channel_.get(), request_.data(), request_.size());
  if (size < 0) {
    if (errno == EAGAIN) return false;
    if (errno == ENOENT || errno == EINTR) return true;  // interrupted before it was read
    if (errno != ENODEV) fail("read of /dev/fuse");
    mounted_ = false;
    return false;
  }
  const std::span<const std::byte> whole{request_.data(), static_cast<std::size_t>(size)};
  if (whole.size() < sizeof(fuse_in_header)) return true;
  handle(body_of<fuse_in_header>(whole), whole.subspan(sizeof(fuse_in_header)));
  return true;
}

void fuse_server::handle(const fuse_in_header& header, std::span<const std::byte> body) {
  switch (header.opcode) {
    case FUSE_INIT:
      return initialize(header.unique, body);
    case FUSE_LOOKUP:
      return look_up(header.unique, body);
    case FUSE_GETATTR:
      return reply_attributes(header.unique, header.nodeid);
    case FUSE_OPEN: {
      fuse_open_out opened{};
      opened.fh = disk_handle;
      return reply_with(header.unique, opened);
    }
    case FUSE_READ:
    case FUSE_WRITE:
      return admit(header, body);
    case FUSE_RELEASE:
    case FUSE_FLUSH:
    case FUSE_FSYNC:
      return reply(header.unique, 0, {});
    case FUSE_STATFS:
      return reply_with(header.unique, fuse_statfs_out{});
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
      return;  // no reply
    default:
      return reply(header.unique, ENOSYS, {});
  }
}

void fuse_server::initialize(std::uint64_t unique, std::span<const std::byte> body) const {
  const auto offered = body_of<fuse_init_in>(body);
  fuse_init_out accepted{};
  accepted.major = FUSE_KERNEL_VERSION;
  accepted.minor = std::min<std::uint32_t>(offered.minor, FUSE_KERNEL_MINOR_VERSION);
  accepted.max_readahead = offered.max_readahead;
  // Without FUSE_ASYNC_DIO the kernel sends direct requests one after another.
  accepted.flags = offered.flags & (FUSE_ASYNC_READ | FUSE_ASYNC_DIO | FUSE_BIG_WRITES |
                                    FUSE_MAX_PAGES | FUSE_PARALLEL_DIROPS);
  accepted.max_background = options_.max_background;
  accepted.congestion_threshold = options_.max_background;
  accepted.max_write = largest_bytes;
  accepted.max_pages = largest_bytes / 4096;
  accepted.time_gran = 1;
  reply_with(unique, accepted);
}

void fuse_server::look_up(std::uint64_t unique, std::span<const std::byte> body) const {
  const auto* text = reinterpret_cast<const char*>(body.data());
  if (std::string_view{text, ::strnlen(text, body.size())} != disk_name) {
    return reply(unique, ENOENT, {});
  }
  fuse_entry_out entry{};
  entry.nodeid = disk_node;
  entry.entry_valid = valid_s;
  entry.attr_valid = valid_s;
  entry.attr = attributes(disk_node, options_);
  reply_with(unique, entry);
}

void fuse_server::reply_attributes(std::uint64_t unique, std::uint64_t node) const {
  fuse_attr_out result{};
  result.attr_valid = valid_s;
  result.attr = attributes(node, options_);
  reply_with(unique, result);
}

void fuse_server::admit(const fuse_in_header& header, std::span<const std::byte> body) {
  const bool is_read = header.opcode == FUSE_READ;
  const std::uint64_t offset =
      body_of<fuse_read_in>(body).offset;  // the same position in both structures
  std::uint32_t bytes = body_of<fuse_read_in>(body).size;
  const std::uint64_t left = options_.size_bytes - std::min(options_.size_bytes, offset);
  bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>({bytes, left, largest_bytes}));
  const auto [due_ns, failed] = model_.admit(monotonic_ns());
  pending_.push({due_ns, sequence_++, header.unique, bytes, is_read, failed});
}

void fuse_server::complete_due() {
  while (!pending_.empty() && pending_.top().due_ns <= monotonic_ns()) {
    const pending done = pending_.top();
    pending_.pop();
    if (done.failed) {
      reply(done.unique, EIO, {});
    } else if (done.is_read) {
      reply(done.unique, 0, {noise_.data(), done.bytes});
    } else {
      fuse_write_out written{};
      written.size = done.bytes;
      reply_with(done.unique, written);
    }
  }
}

void fuse_server::reply(std::uint64_t unique, int error, std::span<const std::byte> body) const {
  fuse_out_header header{};
  header.len = static_cast<std::uint32_t>(sizeof header + body.size());
  header.error = -error;
  header.unique = unique;
  const std::array<iovec, 2> parts{
      {{&header, sizeof header}, {const_cast<std::byte*>(body.data()), body.size()}}};
  // ENOENT: the requesting task was killed; ENODEV: the filesystem is gone, which read() reports.
  if (::writev(channel_.get(), parts.data(), body.empty() ? 1 : 2) < 0 && errno != ENOENT &&
      errno != ENODEV) {
    fail("write to /dev/fuse");
  }
}

template <class body_type>
void fuse_server::reply_with(std::uint64_t unique, const body_type& body) const {
  reply(unique, 0, std::as_bytes(std::span{&body, 1}));
}

}  // namespace stallscope::known_disk
