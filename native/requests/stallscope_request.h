// Marks of requests, for programs in C and C++ that `stallscope requests` observes. One header, no
// library. Linux, GCC or Clang.
//
//   #include "stallscope_request.h"
//
//   stallscope_request_begin(id, "checkout");  // any number that is unique among open requests
//   ...
//   stallscope_request_end(id);
//
// A request that changes its thread, or waits in a queue of the program:
//
//   stallscope_request_suspend(id, "queue");  // on the thread that stops to work on it
//   stallscope_request_resume(id);            // on the thread that continues
//
// Cost while nothing records: two loads and a branch per mark, a page of memory, and a descriptor
// (a memfd, which must stay open). While a recorder listens, a mark costs some 30 ns: it writes 64
// bytes into a ring of 2 MiB, whose memory is used from then on. If the recorder is killed, the
// marks stop after 3 s. A mark allocates nothing, takes no lock, and may be placed in any thread.
// After a fork the child has its own ring. Names have at most 32 bytes; longer ones are cut.
//
// Define STALLSCOPE_NO_REQUESTS to compile all marks to nothing. With -std=c11 or another strict
// standard, include this header before all others, or compile with -D_DEFAULT_SOURCE.
// C has no nullptr, and older standards declare variables first.
// NOLINTBEGIN(modernize-use-nullptr,misc-definitions-in-headers,cppcoreguidelines-init-variables)

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif

#include <stdint.h>

#ifndef STALLSCOPE_REQUEST_LAYOUT_H
#define STALLSCOPE_REQUEST_LAYOUT_H

enum {
  stallscope_request_begins = 1,
  stallscope_request_ends = 2,
  stallscope_request_suspends = 3,
  stallscope_request_resumes = 4
};

// The layout of the memory that program and recorder share. Both use atomic accesses.
enum {
  stallscope_request_records = 32768,  // a power of two
  stallscope_request_offset = 4096     // of the records
};

struct stallscope_request_record {
  uint64_t sequence;  // its number + 1, once the record is complete; 0 while it is written
  uint64_t time_ns;   // CLOCK_MONOTONIC
  uint64_t id;
  uint32_t tid;
  uint8_t action;
  uint8_t name_bytes;
  uint8_t reserved[2];
  char name[32];
};

struct stallscope_request_ring {
  char magic[8];  // "stsreq1"
  uint32_t records;
  uint32_t record_bytes;
  char padding[48];
  uint64_t listen_until_ns;  // of a recorder; 0: nothing listens
  char padding_of_line[56];
  uint64_t written;  // number of records, also of those that were overwritten
  char rest[stallscope_request_offset - 136];
};

#endif  // STALLSCOPE_REQUEST_LAYOUT_H

// A recorder needs the layout alone: it has no ring.
#if !defined(STALLSCOPE_REQUEST_H) && !defined(STALLSCOPE_REQUEST_LAYOUT_ONLY)
#define STALLSCOPE_REQUEST_H

#ifdef STALLSCOPE_NO_REQUESTS

static inline int stallscope_requests_recorded(void) { return 0; }
static inline void stallscope_request_begin(uint64_t id, const char* name) {
  (void)id;
  (void)name;
}
static inline void stallscope_request_end(uint64_t id) { (void)id; }
static inline void stallscope_request_suspend(uint64_t id, const char* reason) {
  (void)id;
  (void)reason;
}
static inline void stallscope_request_resume(uint64_t id) { (void)id; }

#else

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

// The state of the process. Weak: the translation units of a program share it.
struct stallscope_request_state {
  struct stallscope_request_ring* ring;
  uint32_t* process;  // in a page that a fork clears: whether the ring belongs to this process
};
__attribute__((weak)) struct stallscope_request_state stallscope_request_process;

#ifdef __cplusplus
}
#endif

static inline uint64_t stallscope_request_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

// Maps a ring whose size is sealed, so that a recorder never reads beyond its end.
__attribute__((unused)) static struct stallscope_request_ring* stallscope_request_new_ring(void) {
  const size_t bytes = stallscope_request_offset + (size_t)stallscope_request_records *
                                                       sizeof(struct stallscope_request_record);
  struct stallscope_request_ring* ring = NULL;
  void* memory = NULL;
  // MFD_CLOEXEC | MFD_ALLOW_SEALING
  const int fd = (int)syscall(SYS_memfd_create, "stallscope-requests", 3U);
  if (fd < 0) return NULL;
  // F_ADD_SEALS: F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW
  if (ftruncate(fd, (off_t)bytes) != 0 || syscall(SYS_fcntl, fd, 1033, 7) != 0) {
    close(fd);
    return NULL;
  }
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    return NULL;
  }
  ring = (struct stallscope_request_ring*)memory;
  ring->records = stallscope_request_records;
  ring->record_bytes = sizeof(struct stallscope_request_record);
  memcpy(ring->magic, "stsreq1", 8);
  return ring;
}

