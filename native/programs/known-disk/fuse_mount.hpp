// A FUSE filesystem mounted nowhere: a mount without a place in any directory, that only its
// descriptor leads to. When the process ends, however it ends, the mount is gone with it.
#pragma once

#include "base/descriptor.hpp"

namespace stallscope::known_disk {

struct fuse_mount {
  descriptor channel;  // requests are read here, and answers written; closes last
  descriptor root;     // the filesystem: /proc/PID/fd/N leads into it
};

// Throws failure (unable) where the kernel or this user cannot. The kernel's first request waits
// in the channel then.
fuse_mount mount_fuse();

}  // namespace stallscope::known_disk
