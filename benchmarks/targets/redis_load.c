// Loads a redis-server at a fixed rate: single GET and SET requests on several connections.
//
//   redis_load PORT REQUESTS_PER_S
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { connections = 16 };

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const double gap_ns = 1e9 / atof(words[2]);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)atoi(words[1])),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct pollfd polled[connections];
  char free_connection[connections];
  for (int i = 0; i < connections; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) return 1;
    polled[i] = (struct pollfd){fd, POLLIN, 0};
    free_connection[i] = 1;
  }
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  double due_ns = (double)now_ns();
  unsigned key = 1;
  char reply[65536];
  for (;;) {
    const double now = (double)now_ns();
    while (due_ns <= now) {
      int i = 0;
      while (i < connections && !free_connection[i]) ++i;
      if (i == connections) break;  // all wait: the server sets the rate
      char text[160];
      key = key * 1664525u + 1013904223u;
      const unsigned number = (key >> 8) % 100000;
      const int size =
          key & 0x80000000u
              ? snprintf(text, sizeof text, "*3\r\n$3\r\nSET\r\n$12\r\nkey:%08u\r\n$3\r\nabc\r\n",
                         number)
              : snprintf(text, sizeof text, "*2\r\n$3\r\nGET\r\n$12\r\nkey:%08u\r\n", number);
      if (write(polled[i].fd, text, (size_t)size) != size) return 1;
      free_connection[i] = 0;
      due_ns += gap_ns;
    }
    if (now - due_ns > 1e7)
      due_ns = now - 1e7;  // the backlog of a stopped machine is not made up for
    long long wait_ns = (long long)(due_ns - (double)now_ns());
    if (wait_ns < 0) wait_ns = 0;
    const struct timespec wait = {wait_ns / 1000000000, wait_ns % 1000000000};
    if (ppoll(polled, connections, &wait, NULL) < 0) return 1;
    for (int i = 0; i < connections; ++i) {
      if (!(polled[i].revents & (POLLIN | POLLHUP))) continue;
      if (read(polled[i].fd, reply, sizeof reply) <= 0) return 0;
      free_connection[i] = 1;
    }
  }
}
