// Python binding of trace buffer pages and block requests; stallscope/_native.pyi documents the
// columns.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "block_trace/request_log.hpp"
#include "columns.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

using block_trace::completed_request;
using block_trace::pairing_counts;

template <typename Value, typename Take>
nb::object row_column(const std::vector<completed_request>& rows, Take take) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const completed_request& row : rows) {
    values.push_back(static_cast<Value>(take(row)));
  }
  return new_column(std::move(values));
}

std::span<const std::byte> bytes_of(const nb::bytes& pages) {
  return {static_cast<const std::byte*>(pages.data()), pages.size()};
}

// Returns all records of whole pages as columns; number -1 marks a loss.
nb::tuple read_ring_pages(const nb::bytes& pages, std::size_t page_bytes) {
  if (page_bytes < 64) {
    throw std::invalid_argument("page size is less than 64 bytes");
  }
  std::vector<std::uint64_t> t_ns;
  std::vector<std::int32_t> number;
  std::vector<std::int32_t> pid;
  std::vector<std::uint64_t> begin;
  std::vector<std::uint64_t> end;
  const auto add = [&](std::uint64_t at_ns, std::int32_t tracepoint, std::int32_t task,
                       std::uint64_t from, std::uint64_t to) {
    t_ns.push_back(at_ns);
    number.push_back(tracepoint);
    pid.push_back(task);
    begin.push_back(from);
    end.push_back(to);
  };
  const std::span<const std::byte> all = bytes_of(pages);
  for (std::size_t at = 0; at + page_bytes <= all.size(); at += page_bytes) {
    block_trace::walk_page(
        all.subspan(at, page_bytes),
        [&](const block_trace::ring_record& record) {
          const std::size_t from = at + record.begin;
          add(record.t_ns, record.number, record.pid, from, from + record.content.size());
        },
        [&](std::uint64_t at_ns) { add(at_ns, -1, 0, 0, 0); });
  }
  return nb::make_tuple(new_column(std::move(t_ns)), new_column(std::move(number)),
                        new_column(std::move(pid)), new_column(std::move(begin)),
                        new_column(std::move(end)));
}

// A tracepoint layout from Python: number, kind, and offset and size per field.
using layout_row = std::tuple<std::uint16_t, block_trace::event_kind,
                              std::vector<std::pair<std::uint16_t, std::uint16_t>>>;

block_trace::event_layout layout_of(const layout_row& row) {
  const auto& [number, kind, fields] = row;
  if (fields.size() != 7) {
    throw std::invalid_argument("expected 7 fields per tracepoint");
  }
  const auto at = [&fields](std::size_t place) {
    return block_trace::field{.offset = fields[place].first, .size = fields[place].second};
  };
  return {.number = number,
          .kind = kind,
          .device = at(0),
          .sector = at(1),
          .sectors = at(2),
          .bytes = at(3),
          .error = at(4),
          .rwbs = at(5),
          .comm = at(6)};
}

class block_requests {
 public:
  block_requests(const std::vector<layout_row>& layouts, std::size_t page_bytes,
                 std::unordered_map<std::uint32_t, std::uint32_t> disks)
      : log_(layouts_of(layouts), page_bytes, std::move(disks)) {}

  void add_pages(std::uint32_t cpu, const nb::bytes& pages) {
    const std::span<const std::byte> content = bytes_of(pages);
    const nb::gil_scoped_release released;
    log_.add_pages(cpu, content);
  }

  void settle(std::uint64_t until_ns) {
    const nb::gil_scoped_release released;
    log_.settle(until_ns);
  }

  nb::tuple finished() {
    const std::vector<completed_request> rows = log_.pairs().take_completed();
    nb::list names;
    const std::vector<std::uint32_t> indices = names_of(rows, names);
    return nb::make_tuple(
        row_column<std::uint64_t>(rows, [](const auto& row) { return row.end_ns; }),
        row_column<std::int64_t>(rows, [](const auto& row) { return row.queue_ns; }),
        row_column<std::int64_t>(rows, [](const auto& row) { return row.device_ns; }),
        row_column<std::uint32_t>(rows, [](const auto& row) { return row.device; }),
        row_column<std::uint32_t>(rows, [](const auto& row) { return row.bytes; }),
        row_column<std::int32_t>(rows, [](const auto& row) { return row.pid; }),
        row_column<std::int32_t>(rows, [](const auto& row) { return row.error; }),
        row_column<std::uint8_t>(rows, [](const auto& row) { return row.op; }), new_column(indices),
        names);
  }

  [[nodiscard]] nb::dict counts() {
    const pairing_counts& counts = log_.pairs().counts();
    nb::dict document;
    document["events"] = log_.events();
    document["losses"] = log_.losses();
    document["under_way"] = log_.pairs().pending_count();
    document["merged_requests"] = counts.merged_requests;
    document["splits"] = counts.splits;
    document["requeues"] = counts.requeues;
    document["partial"] = counts.partial;
    document["same_sector"] = counts.same_sector;
    document["flushes_asked"] = counts.flushes_requested;
    document["begin_unseen"] = counts.begin_unseen;
    document["out_of_order"] = counts.out_of_order;
    document["never_completed"] = counts.never_completed;
    document["discarded"] = counts.discarded;
    return document;
  }

 private:
  static std::vector<block_trace::event_layout> layouts_of(const std::vector<layout_row>& rows) {
    std::vector<block_trace::event_layout> layouts;
    for (const layout_row& row : rows) {
      layouts.push_back(layout_of(row));
    }
    return layouts;
  }

  // The index of every row's name in the list of distinct names.
  static std::vector<std::uint32_t> names_of(const std::vector<completed_request>& rows,
                                             nb::list& names) {
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> indices;
    indices.reserve(rows.size());
    for (const completed_request& row : rows) {
      const std::string name(row.comm.data(),
                             std::find(row.comm.begin(), row.comm.end(), '\0') - row.comm.begin());
      const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(known.size()));
      if (is_new) {
        names.append(nb::bytes(name.data(), name.size()));
      }
      indices.push_back(at->second);
    }
    return indices;
  }

  block_trace::request_log log_;
};

}  // namespace

void add_block_trace(nb::module_& module) {
  using block_trace::event_kind;
  nb::enum_<event_kind>(module, "BlockEvent")
      .value("SPLIT", event_kind::split)
      .value("FLUSH_ASKED", event_kind::flush_requested)
      .value("BIO_FRONT_MERGE", event_kind::bio_front_merge)
      .value("REQUEST_MERGE", event_kind::request_merge)
      .value("INSERT", event_kind::insert)
      .value("REQUEUE", event_kind::requeue)
      .value("BIO_QUEUE", event_kind::bio_queue)
      .value("ISSUE", event_kind::issue)
      .value("COMPLETE", event_kind::complete)
      .value("BIO_COMPLETE", event_kind::bio_complete);
  module.def("read_ring_pages", &read_ring_pages, nb::arg("pages"), nb::arg("page_bytes"));
  nb::class_<block_requests>(module, "BlockRequests")
      .def(nb::init<const std::vector<layout_row>&, std::size_t,
                    std::unordered_map<std::uint32_t, std::uint32_t>>(),
           nb::arg("layouts"), nb::arg("page_bytes"), nb::arg("disks"))
      .def("add_pages", &block_requests::add_pages, nb::arg("cpu"), nb::arg("pages"))
      .def("settle", &block_requests::settle, nb::arg("until_ns"))
      .def("finished", &block_requests::finished)
      .def("counts", &block_requests::counts);
}

}  // namespace stallscope::bindings
