// Captures as numpy arrays over the reader's own columns; stallscope/_native.pyi tells what they
// hold.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "capture/read_capture.hpp"
#include "capture_nodes.hpp"
#include "managed_runs.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// Moves them over: a hostile file may hold as many as fit into memory once.
template <typename Value>
nb::list as_list(std::vector<Value> values) {
  nb::list made;
  for (Value& value : values) {
    made.append(nb::cast(std::move(value)));
  }
  return made;
}

// What Python holds: the arrays keep the columns alive, by a capsule that they all share.
struct python_capture {
  std::shared_ptr<capture::capture_content> data;
  nb::object owner;
  nb::list attributes;
  nb::list objects;
  nb::list threads;
  nb::list nodes;
  nb::list traces;
  std::optional<std::int32_t> clock_id;
};

std::optional<std::int32_t> clock_of(const std::vector<capture::attribute>& attributes) {
  for (const capture::attribute& attribute : attributes) {
    if (attribute.clock_id) {
      return attribute.clock_id;
    }
  }
  return std::nullopt;
}

python_capture wrap(capture::capture_content&& read) {
  python_capture made;
  made.data = std::make_shared<capture::capture_content>(std::move(read));
  auto keeper = std::make_unique<std::shared_ptr<capture::capture_content>>(made.data);
  made.owner = nb::capsule(keeper.release(), [](void* held) noexcept {
    delete static_cast<std::shared_ptr<capture::capture_content>*>(held);
  });
  made.clock_id = clock_of(made.data->attributes);
  made.attributes = as_list(std::move(made.data->attributes));
  made.objects = as_list(std::move(made.data->objects));
  made.threads = as_list(std::move(made.data->threads));
  made.nodes = as_list(std::move(made.data->nodes));
  made.traces = as_list(std::move(made.data->traces));
  return made;
}

template <typename T>
nb::object as_array(const python_capture& from, capture::column<T>& values) {
  static T nothing{};
  T* data = values.size() == 0 ? &nothing : values.data();
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {values.size()}, from.owner));
}

// An exception of the reader with the path that it was about.
struct located_error {
  std::string message;
  std::uint64_t offset;
  std::string path;
};

nb::str path_text(const std::string& path) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

std::string path_bytes(nb::handle path) {
  PyObject* converted = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &converted) == 0) {
    throw nb::python_error();
  }
  const auto held = nb::steal<nb::bytes>(converted);
  return {held.c_str(), held.size()};
}

[[noreturn]] void throw_os_error(const std::system_error& error, const std::string& path) {
  errno = error.code().value();
  PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path_text(path).ptr());
  throw nb::python_error();
}

// Asks Python for the tables of objects, in the middle of reading, and keeps what it gives.
class table_asker {
 public:
  explicit table_asker(nb::callable ask) : ask_(std::move(ask)) {}
  const unwind::table* operator()(const capture::object& mapped) {
    const nb::gil_scoped_acquire held;
    nb::object answer = ask_(nb::cast(mapped));
    if (answer.is_none()) {
      return nullptr;
    }
    if (!nb::isinstance<unwind::table>(answer)) {
      throw nb::type_error("unwind_tables must return an UnwindTable or None");
    }
    const auto* table = nb::inst_ptr<unwind::table>(answer);
    answers_.push_back(std::move(answer));
    return table;
  }

 private:
  nb::callable ask_;
  std::vector<nb::object> answers_;
};

python_capture read_capture(nb::handle path, bool allow_truncated,
                            std::optional<nb::callable> unwind_tables,
                            std::optional<managed_arrays> managed,
                            std::optional<interpreter_arrays> interpreters) {
  const std::string name = path_bytes(path);
  capture::read_options options;
  options.allow_truncated = allow_truncated;
  if (managed) options.managed = managed_of(*managed);
  if (interpreters) options.interpreters = interpreters_of(*interpreters);
  std::optional<table_asker> asker;
  if (unwind_tables) {
    asker.emplace(*std::move(unwind_tables));
    options.unwind_table = [&asker](const capture::object& mapped) { return (*asker)(mapped); };
  }
  try {
    std::optional<capture::capture_content> read;
    {
      const nb::gil_scoped_release released;
      capture::file_source source(name);
      read.emplace(capture::read_capture(source, options));
    }
    return wrap(std::move(*read));
  } catch (const capture::capture_error& error) {
    throw located_error{error.what(), error.offset(), name};
  } catch (const capture::temporary_file_error& error) {
    throw_os_error(error, error.directory());
  } catch (const std::system_error& error) {
    throw_os_error(error, name);
  }
}

