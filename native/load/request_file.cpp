#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "load/reply_parser.hpp"
#include "load/request_source.hpp"

namespace stallscope::load {
namespace {

failure bad_file(const std::string& name, const std::string& what) {
  return {exit_code::usage, "the request file " + name + ": " + what,
          "use a file of RESP requests (arrays of bulk strings), at most 1 GiB: "
          "stallscope-server --make-requests writes one"};
}

std::string content_of(const std::string& path) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) throw bad_file(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) throw bad_file(path, "it is not a regular file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size > request_file::largest_bytes) throw bad_file(path, "it is larger than 1 GiB");
  std::string content(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const auto got = ::read(file.get(), content.data() + done, size - done);
    if (got < 0) throw bad_file(path, std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

}  // namespace

request_file::request_file(const std::string& path)
    : request_file{of_content(content_of(path), path)} {}

request_file request_file::of_content(std::string content, const std::string& name) {
  request_file file;
  file.content_ = std::move(content);
  const std::string_view bytes{file.content_};
  reply_parser parser;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    at += parser.consume(bytes.substr(at));
    // Check the first byte as well: the parser skips push messages.
    if (bytes[begin] != '*' || !parser.complete() || parser.type() != '*' || parser.is_nil()) {
      throw bad_file(name, "no whole request begins at byte " + std::to_string(begin));
    }
    file.ends_.push_back(at);
  }
  if (file.ends_.empty()) throw bad_file(name, "it is empty");
  return file;
}

std::string_view request_file::request(std::size_t index) const noexcept {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view{content_}.substr(begin, ends_[index] - begin);
}

}  // namespace stallscope::load
