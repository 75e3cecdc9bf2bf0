#include "fuse_mount.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/failure.hpp"

namespace stallscope::known_disk {
namespace {

failure cannot(const char* call) {
  return {exit_code::unable,
          std::string("cannot mount a FUSE filesystem: ") + call + ": " +
              std::generic_category().message(errno),
          "run as root, on a kernel of 5.2 or later that has FUSE"};
}

void set(const descriptor& context, const char* key, const std::string& value) {
  if (::fsconfig(context.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) != 0) throw cannot(key);
}

void set(const descriptor& context, const char* flag) {
  if (::fsconfig(context.get(), FSCONFIG_SET_FLAG, flag, nullptr, 0) != 0) throw cannot(flag);
}

}  // namespace

fuse_mount mount_fuse() {
  fuse_mount mount;
  mount.channel.reset(::open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!mount.channel) throw cannot("/dev/fuse");
  const descriptor context{::fsopen("fuse", FSOPEN_CLOEXEC)};
  if (!context) throw cannot("fsopen");
  set(context, "source", "stallscope-known-disk");
  set(context, "fd", std::to_string(mount.channel.get()));
  set(context, "rootmode", "40000");
  set(context, "user_id", std::to_string(::geteuid()));
  set(context, "group_id", std::to_string(::getegid()));
  set(context, "allow_other");
  set(context, "default_permissions");
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    throw cannot("fsconfig");
  }
  mount.root.reset(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!mount.root) throw cannot("fsmount");
  return mount;
}

}  // namespace stallscope::known_disk