void add_capture_error(nb::module_& module) {
  static PyObject* type = nullptr;
  type = PyErr_NewExceptionWithDoc(
      "stallscope._native.CaptureError",
      "A file that cannot be read as a capture; args is (message, byte offset, path).", nullptr,
      nullptr);
  if (type == nullptr) {
    throw nb::python_error();
  }
  module.attr("CaptureError") = nb::handle(type);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const located_error& error) {
      const nb::tuple args =
          nb::make_tuple(as_text(error.message), error.offset, path_text(error.path));
      PyErr_SetObject(type, args.ptr());
    }
  });
}

void add_attribute(nb::module_& module) {
  using capture::attribute;
  nb::class_<attribute>(module, "Attribute", nb::is_final())
      .def_ro("type", &attribute::type)
      .def_ro("config", &attribute::config)
      .def_ro("sample_type", &attribute::sample_type)
      .def_ro("frequency_hz", &attribute::frequency_hz)
      .def_ro("period", &attribute::period)
      .def_ro("inherit", &attribute::inherit)
      .def_ro("exclude_user", &attribute::exclude_user)
      .def_ro("exclude_kernel", &attribute::exclude_kernel)
      .def_prop_ro("name", [](const attribute& self) { return as_text(self.name); });
}

void add_object(nb::module_& module) {
  using capture::object;
  nb::class_<object>(module, "Object", nb::is_final())
      .def_prop_ro("path", [](const object& self) { return as_bytes(self.path); })
      .def_prop_ro("build_id",
                   [](const object& self) {
                     return nb::bytes(self.build_id.bytes.data(), self.build_id.size);
                   })
      .def_ro("kernel", &object::kernel)
      .def_ro("pid", &object::pid)
      .def_ro("start", &object::start)
      .def_ro("length", &object::length)
      .def_ro("page_offset", &object::page_offset)
      .def_ro("major", &object::major)
      .def_ro("minor", &object::minor)
      .def_ro("inode", &object::inode);
}

void add_thread(nb::module_& module) {
  using capture::thread;
  nb::class_<thread>(module, "Thread", nb::is_final())
      .def_ro("pid", &thread::pid)
      .def_ro("tid", &thread::tid)
      .def_prop_ro("name", [](const thread& self) { return as_bytes(self.name); })
      .def_prop_ro("process_name", [](const thread& self) { return as_bytes(self.process_name); });
}

using capture_class = nb::class_<python_capture>;

void add_facts(capture_class& made) {
  made.def_prop_ro("format",
                   [](const python_capture& self) { return self.data->pipe ? "pipe" : "file"; })
      .def_prop_ro(
          "byte_order",
          [](const python_capture& self) { return self.data->big_endian ? "big" : "little"; })
      .def_ro("attributes", &python_capture::attributes)
      .def_ro("objects", &python_capture::objects)
      .def_ro("threads", &python_capture::threads)
      .def_ro("nodes", &python_capture::nodes)
      .def_ro("traces", &python_capture::traces)
      .def_prop_ro("trace_kind", [](const python_capture& self) { return self.data->trace_kind; })
      .def_prop_ro("host_name",
                   [](const python_capture& self) { return as_text(self.data->host.name); })
      .def_prop_ro(
          "kernel_release",
          [](const python_capture& self) { return as_text(self.data->host.kernel_release); })
      .def_prop_ro("architecture",
                   [](const python_capture& self) { return as_text(self.data->host.architecture); })
      .def_prop_ro("command_line",
                   [](const python_capture& self) {
                     nb::list words;
                     for (const std::string& word : self.data->host.command_line) {
                       words.append(as_text(word));
                     }
                     return words;
                   })
      .def_ro("clock_id", &python_capture::clock_id)
      .def_prop_ro("lost_records",
                   [](const python_capture& self) { return self.data->lost_records; })
      .def_prop_ro("lost_samples",
                   [](const python_capture& self) { return self.data->lost_samples; })
      .def_prop_ro("unknown_records",
                   [](const python_capture& self) { return self.data->unknown_records; })
      .def_prop_ro("deferred_stacks",
                   [](const python_capture& self) { return self.data->deferred_stacks; })
      .def_prop_ro("throttles", [](const python_capture& self) { return self.data->throttles; })
      .def_prop_ro("truncated_at",
                   [](const python_capture& self) { return self.data->truncated_at; })
      .def_prop_ro("records_end", [](const python_capture& self) { return self.data->records_end; })
      .def_prop_ro("bytes_read", [](const python_capture& self) { return self.data->bytes_read; });
}

