#include "storm/plan.hpp"

#include "disk/plan_members.hpp"
#include "ioqueue/fair_order.hpp"

namespace stallscope::storm {
namespace {

using disk::plan_members;
using disk::wrong_plan;

constexpr std::string_view schema = "stallscope.io.storm/1";
constexpr double max_duration_s = 86'400;
constexpr unsigned max_limit = 1U << 20U;
constexpr double max_rate = 1e15;

stream_settings read_stream(const json* object, const std::string& path, stream_settings defaults) {
  if (object == nullptr) return defaults;
  const plan_members members{*object, path};
  return {
      .depth = static_cast<unsigned>(members.count("depth", 0, disk::max_depth, defaults.depth)),
      .block_bytes = static_cast<std::uint32_t>(
          members.count("block_bytes", 1, disk::max_block_bytes, defaults.block_bytes))};
}

std::optional<std::array<std::uint32_t, 2>> read_shares(const json* list, const std::string& path) {
  if (list == nullptr) return std::nullopt;
  std::array<std::uint32_t, 2> shares{};
  bool is_valid = list->is_array() && list->size() == 2;
  for (std::size_t i = 0; is_valid && i < 2; ++i) {
    const json& share = (*list)[i];
    is_valid = share.is_number_unsigned() && share.get<std::uint64_t>() >= 1 &&
               share.get<std::uint64_t>() <= ioqueue::fair_order::max_shares;
    if (is_valid) shares[i] = share.get<std::uint32_t>();
  }
  if (!is_valid) throw wrong_plan(path + ".shares are not two whole numbers from 1 to 1000000");
  return shares;
}

std::optional<ioqueue::device_rates> read_rates(const json* object) {
  if (object == nullptr) return std::nullopt;
  const plan_members members{*object, "rates"};
  const auto rate = [&](const char* name) { return members.number(name, 1, max_rate, 0); };
  const ioqueue::device_rates rates{.read_iops = rate("read_iops"),
                                    .read_bytes_per_s = rate("read_bandwidth"),
                                    .write_iops = rate("write_iops"),
                                    .write_bytes_per_s = rate("write_bandwidth")};
  try {
    (void)ioqueue::cost_from_rates(rates);
  } catch (const std::invalid_argument& error) {
    throw wrong_plan(std::string{"rates: "} + error.what());
  }
  return rates;
}

// Adds the streams as points, so that the engine's checks of the target apply to them.
void add_points(plan& read, const storm::round& round) {
  const auto add = [&](const stream_settings& stream, double read_share) {
    if (stream.depth == 0) return;
    if (stream.block_bytes > read.disk.target.span_bytes) {
      throw wrong_plan(round.id + " has blocks larger than the target's span");
    }
    if (std::uint64_t{stream.block_bytes} * stream.depth * 2 > disk::max_buffer_bytes) {
      throw wrong_plan(round.id + " needs buffers of more than 1 GiB: depth x block_bytes");
    }
    disk::point point;
    point.id = round.id;
    point.depth = stream.depth;
    point.block_bytes = stream.block_bytes;
    point.read_share = read_share;
    read.disk.points.push_back(point);
  };
  if (round.reader.depth + round.writer.depth == 0) {
    throw wrong_plan(round.id + " has neither a reader nor a writer");
  }
  if (round.writer.depth > 0 && !read.disk.target.writable) {
    throw wrong_plan(round.id + " writes, but the target is not writable");
  }
  add(round.reader, 1);
  add(round.writer, 0);
}

round read_round(const json& object, std::size_t number) {
  const std::string path = "rounds[" + std::to_string(number) + "]";
  const plan_members members{object, path};
  round read;
  read.id = members.text("id", std::to_string(number));
  if (members.find("limit") != nullptr) {
    read.limit = static_cast<unsigned>(members.count("limit", 1, max_limit));
  }
  read.shares = read_shares(members.find("shares"), path);
  read.reader = read_stream(members.find("reader"), path + ".reader", read.reader);
  read.writer = read_stream(members.find("writer"), path + ".writer", read.writer);
  read.warmup_s = members.number("warmup_s", 0, max_duration_s, 0);
  read.duration_s = members.number("duration_s", 0.001, max_duration_s, 1);
  read.seed = members.count("seed", 0, UINT64_MAX, 1);
  return read;
}

}  // namespace

plan read_plan(std::string_view text) {
  const json document = disk::parse_plan(text);
  const plan_members members{document, "document"};
  plan read;
  read.disk = disk::read_plan_header(members, schema);
  read.rates = read_rates(members.find("rates"));
  const json* rounds = members.find("rounds");
  if (rounds == nullptr || !rounds->is_array() || rounds->empty() ||
      rounds->size() > disk::max_points) {
    throw wrong_plan("rounds are not a list of 1 to " + std::to_string(disk::max_points));
  }
  for (const json& object : *rounds) {
    read.rounds.push_back(read_round(object, read.rounds.size()));
    add_points(read, read.rounds.back());
  }
  return read;
}

}  // namespace stallscope::storm
