// Python binding of the reader of debug information; stallscope/_native.pyi documents it.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "columns.hpp"
#include "dwarf/locations.hpp"
#include "dwarf/malformed.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

using addresses_column =
    nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls `read` without the GIL. Debug information that contradicts itself is a ValueError.
template <typename Read>
auto without_gil(const Read& read) {
  try {
    const nb::gil_scoped_release released;
    return read();
  } catch (const dwarf::malformed& error) {
    throw nb::value_error(error.what());
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
}

dwarf::section_place place_of(const nb::handle& section) {
  dwarf::section_place place{.offset = nb::cast<std::uint64_t>(section.attr("offset")),
                             .stored_bytes = nb::cast<std::uint64_t>(section.attr("stored_bytes")),
                             .size_bytes = nb::cast<std::uint64_t>(section.attr("size_bytes"))};
  const auto format = nb::cast<std::string>(section.attr("compression"));
  if (format == "zlib") {
    place.format = dwarf::compression::zlib;
  } else if (format == "zstd") {
    place.format = dwarf::compression::zstd;
  } else if (!format.empty()) {
    throw nb::value_error("an unknown compression of a section");
  }
  return place;
}

dwarf::sections sections_of(int descriptor, const nb::dict& places) {
  dwarf::sections result;
  const std::pair<const char*, dwarf::section*> members[] = {
      {".debug_info", &result.info},         {".debug_abbrev", &result.abbrev},
      {".debug_line", &result.line},         {".debug_str", &result.str},
      {".debug_line_str", &result.line_str}, {".debug_str_offsets", &result.str_offsets},
      {".debug_addr", &result.addr},         {".debug_ranges", &result.ranges},
      {".debug_rnglists", &result.rnglists}, {".debug_aranges", &result.aranges},
  };
  for (const auto& [name, member] : members) {
    if (!places.contains(name)) continue;
    const dwarf::section_place place = place_of(places[name]);
    *member = without_gil([&] { return dwarf::section(descriptor, place); });
  }
  return result;
}

// The locations of a part of the addresses as columns.
nb::dict columns_of(std::vector<std::uint64_t> addresses, const dwarf::unit_locations& result) {
  std::vector<std::int32_t> file;
  std::vector<std::int64_t> line;
  std::vector<std::int32_t> function;
  for (const dwarf::location& row : result.locations) {
    file.push_back(row.file);
    line.push_back(row.line);
    function.push_back(row.function);
  }
  std::vector<std::int32_t> caller;
  std::vector<std::int32_t> name;
  std::vector<std::int32_t> call_file;
  std::vector<std::int64_t> call_line;
  for (const dwarf::located_function& row : result.functions) {
    caller.push_back(row.caller);
    name.push_back(row.name);
    call_file.push_back(row.call_file);
    call_line.push_back(row.call_line);
  }
  nb::list texts;
  for (const std::string& text : result.texts) texts.append(nb::bytes(text.data(), text.size()));
  nb::dict columns;
  columns["address"] = new_column(std::move(addresses));
  columns["file"] = new_column(std::move(file));
  columns["line"] = new_column(std::move(line));
  columns["function"] = new_column(std::move(function));
  columns["caller"] = new_column(std::move(caller));
  columns["name"] = new_column(std::move(name));
  columns["call_file"] = new_column(std::move(call_file));
  columns["call_line"] = new_column(std::move(call_line));
  columns["texts"] = texts;
  columns["damaged"] = result.damaged;
  columns["split"] = result.split;
  return columns;
}

class location_source {
 public:
  location_source(int descriptor, const nb::dict& places, int supplementary_descriptor,
                  const nb::dict& supplementary_places) {
    dwarf::sections main = sections_of(descriptor, places);
    std::unique_ptr<dwarf::debug_file> supplementary;
    if (supplementary_descriptor >= 0) {
      dwarf::sections other = sections_of(supplementary_descriptor, supplementary_places);
      supplementary =
          without_gil([&] { return std::make_unique<dwarf::debug_file>(std::move(other)); });
    }
    reader_ = without_gil([&] {
      return std::make_unique<dwarf::location_reader>(std::move(main), std::move(supplementary));
    });
  }

  std::size_t assign(const addresses_column& addresses) {
    const std::vector<std::uint64_t> copy(addresses.data(), addresses.data() + addresses.size());
    parts_ = without_gil([&] { return reader_->assign(copy); });
    return parts_.size();
  }

  nb::dict locate(std::size_t part) {
    if (part >= parts_.size()) throw nb::index_error("no such part of the addresses");
    const auto result = without_gil([&] { return reader_->locate(parts_[part]); });
    return columns_of(parts_[part].addresses, result);
  }

  [[nodiscard]] std::uint64_t unreadable_units() const { return reader_->unreadable_units(); }

 private:
  std::unique_ptr<dwarf::location_reader> reader_;
  std::vector<dwarf::unit_addresses> parts_;
};

}  // namespace

void add_source_locations(nb::module_& module) {
  nb::class_<location_source>(module, "SourceLocationReader")
      .def(nb::init<int, const nb::dict&, int, const nb::dict&>(), nb::arg("descriptor"),
           nb::arg("places"), nb::arg("supplementary_descriptor"), nb::arg("supplementary_places"))
      .def("assign", &location_source::assign, nb::arg("addresses"))
      .def("locate", &location_source::locate, nb::arg("part"))
      .def_prop_ro("unreadable_units", &location_source::unreadable_units);
}

}  // namespace stallscope::bindings
