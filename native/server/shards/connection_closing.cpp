// How a client leaves: by its own wish, cut off, stalled, or with the server.
#include "server/shards/connection.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

connection::~connection() {
  scheduled_ = true;  // no turn follows that would drop what waits
  if (!closed_) close();
  home_.account(accounted_bytes_, 0);
}

// What has arrived is still answered.
void connection::begin_shutdown() {
  if (closed_) return;
  if (in_flight_ == 0 && !throttled_ && !input_ended_ && receive()) parse_requests();
  if (closed_) return;
  shutting_down_ = true;
  update_interest();
  home_.mark_dirty(*this);
}

void connection::cut_off() {
  if (closed_) return;
  home_.counters().cut_off.add(1);
  close();
}

void connection::close() {
  if (closed_) return;
  closed_ = true;
  home_.loop().unwatch(socket_.get(), *this);
  socket_.reset();
  home_.counters().connections_closed.add(1);
  home_.server().clients().remove(session_.id);
  home_.server().leave();
  home_.closed(*this);
  output_.reset();
  if (in_flight_ == 0) input_.reset();  // else requests' words lie in it
  account();
  if (in_flight_ == 0 || scheduled_) return;
  scheduled_ = true;  // to drop what waited for the client
  home_.loop().schedule(*this);
}

void connection::check_stalled(std::chrono::nanoseconds longest) {
  if (closed_ || !blocked_ || home_.loop().now() - last_taken_ < longest) return;
  cut_off();
}

}  // namespace stallscope::server
