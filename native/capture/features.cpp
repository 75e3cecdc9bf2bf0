#include "capture/features.hpp"

#include <algorithm>
#include <map>

#include "capture/event_attribute.hpp"
#include "perf_events/perf_format.hpp"

namespace stallscope::capture {
namespace {

constexpr std::size_t max_nodes = 4096;

using perf_format::feature;

// The build id's entry has a size (perf since 5.10); earlier build ids have 20 bytes.
constexpr std::uint16_t build_id_size_flag = 1U << 15U;
constexpr std::size_t build_id_bytes = 20;
constexpr std::size_t build_id_field_bytes = 24;
// The memory of a list entry besides its text: in a half-empty vector, and in the map or the Python
// list made from it.
constexpr std::uint64_t list_entry_bytes = 256;

// The kernel's names have at most 64 bytes.
std::string_view take_host_text(wire_cursor& cursor, const char* what) {
  constexpr std::size_t max_bytes = 255;
  return cursor.take_header_string(what).substr(0, max_bytes);
}

}  // namespace

bool feature_reader::uses(std::uint64_t number) {
  switch (static_cast<feature>(number)) {
    case feature::build_id:
    case feature::hostname:
    case feature::osrelease:
    case feature::arch:
    case feature::cmdline:
    case feature::event_desc:
    case feature::numa_topology:
    case feature::mem_topology:
      return true;
    default:
      return false;
  }
}

void feature_reader::read_feature(std::uint64_t number, wire_cursor cursor) {
  switch (static_cast<feature>(number)) {
    case feature::build_id:
      return read_build_ids(cursor);
    case feature::hostname:
      capture_.host.name = take_host_text(cursor, "host name");
      return;
    case feature::osrelease:
      capture_.host.kernel_release = take_host_text(cursor, "kernel release");
      return;
    case feature::arch:
      capture_.host.architecture = take_host_text(cursor, "architecture");
      return;
    case feature::cmdline:
      return read_command_line(cursor);
    case feature::event_desc:
      return read_event_descriptions(cursor);
    case feature::numa_topology:
      return read_nodes(cursor);
    case feature::mem_topology:
      return read_node_memory(cursor);
    default:
      return;
  }
}

void feature_reader::read_feature_record(wire_cursor cursor) {
  const auto number = cursor.take<std::uint64_t>("number of a feature");
  read_feature(number, cursor);
}

void feature_reader::read_event_update(wire_cursor cursor) {
  const auto kind = cursor.take<std::uint64_t>("kind of an event update");
  const auto id = cursor.take<std::uint64_t>("id of an event update");
  if (kind == static_cast<std::uint64_t>(perf_format::event_update::name)) {
    events_.rename(events_.size() == 1 ? 0 : events_.find(id), cursor.take_string("event name"));
  }
}

void feature_reader::read_command_line(wire_cursor& cursor) {
  const auto count = cursor.take<std::uint32_t>("number of arguments");
  capture_.host.command_line.clear();
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto argument = cursor.take_header_string("argument");
    budget_.charge(list_entry_bytes + 2 * argument.size());
    capture_.host.command_line.emplace_back(argument);
  }
}

memory_node& feature_reader::node_of(std::uint32_t number) {
  for (memory_node& node : capture_.nodes) {
    if (node.number == number) return node;
  }
  if (capture_.nodes.size() == max_nodes) throw limit_exceeded("more than 4,096 memory nodes");
  budget_.charge(sizeof(memory_node));
  return capture_.nodes.emplace_back(memory_node{.number = number, .cpus = {}, .memory = {}});
}

void feature_reader::read_nodes(wire_cursor& cursor) {
  const auto count = cursor.take<std::uint32_t>("number of memory nodes");
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto number = cursor.take<std::uint32_t>("number of a node");
    cursor.take<std::uint64_t>("memory of a node");
    cursor.take<std::uint64_t>("free memory of a node");
    const auto cpus = cursor.take_header_string("CPUs of a node");
    budget_.charge(cpus.size());
    node_of(number).cpus = cpus;
  }
}

