"""A machine with disks."""

DISK = "sys/devices/pci0/block/sdz"
SDZ, SDZ1 = (8, 400), (8, 401)

MACHINE = {
    f"{DISK}/size": "2097152",
    f"{DISK}/ro": "0",
    f"{DISK}/dev": "8:400",
    f"{DISK}/sdz1/partition": "1",
    f"{DISK}/sdz1/size": "1048576",
    f"{DISK}/sdz1/ro": "0",
    f"{DISK}/sdz1/dev": "8:401",
    "proc/swaps": "Filename Type Size Used Priority",
    "proc/self/mountinfo": "25 1 8:1 / / rw - ext4 /dev/sda1 rw",
}
