// Any file is one of requests, for the loader and for a replay, or is refused by them. The pieces
// that the loader sends, put together, are the file; a replay in batches gives the same replies as
// one request at a time.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/failure.hpp"
#include "load/request_source.hpp"
#include "require.hpp"
#include "server/paths/replay.hpp"

namespace {

using stallscope::load::request_file;
using stallscope::server::replay_report;
using stallscope::server::replayed_path;

void read_for_load(std::string_view bytes) {
  try {
    const auto file = request_file::of_content(std::string(bytes), "fuzz");
    std::string again;
    for (std::size_t i = 0; i < file.size(); ++i) {
      require(file.request(i).starts_with('*'));
      again += file.request(i);
    }
    require(again == bytes);
  } catch (const stallscope::failure&) {
    return;
  }
}

std::optional<replay_report> replay(std::string_view bytes, std::uint32_t batch) {
  replayed_path commands(nullptr);
  try {
    return batch == 0 ? commands.run_at_once(std::string(bytes))
                      : commands.run_in_batches(std::string(bytes), commands.even_batches(batch));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  read_for_load(bytes);
  const auto singly = replay(bytes, 0);
  const auto batched = replay(bytes, 1 + data[0] % 7U);
  require(singly.has_value() == batched.has_value());
  if (singly) {
    require(singly->requests == batched->requests);
    require(singly->error_replies == batched->error_replies);
    require(singly->checksum == batched->checksum);
  }
  return 0;
}