// A bitmap for each node: the blocks of physical memory that belong to it.
void feature_reader::read_node_memory(wire_cursor& cursor) {
  cursor.take<std::uint64_t>("version of the memory map");
  const auto block = cursor.take<std::uint64_t>("size of a memory block");
  const auto count = cursor.take<std::uint64_t>("number of memory maps");
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto number = cursor.take<std::uint64_t>("node of a memory map");
    const auto bits = cursor.take<std::uint64_t>("size of a memory map");
    const auto bytes = cursor.take_array(bits / 64 + (bits % 64 == 0 ? 0 : 1), 8, "memory map");
    memory_node& node = node_of(static_cast<std::uint32_t>(number));
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      const auto word = load<std::uint64_t>(bytes.data() + at, cursor.swap());
      for (std::uint64_t bit = 0; bit < 64; ++bit) {
        if ((word >> bit & 1U) == 0) continue;
        const std::uint64_t start = (at * 8 + bit) * block;
        if (!node.memory.empty() && node.memory.back().end == start) {
          node.memory.back().end = start + block;
        } else {
          budget_.charge(sizeof(memory_node::range));
          node.memory.push_back({start, start + block});
        }
      }
    }
  }
}

void feature_reader::read_event_descriptions(wire_cursor& cursor) {
  const auto count = cursor.take<std::uint32_t>("number of event descriptions");
  const auto size = cursor.take<std::uint32_t>("size of an event description");
  if (size < smallest_attribute_bytes) {
    throw capture_error("event description with an attribute of " + std::to_string(size) +
                            " bytes, expected at least 64",
                        cursor.offset());
  }
  for (std::uint32_t index = 0; index < count; ++index) {
    cursor.take_bytes(size, "event description");
    const auto ids = cursor.take<std::uint32_t>("number of an event's ids");
    const auto name = cursor.take_header_string("event name");
    const auto id_bytes = cursor.take_array(ids, 8, "ids of an event");
    std::uint32_t event = index;
    if (ids != 0 && events_.size() > 1) {
      event = events_.find(load<std::uint64_t>(id_bytes.data(), cursor.swap()));
    }
    events_.rename(event, name);
  }
}

void feature_reader::read_build_ids(wire_cursor& cursor) {
  while (cursor.rest() > 0) {
    cursor.take<std::uint32_t>("build id entry");
    const auto misc = cursor.take<std::uint16_t>("build id entry");
    const auto size = cursor.take<std::uint16_t>("build id entry");
    if (size < 8) {
      throw capture_error("build id entry of " + std::to_string(size) + " bytes", cursor.offset());
    }
    read_build_id_record(misc, wire_cursor(cursor.take_bytes(size - 8U, "build id entry"),
                                           cursor.swap(), cursor.offset()));
  }
}

void feature_reader::read_build_id_record(std::uint16_t misc, wire_cursor cursor) {
  cursor.take<std::uint32_t>("pid of a build id");
  const auto field = cursor.take_bytes(build_id_field_bytes, "build id");
  build_id id;
  id.size = build_id_bytes;
  if ((misc & build_id_size_flag) != 0) {
    id.size = std::min(std::to_integer<std::uint8_t>(field[build_id_bytes]), id.size);
  }
  std::transform(field.begin(), field.begin() + id.size, id.bytes.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  const auto rest = as_text(cursor.take_bytes(cursor.rest(), "file name of a build id"));
  const auto name = rest.substr(0, rest.find('\0'));
  budget_.charge(list_entry_bytes + name.size());
  build_ids_.emplace_back(name, id);
}

void feature_reader::apply_build_ids(object_table& objects) {
  std::map<std::string_view, const build_id*> by_name;
  for (const auto& [name, id] : build_ids_) {
    by_name[name] = &id;
  }
  for (object& entry : objects.all()) {
    const auto listed = by_name.find(entry.path);
    if (entry.build_id.size == 0 && listed != by_name.end()) {
      entry.build_id = *listed->second;
    }
  }
}

}  // namespace stallscope::capture
