#include "disk/plan.hpp"

#include <cmath>

#include "disk/plan_members.hpp"

namespace stallscope::disk {
namespace {

using json = nlohmann::json;

constexpr std::string_view schema = "stallscope.io.plan/1";
constexpr double longest_s = 86'400;
constexpr double highest_rate_per_s = 1e8;
constexpr unsigned most_servers = 4096;
constexpr std::uint64_t least_service_ns = 1;
constexpr std::uint64_t longest_service_ns = 100'000'000'000;
constexpr std::uint64_t largest = std::uint64_t{1} << 62U;

simulated_device read_simulated(const json& object) {
  const plan_members found{object, "target.simulated"};
  simulated_device device;
  device.servers = static_cast<unsigned>(found.count("servers", 1, most_servers));
  device.service_ns = found.count("service_ns", least_service_ns, longest_service_ns);
  device.exponential = found.second("service", "fixed", "exponential");
  return device;
}

void check(const point& read, const target& on) {
  const std::uint64_t buffers = read.read_share < 1 ? 2 : 1;
  if (std::uint64_t{read.block_bytes} * read.depth * buffers > most_buffer_bytes) {
    throw wrong_plan("point " + read.id + " needs buffers of more than 1 GiB: depth x block_bytes");
  }
  if (read.block_bytes > on.span_bytes) {
    throw wrong_plan("point " + read.id + " has blocks of " + std::to_string(read.block_bytes) +
                     " bytes, and the target's span is " + std::to_string(on.span_bytes));
  }
  if (read.read_share < 1 && !on.writable) {
    throw wrong_plan("point " + read.id + " writes, and the target is not said to be writable");
  }
}

point read_point(const json& object, const target& on, std::size_t number) {
  const plan_members found{object, "points[" + std::to_string(number) + "]"};
  point read;
  read.id = found.text("id", std::to_string(number));
  read.depth = static_cast<unsigned>(found.count("depth", 1, most_depth, 1));
  read.block_bytes =
      static_cast<std::uint32_t>(found.count("block_bytes", 1, most_block_bytes, 4096));
  read.pattern =
      found.second("pattern", "random", "sequential") ? pattern::sequential : pattern::random;
  read.read_share = found.number("read_share", 0, 1, 1);
  if (found.find("rate_per_s") != nullptr) {
    read.rate_per_s = found.number("rate_per_s", 0.001, highest_rate_per_s, 1);
  }
  read.warmup_s = found.number("warmup_s", 0, longest_s, 0);
  read.duration_s = found.number("duration_s", 0.001, longest_s, 1);
  if (found.find("most_requests") != nullptr) {
    read.most_requests = found.count("most_requests", 1, largest);
  }
  read.engine = found.second("engine", "uring", "preadv2") ? engine::preadv2 : engine::uring;
  read.batch = static_cast<unsigned>(found.count("batch", 1, most_depth, 1));
  read.registered = found.flag("registered", true);
  read.seed = found.count("seed", 0, UINT64_MAX, 1);
  check(read, on);
  return read;
}

}  // namespace

target read_target(const json& object) {
  const plan_members found{object, "target"};
  target read;
  read.path = found.text("path", "");
  if (found.find("fd") != nullptr) read.fd = static_cast<int>(found.count("fd", 3, 1U << 20U));
  read.offset = found.count("offset", 0, largest, 0);
  read.span_bytes = found.count("span_bytes", 1, largest);
  read.writable = found.flag("writable", false);
  if (const json* simulated = found.find("simulated")) read.simulated = read_simulated(*simulated);
  if (!read.simulated && !read.fd && read.path.empty())
    throw wrong_plan("target is without a path");
  return read;
}

plan read_plan(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw wrong_plan("text is not JSON");
  const plan_members found{document, "document"};
  if (found.text("schema", "") != schema) {
    throw wrong_plan("schema is not " + std::string{schema});
  }
  plan read;
  const json* object = found.find("target");
  if (object == nullptr) throw wrong_plan("target is missing");
  read.target = read_target(*object);
  read.real_time = found.flag("real_time", true);
  if (found.find("cpu") != nullptr) read.cpu = static_cast<int>(found.count("cpu", 0, 1023));
  read.log = found.text("log", "");
  const json* points = found.find("points");
  if (points == nullptr || !points->is_array() || points->empty() || points->size() > most_points) {
    throw wrong_plan("points are no list of 1 to " + std::to_string(most_points));
  }
  for (const json& one : *points)
    read.points.push_back(read_point(one, read.target, read.points.size()));
  return read;
}

}  // namespace stallscope::disk
