#include "storm/plan.hpp"

#include "disk/plan_members.hpp"
#include "ioqueue/fair_order.hpp"

namespace stallscope::storm {
namespace {

using json = nlohmann::json;
using disk::plan_members;
using disk::wrong_plan;

constexpr std::string_view schema = "stallscope.io.storm/1";
constexpr double longest_s = 86'400;
constexpr unsigned most_limit = 1U << 20U;
constexpr double highest_rate = 1e15;

stream_choice read_stream(const json* object, const std::string& where, stream_choice usual) {
  if (object == nullptr) return usual;
  const plan_members found{*object, where};
  return {.depth = static_cast<unsigned>(found.count("depth", 0, disk::most_depth, usual.depth)),
          .block_bytes = static_cast<std::uint32_t>(
              found.count("block_bytes", 1, disk::most_block_bytes, usual.block_bytes))};
}

std::optional<std::array<std::uint32_t, 2>> read_shares(const json* list,
                                                        const std::string& where) {
  if (list == nullptr) return std::nullopt;
  std::array<std::uint32_t, 2> shares{};
  bool right = list->is_array() && list->size() == 2;
  for (std::size_t i = 0; right && i < 2; ++i) {
    const json& one = (*list)[i];
    right = one.is_number_unsigned() && one.get<std::uint64_t>() >= 1 &&
            one.get<std::uint64_t>() <= ioqueue::fair_order::most_shares;
    if (right) shares[i] = one.get<std::uint32_t>();
  }
  if (!right) throw wrong_plan(where + ".shares are not two whole numbers from 1 to 1000000");
  return shares;
}

std::optional<ioqueue::device_rates> read_rates(const json* object) {
  if (object == nullptr) return std::nullopt;
  const plan_members found{*object, "rates"};
  const auto rate = [&](const char* name) { return found.number(name, 1, highest_rate, 0); };
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

// As the points they would be: the engine's checks of a target hold for them as well.
void add_points(plan& read, const round& asked) {
  const auto add = [&](const stream_choice& stream, double read_share) {
    if (stream.depth == 0) return;
    if (stream.block_bytes > read.disk.target.span_bytes) {
      throw wrong_plan(asked.id + " has blocks larger than the target's span");
    }
    if (std::uint64_t{stream.block_bytes} * stream.depth * 2 > disk::most_buffer_bytes) {
      throw wrong_plan(asked.id + " needs buffers of more than 1 GiB: depth x block_bytes");
    }
    disk::point point;
    point.id = asked.id;
    point.depth = stream.depth;
    point.block_bytes = stream.block_bytes;
    point.read_share = read_share;
    read.disk.points.push_back(point);
  };
  if (asked.reader.depth + asked.writer.depth == 0) {
    throw wrong_plan(asked.id + " has neither a reader nor a writer");
  }
  if (asked.writer.depth > 0 && !read.disk.target.writable) {
    throw wrong_plan(asked.id + " writes, and the target is not said to be writable");
  }
  add(asked.reader, 1);
  add(asked.writer, 0);
}

round read_round(const json& object, std::size_t number) {
  const std::string where = "rounds[" + std::to_string(number) + "]";
  const plan_members found{object, where};
  round read;
  read.id = found.text("id", std::to_string(number));
  if (found.find("limit") != nullptr) {
    read.limit = static_cast<unsigned>(found.count("limit", 1, most_limit));
  }
  read.shares = read_shares(found.find("shares"), where);
  read.reader = read_stream(found.find("reader"), where + ".reader", read.reader);
  read.writer = read_stream(found.find("writer"), where + ".writer", read.writer);
  read.warmup_s = found.number("warmup_s", 0, longest_s, 0);
  read.duration_s = found.number("duration_s", 0.001, longest_s, 1);
  read.seed = found.count("seed", 0, UINT64_MAX, 1);
  return read;
}

}  // namespace

plan read_plan(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw wrong_plan("text is not JSON");
  const plan_members found{document, "document"};
  if (found.text("schema", "") != schema) {
    throw wrong_plan("schema is not " + std::string{schema});
  }
  plan read;
  const json* target = found.find("target");
  if (target == nullptr) throw wrong_plan("target is missing");
  read.disk.target = disk::read_target(*target);
  read.disk.real_time = found.flag("real_time", true);
  if (found.find("cpu") != nullptr) read.disk.cpu = static_cast<int>(found.count("cpu", 0, 1023));
  read.disk.log = found.text("log", "");
  read.rates = read_rates(found.find("rates"));
  const json* rounds = found.find("rounds");
  if (rounds == nullptr || !rounds->is_array() || rounds->empty() ||
      rounds->size() > disk::most_points) {
    throw wrong_plan("rounds are no list of 1 to " + std::to_string(disk::most_points));
  }
  for (const json& one : *rounds) {
    read.rounds.push_back(read_round(one, read.rounds.size()));
    add_points(read, read.rounds.back());
  }
  return read;
}

}  // namespace stallscope::storm
