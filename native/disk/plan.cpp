#include "disk/plan.hpp"

#include <cmath>

#include "disk/plan_members.hpp"

namespace stallscope::disk {
namespace {

constexpr std::string_view schema = "stallscope.io.plan/1";
constexpr double max_duration_s = 86'400;
constexpr double max_rate_per_s = 1e8;
constexpr unsigned max_servers = 4096;
constexpr std::uint64_t min_service_ns = 1;
constexpr std::uint64_t max_service_ns = 100'000'000'000;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 62U;

simulated_device read_simulated(const json& object) {
  const plan_members members{object, "target.simulated"};
  simulated_device device;
  device.servers = static_cast<unsigned>(members.count("servers", 1, max_servers));
  device.service_ns = members.count("service_ns", min_service_ns, max_service_ns);
  device.exponential = members.is_second_word("service", "fixed", "exponential");
  return device;
}

void check(const point& read, const target& target) {
  const std::uint64_t buffers = read.read_share < 1 ? 2 : 1;
  if (std::uint64_t{read.block_bytes} * read.depth * buffers > max_buffer_bytes) {
    throw wrong_plan("point " + read.id + " needs buffers of more than 1 GiB: depth x block_bytes");
  }
  if (read.block_bytes > target.span_bytes) {
    throw wrong_plan("point " + read.id + " has blocks of " + std::to_string(read.block_bytes) +
                     " bytes, but the target's span is " + std::to_string(target.span_bytes));
  }
  if (read.read_share < 1 && !target.writable) {
    throw wrong_plan("point " + read.id + " writes, but the target is not writable");
  }
}

point read_point(const json& object, const target& target, std::size_t number) {
  const plan_members members{object, "points[" + std::to_string(number) + "]"};
  point read;
  read.id = members.text("id", std::to_string(number));
  read.depth = static_cast<unsigned>(members.count("depth", 1, max_depth, 1));
  read.block_bytes =
      static_cast<std::uint32_t>(members.count("block_bytes", 1, max_block_bytes, 4096));
  read.pattern = members.is_second_word("pattern", "random", "sequential") ? pattern::sequential
                                                                           : pattern::random;
  read.read_share = members.number("read_share", 0, 1, 1);
  if (members.find("rate_per_s") != nullptr) {
    read.rate_per_s = members.number("rate_per_s", 0.001, max_rate_per_s, 1);
  }
  read.warmup_s = members.number("warmup_s", 0, max_duration_s, 0);
  read.duration_s = members.number("duration_s", 0.001, max_duration_s, 1);
  if (members.find("most_requests") != nullptr) {
    read.max_requests = members.count("most_requests", 1, max_bytes);
  }
  read.engine =
      members.is_second_word("engine", "uring", "preadv2") ? engine::preadv2 : engine::uring;
  read.batch = static_cast<unsigned>(members.count("batch", 1, max_depth, 1));
  read.registered = members.flag("registered", true);
  read.seed = members.count("seed", 0, UINT64_MAX, 1);
  check(read, target);
  return read;
}

target read_target(const json& object) {
  const plan_members members{object, "target"};
  target read;
  read.path = members.text("path", "");
  if (members.find("fd") != nullptr) read.fd = static_cast<int>(members.count("fd", 3, 1U << 20U));
  read.offset = members.count("offset", 0, max_bytes, 0);
  read.span_bytes = members.count("span_bytes", 1, max_bytes);
  read.writable = members.flag("writable", false);
  if (const json* simulated = members.find("simulated"))
    read.simulated = read_simulated(*simulated);
  if (!read.simulated && !read.fd && read.path.empty()) throw wrong_plan("target has no path");
  return read;
}

}  // namespace

json parse_plan(std::string_view text) {
  std::optional<json> parsed = json::try_parse(text);
  if (!parsed) throw wrong_plan("text is not JSON");
  return *std::move(parsed);
}

plan read_plan_header(const plan_members& members, std::string_view schema_name) {
  if (members.text("schema", "") != schema_name) {
    throw wrong_plan("schema is not " + std::string{schema_name});
  }
  plan read;
  const json* object = members.find("target");
  if (object == nullptr) throw wrong_plan("target is missing");
  read.target = read_target(*object);
  read.real_time = members.flag("real_time", true);
  if (members.find("cpu") != nullptr) read.cpu = static_cast<int>(members.count("cpu", 0, 1023));
  read.log = members.text("log", "");
  return read;
}

plan read_plan(std::string_view text) {
  const json document = parse_plan(text);
  const plan_members members{document, "document"};
  plan read = read_plan_header(members, schema);
  const json* points = members.find("points");
  if (points == nullptr || !points->is_array() || points->empty() || points->size() > max_points) {
    throw wrong_plan("points are not a list of 1 to " + std::to_string(max_points));
  }
  for (const json& object : *points)
    read.points.push_back(read_point(object, read.target, read.points.size()));
  return read;
}

}  // namespace stallscope::disk
