#include "plan.hpp"

#include <cstring>

#include "base/json.hpp"

namespace stallscope::memory {
namespace {

constexpr std::uint64_t max_points = 100'000;
constexpr std::uint64_t max_events = 64;
constexpr std::uint64_t max_cpus = 4'096;
constexpr std::uint64_t max_ring_bytes = std::uint64_t{1} << 42U;
constexpr std::uint64_t max_stride_bytes = std::uint64_t{1} << 30U;

// Returns the whole number under the key; throws plan_error if it is missing or out of range.
std::uint64_t number(const json& object, const char* key, std::uint64_t min, std::uint64_t max) {
  const json* const member = object.find(key);
  if (member == nullptr || !member->is_number_unsigned() || member->get<std::uint64_t>() < min ||
      member->get<std::uint64_t>() > max) {
    throw plan_error(std::string(key) + " must be a whole number from " + std::to_string(min) +
                     " to " + std::to_string(max));
  }
  return member->get<std::uint64_t>();
}

const json& list(const json& object, const char* key, std::uint64_t max) {
  const json* const member = object.find(key);
  if (member == nullptr || !member->is_array() || member->empty() || member->size() > max) {
    throw plan_error(std::string(key) + " must be a list of 1 to " + std::to_string(max) +
                     " elements");
  }
  return *member;
}

page_kind pages_of(const json& object) {
  const json kind = object.value("pages", "");
  if (kind == "small") return page_kind::small;
  if (kind == "huge") return page_kind::huge;
  throw plan_error(R"(pages must be "small" or "huge")");
}

chase_order order_of(const json& object) {
  const json* const member = object.find("order");
  if (member == nullptr || *member == "random") return chase_order::random;
  if (*member == "ascending") return chase_order::ascending;
  if (*member == "prefetched") return chase_order::prefetched;
  throw plan_error(R"(order must be "random", "ascending" or "prefetched")");
}

// Returns the events of the plan, by name or as NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]].
std::vector<perf_events::event_spec> events_of(const json& document) {
  if (!document.contains("events")) return default_events();
  std::vector<perf_events::event_spec> events;
  for (const json& name : list(document, "events", max_events)) {
    if (!name.is_string()) throw plan_error("an event must be a name");
    try {
      events.push_back(perf_events::find_event(name.get<std::string>()));
    } catch (const perf_events::unknown_event& error) {
      throw plan_error(error.what());
    }
  }
  return events;
}

chase_point point_of(const json& object) {
  if (!object.is_object()) throw plan_error("a point must be an object");
  chase_point point;
  point.stride_bytes = number(object, "stride_bytes", 64, max_stride_bytes);
  if (point.stride_bytes % 64 != 0) throw plan_error("stride_bytes must be a multiple of 64");
  point.lines = number(object, "lines", 2, max_ring_bytes / point.stride_bytes);
  point.pages = pages_of(object);
  point.order = order_of(object);
  for (const json& cpu : list(object, "cpus", max_cpus)) {
    point.cpus.push_back(static_cast<int>(number({{"cpu", cpu}}, "cpu", 0, 65'535)));
  }
  if (object.contains("node") && !object["node"].is_null()) {
    point.node = static_cast<int>(number(object, "node", 0, 1'023));
  }
  return point;
}

json json_of(const thread_chase& thread) {
  json counters = json::object();
  json refusals = json::object();
  for (const event_count& event : thread.counts_per_step) {
    counters[event.name] = event.count ? json(*event.count) : json(nullptr);
    if (event.refusal != 0) refusals[event.name] = std::strerror(event.refusal);
  }
  json by_node = json::object();
  for (const auto& [node, pages] : thread.pages_by_node) by_node[std::to_string(node)] = pages;
  return {{"steps", thread.steps},
          {"latency_ns", thread.latency_ns},
          {"pages",
           {{"kind", thread.pages.kind},
            {"huge_bytes", thread.pages.huge_bytes},
            {"page_bytes", thread.pages.page_bytes}}},
          {"pages_by_node", by_node},
          {"counts_per_step", counters},
          {"counters_refused", refusals}};
}

}  // namespace

measurement_plan parse_plan(std::string_view text) {
  const json document = json::try_parse(text).value_or(nullptr);
  if (!document.is_object() || document.value("schema", json()) != "stallscope.memory-plan/1") {
    throw plan_error("not a JSON object of schema stallscope.memory-plan/1");
  }
  measurement_plan plan;
  plan.pace.repeats = static_cast<unsigned>(number(document, "repeats", 1, 1'000));
  plan.pace.repeat_ns = number(document, "repeat_ns", 10'000, 10'000'000'000);
  plan.events = events_of(document);
  for (const json& point : list(document, "points", max_points)) {
    try {
      plan.points.push_back(point_of(point));
    } catch (const plan_error& error) {
      throw plan_error("point " + std::to_string(plan.points.size()) + ": " + error.what());
    }
  }
  return plan;
}

std::string hello_line(std::size_t points) {
  return json{{"event", "hello"},
              {"schema", "stallscope.memory/1"},
              {"version", STALLSCOPE_VERSION},
              {"huge_page_bytes", huge_page_bytes()},
              {"points", points}}
      .dump();
}

std::string point_line(std::size_t index, const std::vector<thread_chase>& threads) {
  json line = {{"event", "point"}, {"index", index}, {"threads", json::array()}};
  for (const thread_chase& thread : threads) line["threads"].push_back(json_of(thread));
  return line.dump();
}

std::string skipped_line(std::size_t index, std::string_view reason) {
  return json{{"event", "skipped"}, {"index", index}, {"why", reason}}.dump();
}

}  // namespace stallscope::memory