template <typename Columns, typename T>
void add_array(capture_class& made, const char* name, Columns capture::capture_content::*part,
               capture::column<T> Columns::*values) {
  made.def_prop_ro(name, [part, values](const python_capture& self) {
    return as_array(self, ((*self.data).*part).*values);
  });
}

// Uniform rows share one value, by a stride of 0. So the array is read-only.
template <typename Columns, typename T>
void add_array(capture_class& made, const char* name, Columns capture::capture_content::*part,
               capture::uniform_column<T> Columns::*values) {
  made.def_prop_ro(name, [part, values](const python_capture& self) {
    auto& rows = ((*self.data).*part).*values;
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(
        rows.data(), {rows.size()}, self.owner, {rows.is_uniform() ? 0 : 1}));
  });
}

// Arrays of a group of columns within the columns about waiting.
template <typename Columns, typename T>
void add_array(capture_class& made, const char* name, Columns capture::wait_columns::*part,
               capture::column<T> Columns::*values) {
  made.def_prop_ro(name, [part, values](const python_capture& self) {
    return as_array(self, (self.data->waits.*part).*values);
  });
}

nb::object registers_of(const python_capture& from) {
  static std::uint64_t nothing{};
  auto& values = from.data->waits.registers;
  const std::size_t width = capture::wait_columns::register_count;
  std::uint64_t* data = values.size() == 0 ? &nothing : values.data();
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<2>>(
      data, {values.size() / width, width}, from.owner));
}

void add_wait_arrays(capture_class& made) {
  using capture::contention_columns;
  using capture::lost_columns;
  using capture::switch_columns;
  using capture::task_columns;
  using capture::wait_columns;
  using capture::wake_columns;
  add_array(made, "switch_time_ns", &wait_columns::switches, &switch_columns::time_ns);
  add_array(made, "switch_thread", &wait_columns::switches, &switch_columns::thread);
  add_array(made, "switch_cpu", &wait_columns::switches, &switch_columns::cpu);
  add_array(made, "switch_kind", &wait_columns::switches, &switch_columns::kind);
  add_array(made, "switch_other", &wait_columns::switches, &switch_columns::other);
  add_array(made, "task_time_ns", &wait_columns::tasks, &task_columns::time_ns);
  add_array(made, "task_thread", &wait_columns::tasks, &task_columns::thread);
  add_array(made, "task_kind", &wait_columns::tasks, &task_columns::kind);
  add_array(made, "wake_time_ns", &wait_columns::wakes, &wake_columns::time_ns);
  add_array(made, "wake_wakee", &wait_columns::wakes, &wake_columns::wakee);
  add_array(made, "wake_waker", &wait_columns::wakes, &wake_columns::waker);
  add_array(made, "wake_cpu", &wait_columns::wakes, &wake_columns::cpu);
  add_array(made, "wake_flags", &wait_columns::wakes, &wake_columns::flags);
  add_array(made, "wake_stack", &wait_columns::wakes, &wake_columns::stack);
  add_array(made, "contention_time_ns", &wait_columns::contentions, &contention_columns::time_ns);
  add_array(made, "contention_thread", &wait_columns::contentions, &contention_columns::thread);
  add_array(made, "contention_address", &wait_columns::contentions, &contention_columns::address);
  add_array(made, "contention_flags", &wait_columns::contentions, &contention_columns::flags);
  add_array(made, "contention_end", &wait_columns::contentions, &contention_columns::end);
  add_array(made, "contention_stack", &wait_columns::contentions, &contention_columns::stack);
  add_array(made, "lost_begin_ns", &wait_columns::lost, &lost_columns::begin_ns);
  add_array(made, "lost_end_ns", &wait_columns::lost, &lost_columns::end_ns);
  add_array(made, "lost_cpu", &wait_columns::lost, &lost_columns::cpu);
  add_array(made, "lost_count", &wait_columns::lost, &lost_columns::count);
  made.def_prop_ro("registers", &registers_of);
}

