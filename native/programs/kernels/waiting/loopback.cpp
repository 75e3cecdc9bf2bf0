#include "kernels/waiting/loopback.hpp"

#include <poll.h>

#include <vector>

#include "kernels/waiting/child_process.hpp"
#include "kernels/waiting/loopback_socket.hpp"
#include "kernels/waiting/waiting_kernel.hpp"

namespace stallscope::kernels {
namespace {

// Thread 0 serves the requests of all other threads one after another, 2 ms of computation per
// request. An iteration of the server answers as many requests as there are clients. In the
// look-alike it answers in 20 us, and its clients sleep 2 ms between two requests.
class single_threaded_server_kernel : public waiting_kernel {
 public:
  explicit single_threaded_server_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        connections_(setting.threads - 1) {
    for (const loopback_connection& connection : connections_) {
      polled_.push_back({.fd = connection.server.fd(), .events = POLLIN, .revents = 0});
    }
  }

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"service_ns", service_ns()}};
  }

 private:
  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    if (thread == 0) return serve_all(stop);
    const loopback_socket& client = connections_[thread - 1].client;
    client.send();
    if (!client.receive(times(thread), stop)) return false;
    compute_for(50 * us);
    if (look_alike_) pause_for(2 * ms, times(thread));
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned thread) const override {
    return thread == 0 ? "server" : "client";
  }
  [[nodiscard]] std::uint64_t service_ns() const noexcept { return look_alike_ ? 20 * us : 2 * ms; }
  bool serve_all(const std::atomic<bool>& stop) {
    std::size_t served = 0;
    while (served < connections_.size()) {
      if (stop) return false;
      {
        const timed_wait wait(times(0), wait_state::network);
        poll(polled_.data(), polled_.size(), 50);
      }
      for (std::size_t i = 0; i < polled_.size() && served < connections_.size(); ++i) {
        if ((polled_[i].revents & POLLIN) == 0) continue;
        const loopback_socket& connection = connections_[i].server;
        if (!connection.receive_now()) continue;
        compute_for(service_ns());
        connection.send();
        ++served;
      }
    }
    return true;
  }

  bool look_alike_;
  std::vector<loopback_connection> connections_;
  std::vector<pollfd> polled_;
};

// A client of a process that sleeps 20 ms before each answer. In the look-alike the process answers
// at once, and the client sleeps 20 ms between two requests.
class slow_peer_kernel : public waiting_kernel {
 public:
  explicit slow_peer_kernel(const kernel_settings& setting)
      : waiting_kernel(setting.threads),
        look_alike_(setting.look_alike),
        cured_(setting.cured),
        peer_("slow-peer", [this] { answer(); }) {}

  [[nodiscard]] std::vector<kernel_parameter> parameters() const override {
    return {{"peer_pid", static_cast<std::uint64_t>(peer_.pid())}};
  }

 private:
  static constexpr std::uint64_t delay_ns = 20 * ms;

  void answer() const {
    thread_times peer_times;
    const std::atomic<bool> never{false};
    for (;;) {
      if (!connection_.server.receive(peer_times, never)) return;
      if (!look_alike_ && !cured_) pause_for(delay_ns, peer_times);
      connection_.server.send();
    }
  }
  bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
    connection_.client.send();
    if (!connection_.client.receive(times(thread), stop)) return false;
    compute_for(ms);
    if (look_alike_) pause_for(delay_ns, times(thread));
    return true;
  }
  [[nodiscard]] const char* name_of(unsigned) const override { return "client"; }

  bool look_alike_;
  bool cured_;
  loopback_connection connection_;
  child_process peer_;
};

}  // namespace

std::unique_ptr<kernel_base> make_single_threaded_server(const kernel_settings& setting) {
  return std::make_unique<single_threaded_server_kernel>(setting);
}

std::unique_ptr<kernel_base> make_slow_peer(const kernel_settings& setting) {
  return std::make_unique<slow_peer_kernel>(setting);
}

}  // namespace stallscope::kernels
