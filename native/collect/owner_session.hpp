// The reading of lock owners of a recording of waits: decides whether switches wake the reader, and
// starts, drains and ends it. Nothing happens if switches have no registers, or are so frequent
// that they have no kernel call chains. All functions belong to the drain's thread.
//
//   owner_session owners{opened};             // before the events are opened
//   owners.start(events);                     // when they are open
//   while (recording) owners.pass(waits);     // before each pass of the drain
//   owners.finish(waits);
#pragma once

#include <optional>

#include "base/eventfd.hpp"
#include "collect/event_table.hpp"
#include "collect/opened_recording.hpp"
#include "collect/owner_reader.hpp"
#include "collect/wait_recording.hpp"

namespace stallscope::collect {

class owner_session {
 public:
  // Sets the attribute of the switch samples so that each wakes the reader.
  explicit owner_session(opened_recording& opened);

  void start(const event_table& events);
  // Writes the lines of owners. While owners are read, ring data does not end the drain's waits.
  void pass(wait_recording& waits);
  // Ends the reading; writes the last lines and the warnings.
  void finish(wait_recording& waits);

 private:
  opened_recording* opened_;
  std::optional<std::size_t> companion_;  // the event of switch samples among those of threads
  wake_event ring_filled_;                // by the reader
  std::optional<owner_reader> reader_;
};

}  // namespace stallscope::collect