void add_arrays(capture_class& made) {
  using capture::access_columns;
  using capture::read_columns;
  using capture::sample_columns;
  using capture::stack_columns;
  add_array(made, "time_ns", &capture::capture_content::samples, &sample_columns::time_ns);
  add_array(made, "thread", &capture::capture_content::samples, &sample_columns::thread);
  add_array(made, "cpu", &capture::capture_content::samples, &sample_columns::cpu);
  add_array(made, "period", &capture::capture_content::samples, &sample_columns::period);
  add_array(made, "event", &capture::capture_content::samples, &sample_columns::event);
  add_array(made, "stack", &capture::capture_content::samples, &sample_columns::stack);
  add_array(made, "read", &capture::capture_content::samples, &sample_columns::read);
  add_array(made, "access", &capture::capture_content::samples, &sample_columns::access);
  add_array(made, "register_row", &capture::capture_content::samples,
            &sample_columns::register_row);
  add_array(made, "access_address", &capture::capture_content::accesses, &access_columns::address);
  add_array(made, "access_physical_address", &capture::capture_content::accesses,
            &access_columns::physical_address);
  add_array(made, "access_source", &capture::capture_content::accesses, &access_columns::source);
  add_array(made, "access_weight", &capture::capture_content::accesses, &access_columns::weight);
  add_array(made, "read_stream", &capture::capture_content::reads, &read_columns::stream);
  add_array(made, "read_enabled_ns", &capture::capture_content::reads, &read_columns::enabled_ns);
  add_array(made, "read_running_ns", &capture::capture_content::reads, &read_columns::running_ns);
  add_array(made, "read_offset", &capture::capture_content::reads, &read_columns::offset);
  add_array(made, "read_event", &capture::capture_content::reads, &read_columns::event);
  add_array(made, "read_value", &capture::capture_content::reads, &read_columns::value);
  add_array(made, "read_paused", &capture::capture_content::reads, &read_columns::paused);
  add_array(made, "stack_offset", &capture::capture_content::stacks, &stack_columns::offset);
  add_array(made, "stack_end", &capture::capture_content::stacks, &stack_columns::end);
  add_array(made, "stack_frame", &capture::capture_content::stacks, &stack_columns::frame);
  add_array(made, "frame_object", &capture::capture_content::stacks, &stack_columns::frame_object);
  add_array(made, "frame_address", &capture::capture_content::stacks,
            &stack_columns::frame_address);
  add_array(made, "frame_kind", &capture::capture_content::stacks, &stack_columns::kind);
}

}  // namespace

void add_capture(nb::module_& module) {
  add_capture_error(module);
  add_attribute(module);
  add_object(module);
  add_thread(module);
  add_nodes_and_traces(module);
  capture_class made(module, "Capture", nb::is_final());
  add_facts(made);
  add_arrays(made);
  add_wait_arrays(made);
  module.def("read_capture", &read_capture, nb::arg("path"), nb::kw_only(),
             nb::arg("allow_truncated") = false, nb::arg("unwind_tables") = nb::none(),
             nb::arg("managed") = nb::none(), nb::arg("interpreters") = nb::none());
}

}  // namespace stallscope::bindings
