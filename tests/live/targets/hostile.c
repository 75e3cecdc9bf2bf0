// A program of an ordinary user that tries to hold up the profiler: it looks like CPython, and
// reading its memory or its files never returns. It starts as root, prepares what any user can
// prepare in a user namespace, continues as `nobody`, prints "ready" and uses the CPU for a part of
// the time.
//
//   hostile userfaultfd        _PyRuntime is a page whose faults are never answered
//   hostile fuse-memory DIR    _PyRuntime is mapped from a file of a FUSE disk that has stopped
//   hostile fuse-code DIR      code is mapped from such a file
//   hostile symbols FILE       FILE is mapped as the code of libpython
//   hostile structures         the interpreter's structures are endless lists
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { page_bytes = 4096, nobody = 65534, file_node = 2, unsupported = 3 };

// The symbols of CPython 3.11 that a profiler looks up.
__attribute__((visibility("default"), aligned(4096))) char _PyRuntime[page_bytes];
__attribute__((visibility("default"))) const unsigned long Py_Version = 0x030b02f0;
__attribute__((visibility("default"))) char PyCode_Type[64];

static void give_up(const char* what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  _exit(unsupported);
}

// Serves one file of two pages until `stalled` is set, then answers nothing.
static void serve(int fuse, const volatile int* stalled) {
  static char request[1 << 17];
  static char reply[1 << 17];
  for (;;) {
    const ssize_t got = read(fuse, request, sizeof request);
    if (got < (ssize_t)sizeof(struct fuse_in_header)) {
      if (got < 0 && (errno == EINTR || errno == ENOENT)) continue;
      _exit(0);  // unmounted
    }
    const struct fuse_in_header* in = (const struct fuse_in_header*)request;
    struct fuse_out_header* out = (struct fuse_out_header*)reply;
    char* body = reply + sizeof *out;
    if (*stalled || in->opcode == FUSE_FORGET || in->opcode == FUSE_INTERRUPT) continue;
    if (in->opcode == FUSE_READ && ((const struct fuse_read_in*)(in + 1))->offset == 0) continue;
    memset(reply, 0, sizeof reply);
    out->unique = in->unique;
    struct fuse_attr attr = {.ino = in->nodeid,
                             .size = 2 * page_bytes,
                             .mode = S_IFREG | 0755,
                             .nlink = 1,
                             .uid = nobody,
                             .blksize = page_bytes};
    if (in->nodeid == FUSE_ROOT_ID) attr.mode = S_IFDIR | 0755;
    size_t size = 0;
    switch (in->opcode) {
      case FUSE_INIT: {
        const struct fuse_init_out init = {
            .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 1 << 16};
        memcpy(body, &init, size = sizeof init);
        break;
      }
      case FUSE_LOOKUP: {
        attr.ino = file_node;
        attr.mode = S_IFREG | 0755;
        const struct fuse_entry_out entry = {.nodeid = file_node, .attr = attr};
        memcpy(body, &entry, size = sizeof entry);
        break;
      }
      case FUSE_GETATTR: {
        const struct fuse_attr_out attributes = {.attr = attr};
        memcpy(body, &attributes, size = sizeof attributes);
        break;
      }
      case FUSE_OPEN: {
        const struct fuse_open_out opened = {.fh = 1};
        memcpy(body, &opened, size = sizeof opened);
        break;
      }
      case FUSE_READ:
        size = page_bytes;
        break;
      case FUSE_FLUSH:
      case FUSE_RELEASE:
        break;
      default:
        out->error = -ENOSYS;
    }
    out->len = (uint32_t)(sizeof *out + size);
    if (write(fuse, reply, out->len) < 0 && errno != ENOENT) _exit(1);
  }
}

// Mounts a FUSE disk on the directory, visible in this mount namespace alone, and opens its file.
static int open_fuse_file(const char* directory, volatile int* stalled) {
  const int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (fuse < 0) give_up("/dev/fuse");
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    give_up("mount namespace");
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
  if (mount("none", directory, "fuse", MS_NOSUID, options) != 0) give_up("FUSE mount");
  const pid_t parent = getpid();
  if (fork() == 0) {
    if (setuid(nobody) != 0) give_up("setuid");  // else the parent may not end this process
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    serve(fuse, stalled);
  }
  close(fuse);
  char path[4096];
  snprintf(path, sizeof path, "%s/libpython3.so", directory);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) give_up(path);
  return file;
}

static void stop_faults_of_runtime(void) {
  const int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  struct uffdio_api api = {.api = UFFD_API};
  if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) give_up("userfaultfd");
  void* page = mmap(_PyRuntime, page_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  struct uffdio_register area = {.range = {(uintptr_t)page, page_bytes},
                                 .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (page == MAP_FAILED || ioctl(faults, UFFDIO_REGISTER, &area) != 0) give_up("userfaultfd");
}

static void map(int file, void* address, int protection, off_t offset) {
  const int fixed = address != NULL ? MAP_FIXED : 0;
  if (mmap(address, page_bytes, protection, MAP_PRIVATE | fixed, file, offset) == MAP_FAILED)
    give_up("mmap");
}

// Every pointer leads to the same page of pointers: lists of interpreters, threads and frames have
// no end, and each thread has another id.
static void tie_structures(void) {
  uint64_t* words = (uint64_t*)(void*)_PyRuntime;
  for (size_t i = 0; i < page_bytes / sizeof *words; ++i)
    words[i] = (uintptr_t)_PyRuntime + 8 * (i % 16);
}

int main(int count, char** words) {
  if (count < 2) return 2;
  volatile int* stalled =
      mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const char* mode = words[1];
  const char* name = count > 2 ? words[2] : "";
  if (strcmp(mode, "userfaultfd") == 0) stop_faults_of_runtime();
  if (strcmp(mode, "structures") == 0) tie_structures();
  if (strcmp(mode, "symbols") == 0) map(open(name, O_RDONLY), NULL, PROT_READ | PROT_EXEC, 0);
  if (strncmp(mode, "fuse", 4) == 0) {
    const int file = open_fuse_file(name, stalled);
    if (strcmp(mode, "fuse-memory") == 0) map(file, _PyRuntime, PROT_READ, 0);
    if (strcmp(mode, "fuse-code") == 0) map(file, NULL, PROT_READ | PROT_EXEC, page_bytes);
    close(file);  // the end of this process would wait for a flush
  }
  if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0))
    give_up("setuid");
  prctl(PR_SET_DUMPABLE, 1);
  *stalled = 1;
  puts("ready");
  fflush(stdout);
  for (volatile uint64_t turns = 0;; ++turns) {
    if (turns % 4000000 == 0) usleep(20000);
  }
}
