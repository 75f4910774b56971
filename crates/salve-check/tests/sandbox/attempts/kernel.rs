//! Attempts on the kernel: mounts, namespaces, and system calls that no build tool needs.

use super::Control::{Everybody, Nobody, Root};
use super::{Attempt, c, python, shell};

pub(super) const ATTEMPTS: &[Attempt] = &[
    shell(
        "mount-command",
        Nobody,
        r#"mount -t tmpfs x src && escaped; mount --bind / src && escaped"#,
    ),
    python("mount-bind", Nobody, r#"reached(165, b"/", b"src", 0, 4096 | 16384, 0)"#),
    python("mount-tmpfs", Nobody, r#"reached(165, b"x", b"src", b"tmpfs", 0, 0)"#),
    python("mount-proc", Nobody, r#"reached(165, b"proc", b"src", b"proc", 0, 0)"#),
    python("remount-root", Nobody, r#"reached(165, 0, b"/", 0, 32 | 4096, 0)"#),
    python(
        "remount-git",
        Nobody,
        r#"
reached(165, 0, b".git", 0, 32 | 4096, 0)
open(".git/evil", "w"); escaped()"#,
    ),
    python(
        "unmount-git",
        Nobody,
        r#"
for flags in (0, 2): reached(166, b".git", flags)
open(".git/evil", "w"); escaped()"#,
    ),
    python("unmount-workspace", Nobody, r#"reached(166, os.environ["WS"].encode(), 2)"#),
    python("unmount-proc", Nobody, r#"reached(166, b"/proc", 2)"#),
    python("new-mount-open", Root, r#"reached(430, b"tmpfs", 0)"#),
    python("new-mount-tree", Root, r#"reached(428, -100, b"/", 1)"#),
    python("new-mount-move", Nobody, r#"reached(429, -100, b"/", -100, b"src", 0)"#),
    python(
        "new-mount-attributes",
        Nobody,
        r#"
attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
reached(442, -100, b".git", 0, ctypes.byref(attributes), 32)"#,
    ),
    python("new-mount-pick", Root, r#"reached(433, -100, b"/", 0)"#),
    python("change-root", Root, r#"reached(161, b".")"#),
    python("pivot-root", Nobody, r#"reached(155, b".", b".")"#),
    python(
        "new-user-namespace",
        Everybody,
        r#"
if call(272, 0x10000000) == 0: escaped()"#,
    ),
    python("new-mount-namespace", Root, "reached(272, 0x20000)"),
    python(
        "clone-user-namespace",
        Everybody,
        r#"
child = call(56, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0: os._exit(0)
if child > 0: escaped()"#,
    ),
    python(
        "clone3-user-namespace",
        Everybody,
        r#"
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
child = call(435, ctypes.byref(arguments), 88)
if child == 0: os._exit(0)
if child > 0: escaped()"#,
    ),
    python(
        "enter-namespace",
        Root,
        r#"
for pid in ("1", "self"):
    reached(308, os.open("/proc/%s/ns/uts" % pid, os.O_RDONLY), 0)"#,
    ),
    python(
        "file-handle",
        Root,
        r#"
handle = ctypes.create_string_buffer(struct.pack("II", 128, 0) + bytes(128)); mount = ctypes.c_int()
call(303, -100, os.environ["WS"].encode(), ctypes.byref(handle), ctypes.byref(mount), 0)
reached(304, os.open(".", os.O_RDONLY), ctypes.byref(handle), 0)"#,
    ),
    python("keys-add", Everybody, r#"reached(248, b"user", b"salve", b"x", 1, -2)"#),
    python(
        "keys-request",
        Everybody,
        r#"
if call(249, b"user", b"salve-none", 0, 0) == -1 and ctypes.get_errno() not in (1, 38): escaped()"#,
    ),
    python("keys-control", Everybody, "reached(250, 0, -3, 0)"),
    python(
        "io-uring",
        Everybody,
        r#"
parameters = ctypes.create_string_buffer(120); reached(425, 4, ctypes.byref(parameters))"#,
    ),
    python("io-uring-others", Nobody, "reached(426, 0, 0, 0, 0, 0, 0); reached(427, 0, 0, 0, 0)"),
    python(
        "bpf",
        Root,
        r#"
attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1); reached(321, 0, ctypes.byref(attributes), 72)"#,
    ),
    python("user-faults", Everybody, "reached(323, 1)"),
    python(
        "performance-events",
        Root,
        r#"
attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0) + bytes(96))
reached(298, ctypes.byref(attributes), 0, -1, -1, 0)"#,
    ),
    python("module-load", Root, r#"reached(313, -1, b"", 0)"#),
    python("module-image", Root, r#"reached(175, b"x", 1, b"")"#),
    python("module-remove", Root, r#"reached(176, b"salve-no-such-module", 2048)"#),
    python("new-kernel", Nobody, "reached(246, 0, 0, 0, 0); reached(320, -1, -1, 0, 0, 0)"),
    python("restart", Root, "reached(169, 1, 2, 3, 0)"),
    python("swap", Root, r#"reached(167, b"/salve-none", 0); reached(168, b"/salve-none")"#),
    python("kernel-log", Root, "reached(103, 10, 0, 0)"),
    python("accounting", Root, r#"reached(163, b"/salve-none/none")"#),
    python("quotas", Root, r#"reached(179, 0x80000700, b"/salve-none", 0, 0)"#),
    python("ports", Root, "reached(172, 3); reached(173, 0x80, 1, 1)"),
    python("segments", Everybody, "reached(154, 0, 0, 0)"),
    python("watch-everything", Everybody, "reached(300, 0x200, 0)"),
    python(
        "personality",
        Everybody,
        r#"
if call(135, 0x0040000) >= 0: escaped()"#,
    ),
    python(
        "host-name",
        Root,
        r#"
name = socket.gethostname().encode(); reached(170, name, len(name))"#,
    ),
    python(
        "clock",
        Root,
        r#"
wrong = (ctypes.c_int64 * 2)(0, -1); reached(227, 0, ctypes.byref(wrong)); reached(164, ctypes.byref(wrong), 0)"#,
    ),
    python(
        "clock-adjusted",
        Everybody,
        r#"
buffer = ctypes.create_string_buffer(256); reached(159, ctypes.byref(buffer))"#,
    ),
    python("memory-of-others-moved", Everybody, "reached(279, os.getpid(), 0, 0, 0, 0, 0)"),
    python(
        "terminal-typing",
        Everybody,
        r#"
for request in (0x5412, 0x541C, 0x5412 | 1 << 32):
    letter = ctypes.c_char(b"x"); file = os.open("/dev/null", os.O_RDWR)
    reached(16, file, request, ctypes.byref(letter))"#,
    ),
    python(
        "other-numbering",
        Nobody,
        r#"
for number in (39, 165, 101, 521, 272):
    if call(0x40000000 + number, 0, 0, 0, 0) >= 0: escaped()"#,
    ),
    c(
        "other-architecture",
        Everybody,
        r#"
#include <stdio.h>
int main(void) {
    int number = 20; /* getpid, as the machine of 32 bits counts */
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
    if (number > 0) puts("ESCAPED");
    return 0; }"#,
    ),
];
