// Any bytes as the segments of a log: recovery ends, reports damage in messages, and finds only
// values that were written for their key. A second recovery finds the same values as the first,
// since the first must not have removed what it could read.
//
// The first byte chooses whether the rest is the content of the segment as it is, or instructions
// that build segments from whole, damaged and missing records.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "require.hpp"
#include "value_log/aligned_memory.hpp"
#include "value_log/first_block.hpp"
#include "value_log/recovery.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::value_log;

constexpr std::uint64_t segment_bytes = std::uint64_t{1} << 16U;
constexpr std::size_t max_segments = 3;
const store_identity identity{.shards = 1, .keys = {1, 2}, .secret = {3, 4}};

using bytes = std::vector<std::byte>;
using written_values = std::map<std::string, std::set<std::string>>;
using read_values = std::map<std::string, std::string>;

// A private directory, in memory if possible, that is emptied for each input.
const std::string& folder() {
  static const std::string made = [] {
    for (const char* place : {"/dev/shm", "/tmp"}) {
      std::string path = std::string(place) + "/stallscope-fuzz-XXXXXX";
      if (::mkdtemp(path.data()) != nullptr) return path;
    }
    throw std::runtime_error("cannot create a directory");
  }();
  static const struct remover {
    ~remover() { std::filesystem::remove_all(folder()); }
  } at_exit;
  return made;
}

class input_reader {
 public:
  explicit input_reader(std::span<const std::byte> input) : left_(input) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const auto first = std::to_integer<std::uint8_t>(left_.front());
    left_ = left_.subspan(1);
    return first;
  }
  std::span<const std::byte> take(std::size_t count) {
    const auto first = left_.first(std::min(count, left_.size()));
    left_ = left_.subspan(first.size());
    return first;
  }

 private:
  std::span<const std::byte> left_;
};

// Builds segments from instructions, and keeps what was written.
class segment_builder {
 public:
  explicit segment_builder(written_values& written) : written_(written) { begin(); }

  void run(input_reader& input) {
    while (!input.empty() && segments_.size() <= max_segments) step(input);
    end();
  }
  [[nodiscard]] const std::vector<bytes>& segments() const { return segments_; }

 private:
  void step(input_reader& input) {
    const std::uint8_t choice = input.byte();
    switch (choice % 8U) {
      case 0:
      case 1:
      case 2:
        add_record(input, choice);
        break;
      case 3:
        content_.resize(padded(content_.size(), block_bytes));
        break;
      case 4: {
        const auto raw = input.take(input.byte());
        content_.insert(content_.end(), raw.begin(), raw.end());
        content_.resize(padded(content_.size(), 8));
        break;
      }
      case 5:
        damage(input);
        break;
      case 6:
        end();
        begin();
        break;
      default:
        sealed_end_ = content_.size() + choice / 8U * 8U - 64U;
        break;
    }
  }
  void add_record(input_reader& input, std::uint8_t choice) {
    const std::string key(1, static_cast<char>('a' + input.byte() % 4U));
    const std::string value(input.byte() * std::size_t{17} % 6000U,
                            static_cast<char>('A' + sequence_ % 26U));
    const auto kind = choice % 8U == 2
                          ? (choice >= 128U ? record_kind::cleared : record_kind::deleted)
                          : record_kind::value;
    const record made{
        .kind = kind,
        .sequence = choice >= 64U ? ++sequence_ : input.byte(),
        .expires_ms = choice % 16U == 8U ? 1 : 0,
        .key = kind == record_kind::cleared ? std::string_view{} : key,
        .value = kind == record_kind::value ? std::string_view{value} : std::string_view{}};
    const std::uint64_t length = record_bytes(made.key.size(), made.value.size());
    if (content_.size() + length > segment_bytes) return;
    const std::size_t at = content_.size();
    content_.resize(at + length);
    encode(std::span(content_).subspan(at), made, identity.secret);
    if (kind == record_kind::value) written_[key].insert(value);
  }
  void damage(input_reader& input) {
    const std::size_t back = 1U + input.byte() * std::size_t{7};
    if (back > content_.size()) return;
    content_[content_.size() - back] ^= std::byte{input.byte()};
  }
  void begin() {
    content_.assign(block_bytes, std::byte{0});
    sealed_end_ = 0;
  }
  void end() {
    const segment_name name{.shard = 0, .number = static_cast<std::uint32_t>(segments_.size() + 1)};
    const first_block first = make_first_block(identity, name, sealed_end_);
    // Damage in the first block stays.
    const auto from = std::as_bytes(std::span(&first, 1));
    for (std::size_t i = 0; i < from.size(); ++i) content_[i] ^= from[i];
    segments_.push_back(content_);
  }

  written_values& written_;
  std::vector<bytes> segments_;
  bytes content_;
  std::uint64_t sealed_end_ = 0;
  std::uint64_t sequence_ = 256;
};

void write_files(const std::vector<bytes>& segments) {
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    std::filesystem::remove(entry.path());
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string path = folder() + "/shard-000-000000000" + std::to_string(i + 1) + ".log";
    const descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const auto size = static_cast<ssize_t>(segments[i].size());
    require(::write(file.get(), segments[i].data(), segments[i].size()) == size);
  }
}

std::string value_at(const log_content& content, const location& where) {
  const shared_segment held = content.segments().find(where.segment);
  require(held != nullptr && held->file && where.offset >= block_bytes);
  const std::uint64_t first = where.offset / block_bytes * block_bytes;
  const aligned_memory memory(where.offset + where.bytes(1) - first);
  const ssize_t got =
      ::pread(held->file.get(), memory.bytes().data(), memory.size(), static_cast<off_t>(first));
  require(got >= 0);
  const auto read = std::span<const std::byte>(memory.bytes()).first(static_cast<std::size_t>(got));
  const decoded record = decode(read.subspan(where.offset - first), where.offset, identity.secret);
  require(record.status == decode_status::whole && record.what.sequence == where.sequence);
  return std::string(record.what.value);
}

// Nothing if the directory is refused.
std::optional<read_values> recovered() {
  try {
    const data_directory directory(folder(), 1);
    log_content content(directory, 0, segment_bytes);
    const recovery_report report = recover(content);
    require((report.damaged_bytes == 0 && report.cut_bytes == 0) || !report.messages.empty());
    read_values values;
    for (const std::string key : {"a", "b", "c", "d"}) {
      if (const auto where = content.find(key, 2)) values[key] = value_at(content, *where);
    }
    return values;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void check_decode(std::span<const std::byte> input, std::uint64_t offset) {
  const bytes copy(input.begin(), input.end());
  const decoded made = decode(copy, offset, identity.secret);
  if (made.status == decode_status::incomplete) require(made.bytes > copy.size());
  if (made.status != decode_status::whole) return;
  require(made.bytes <= copy.size() && made.bytes % 8 == 0);
  bytes again(made.bytes);
  encode(again, made.what, identity.secret);
  require(std::memcmp(again.data(), copy.data(), head_bytes) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const auto input = std::as_bytes(std::span(data, size)).subspan(1);
  check_decode(input, data[0] * std::size_t{8});
  written_values written;
  const bool is_raw = (data[0] & 7U) == 0;
  if (is_raw) {
    write_files({bytes(input.begin(), input.end())});
  } else {
    input_reader instructions(input);
    segment_builder builder(written);
    builder.run(instructions);
    write_files(builder.segments());
  }
  const auto first = recovered();
  if (!first) return 0;
  if (!is_raw) {
    for (const auto& [key, value] : *first) require(written[key].contains(value));
  }
  require(recovered() == first);
  return 0;
}
