// A detached FUSE mount: it is attached to no directory and reachable only through its descriptor.
// It disappears when the process ends.
#pragma once

#include "base/descriptor.hpp"

namespace stallscope::known_disk {

struct fuse_mount {
  descriptor channel;  // for requests and replies; closes last
  descriptor root;     // root of the filesystem, reachable as /proc/PID/fd/N
};

// Throws failure (unable) if the kernel or the user's permissions do not allow it. Afterwards the
// kernel's first request waits in the channel.
fuse_mount mount_fuse();

}  // namespace stallscope::known_disk
