// Four threads write orders to one log: the program of docs/first-report.md.
//
//   orders [--fixed] [ORDERS]
//
// Each order is formatted and appended to the log. The first version formats while it holds the
// log's mutex; --fixed formats before it takes the mutex. Both do the same work.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex log_mutex;
std::vector<std::string> log_lines;

// Makes the line of an order, with a checksum that takes most of the time.
std::string format_order(std::uint64_t number) {
  std::uint64_t checksum = number;
  for (int round = 0; round < 200'000; ++round) {
    checksum = checksum * 6364136223846793005U + 1442695040888963407U;
  }
  return "order " + std::to_string(number) + " " + std::to_string(checksum);
}

void append_order(std::uint64_t number) {
  const std::lock_guard lock(log_mutex);
  log_lines.push_back(format_order(number));
}

void append_order_fixed(std::uint64_t number) {
  std::string line = format_order(number);
  const std::lock_guard lock(log_mutex);
  log_lines.push_back(std::move(line));
}

}  // namespace

int main(int count, char** words) {
  const bool fixed = count > 1 && std::strcmp(words[1], "--fixed") == 0;
  const int last = fixed ? 2 : 1;
  const std::uint64_t orders = count > last ? std::strtoull(words[last], nullptr, 10) : 20'000;
  auto* const append = fixed ? append_order_fixed : append_order;
  std::vector<std::thread> workers;
  for (unsigned worker = 0; worker < 4; ++worker) {
    workers.emplace_back([=] {
      for (std::uint64_t number = worker; number < orders; number += 4) append(number);
    });
  }
  for (auto& worker : workers) worker.join();
  std::printf("%zu orders\n", log_lines.size());
}
