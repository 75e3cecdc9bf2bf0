// The offsets from the headers of the installed CPython, in the order of test_layout_of_headers.cpp.
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>

#include "internal/pycore_frame.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"

const unsigned header_minor_version = PY_MINOR_VERSION;
const unsigned long header_offsets[] = {
    offsetof(_PyRuntimeState, interpreters.head),
#if PY_MINOR_VERSION == 11
    offsetof(_PyRuntimeState, ceval.gil),
    0,
    offsetof(_PyInterpreterFrame, is_entry),
#else
    0,
    offsetof(PyInterpreterState, ceval.gil),
    0,
#endif
    offsetof(struct _gil_runtime_state, last_holder),
    offsetof(struct _gil_runtime_state, locked),
    offsetof(PyInterpreterState, next),
    offsetof(PyInterpreterState, threads.head),
    offsetof(PyThreadState, next),
    offsetof(PyThreadState, native_thread_id),
    offsetof(PyThreadState, datastack_chunk),
    offsetof(PyThreadState, cframe),
    offsetof(_PyCFrame, current_frame),
    offsetof(_PyInterpreterFrame, f_code),
    offsetof(_PyInterpreterFrame, previous),
    offsetof(_PyInterpreterFrame, prev_instr),
    offsetof(_PyInterpreterFrame, owner),
    offsetof(_PyInterpreterFrame, localsplus),
    offsetof(PyCodeObject, co_filename),
    offsetof(PyCodeObject, co_qualname),
    offsetof(PyCodeObject, co_linetable),
    offsetof(PyCodeObject, co_firstlineno),
    offsetof(PyCodeObject, co_code_adaptive),
    offsetof(PyObject, ob_type),
    offsetof(PyVarObject, ob_size),
    offsetof(PyBytesObject, ob_sval),
    offsetof(PyASCIIObject, length),
    offsetof(PyASCIIObject, state),
    sizeof(PyASCIIObject),
    sizeof(PyCompactUnicodeObject),
};
const unsigned long header_offset_count = sizeof header_offsets / sizeof header_offsets[0];
