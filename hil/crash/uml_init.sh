#!/bin/bash
# The first process of the kernel that loses power: it mounts the disk, plays the script on, ends.
# The root is the host's files, read-only. SMARTSHOE_ROOT, SMARTSHOE_PYTHON, SMARTSHOE_BOOT and
# SMARTSHOE_HOW come from the kernel's command line; what is durable is printed on the console.
export PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/mnt TMPDIR=/mnt LANG=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$SMARTSHOE_ROOT"
mount -t proc proc /proc
mount -t tmpfs tmpfs /mnt
mkdir /mnt/disk
mount -t ext4 -o data=ordered /dev/ubda /mnt/disk || echo "crash: the disk cannot be mounted"
# A kernel without devices has no randomness and would make Python wait for it; nothing here is
# secret, so RNDADDENTROPY declares that it has some.
"$SMARTSHOE_PYTHON" - <<'END'
import fcntl, struct
with open("/dev/random", "wb") as device:
    fcntl.ioctl(device, 0x40085203, struct.pack("ii64s", 512, 64, bytes(range(64))))
END
cd "$SMARTSHOE_ROOT" || echo "crash: no $SMARTSHOE_ROOT"
# shellcheck disable=SC2086
"$SMARTSHOE_PYTHON" -m hil.crash.writer /mnt/disk/table --boot "$SMARTSHOE_BOOT" $SMARTSHOE_HOW </dev/null
echo "crash: the script ended with $?"
umount /mnt/disk
"$SMARTSHOE_PYTHON" -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'