__attribute__((unused)) static void stallscope_request_open(void) {
  struct stallscope_request_state* state = &stallscope_request_process;
  struct stallscope_request_ring* ring = NULL;
  if (state->process == NULL) {
    void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    madvise(page, 4096, 18);  // MADV_WIPEONFORK
    state->process = (uint32_t*)page;
  }
  // Other threads drop their marks until the ring is replaced: it may still be that of the parent.
  __atomic_store_n(state->process, 1U, __ATOMIC_RELAXED);
  ring = stallscope_request_new_ring();
  if (ring == NULL) return;
  // A recorder that starts a command listens from its first mark on.
  if (getenv("STALLSCOPE_REQUESTS") != NULL)
    ring->listen_until_ns = stallscope_request_now() + 3000000000U;
  __atomic_store_n(&state->ring, ring, __ATOMIC_RELEASE);
  __atomic_store_n(state->process, 2U, __ATOMIC_RELEASE);
}

// Every translation unit has one; the first one opens the ring.
__attribute__((constructor, unused)) static void stallscope_request_start(void) {
  if (stallscope_request_process.ring == NULL) stallscope_request_open();
}

// Returns whether the ring belongs to this process. The first mark after a fork opens a new one.
__attribute__((unused)) static int stallscope_request_owned(void) {
  uint32_t* process = stallscope_request_process.process;
  uint32_t none = 0;
  if (__atomic_load_n(process, __ATOMIC_ACQUIRE) == 2U) return 1;
  if (!__atomic_compare_exchange_n(process, &none, 1U, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return 0;  // another thread opens it
  stallscope_request_open();
  return __atomic_load_n(process, __ATOMIC_RELAXED) == 2U;
}

__attribute__((noinline, unused)) static void stallscope_request_write(uint8_t action, uint64_t id,
                                                                       const char* name) {
  static __thread uint32_t tid;
  static __thread struct stallscope_request_ring* ring_of_tid;
  struct stallscope_request_ring* ring;
  struct stallscope_request_record* record;
  uint64_t number;
  uint64_t until_ns;
  const uint64_t now_ns = stallscope_request_now();
  size_t length = name == NULL ? 0 : strnlen(name, sizeof record->name);
  if (!stallscope_request_owned()) return;
  ring = __atomic_load_n(&stallscope_request_process.ring, __ATOMIC_ACQUIRE);
  if (ring == NULL) return;
  until_ns = __atomic_load_n(&ring->listen_until_ns, __ATOMIC_RELAXED);
  if (now_ns >= until_ns) {  // the recorder was killed
    __atomic_compare_exchange_n(&ring->listen_until_ns, &until_ns, (uint64_t)0, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return;
  }
  if (ring_of_tid != ring) {
    tid = (uint32_t)syscall(SYS_gettid);
    ring_of_tid = ring;
  }
  number = __atomic_fetch_add(&ring->written, (uint64_t)1, __ATOMIC_RELAXED);
  record = (struct stallscope_request_record*)((char*)ring + stallscope_request_offset) +
           (number & (stallscope_request_records - 1));
  __atomic_store_n(&record->sequence, (uint64_t)0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  record->time_ns = now_ns;
  record->id = id;
  record->tid = tid;
  record->action = action;
  record->name_bytes = (uint8_t)length;
  if (length != 0) memcpy(record->name, name, length);
  __atomic_store_n(&record->sequence, number + 1, __ATOMIC_RELEASE);
}

// Returns whether marks are recorded now, for programs that must compute an id.
static inline int stallscope_requests_recorded(void) {
  const struct stallscope_request_ring* ring =
      __atomic_load_n(&stallscope_request_process.ring, __ATOMIC_RELAXED);
  return ring != NULL && __atomic_load_n(&ring->listen_until_ns, __ATOMIC_RELAXED) != 0;
}

static inline void stallscope_request_begin(uint64_t id, const char* name) {
  if (stallscope_requests_recorded()) stallscope_request_write(stallscope_request_begins, id, name);
}
static inline void stallscope_request_end(uint64_t id) {
  if (stallscope_requests_recorded()) stallscope_request_write(stallscope_request_ends, id, NULL);
}
// This thread stops to work on the request, which waits for `reason`.
static inline void stallscope_request_suspend(uint64_t id, const char* reason) {
  if (stallscope_requests_recorded())
    stallscope_request_write(stallscope_request_suspends, id, reason);
}
static inline void stallscope_request_resume(uint64_t id) {
  if (stallscope_requests_recorded())
    stallscope_request_write(stallscope_request_resumes, id, NULL);
}

#endif  // STALLSCOPE_NO_REQUESTS

#endif  // STALLSCOPE_REQUEST_H

// NOLINTEND(modernize-use-nullptr,misc-definitions-in-headers,cppcoreguidelines-init-variables)
