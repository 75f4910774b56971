//! Attempts on the network and on what other processes share: sockets, shared memory.

use super::Control::{Everybody, Nobody, Root};
use super::{Attempt, python, shell};

pub(super) const ATTEMPTS: &[Attempt] = &[
    python(
        "tcp-of-the-machine",
        Everybody,
        r#"
socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), 2); escaped()"#,
    ),
    python(
        "udp-of-the-machine",
        Everybody,
        r#"
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(os.environ["UDP"])))"#,
    ),
    python(
        "tcp-elsewhere",
        Nobody,
        r#"
for address in ("198.51.100.1", "169.254.169.254", "8.8.8.8"):
    s = socket.socket(); s.settimeout(0.3)
    try: s.connect((address, 80)); escaped()
    except OSError as error:
        if error.errno != errno.ENETUNREACH: escaped()"#,
    ),
    python(
        "udp-elsewhere",
        Nobody,
        r#"
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("198.51.100.1", 53)); escaped()
except OSError: pass"#,
    ),
    shell("interfaces", Nobody, r#"[ "$(grep -c : /proc/net/dev)" -gt 1 ] && escaped"#),
    python(
        "abstract-socket",
        Everybody,
        r#"
s = socket.socket(socket.AF_UNIX); s.connect("\0" + os.environ["WORLD"]); escaped()"#,
    ),
    python(
        "service-socket",
        Everybody,
        r#"
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["OUT"] + "/service.sock"); escaped()"#,
    ),
    python(
        "service-socket-through-link",
        Everybody,
        r#"
os.symlink(os.environ["OUT"] + "/service.sock", "s-service")
s = socket.socket(socket.AF_UNIX); s.connect("s-service"); escaped()"#,
    ),
    python("raw-packets", Root, "reached(41, 17, 3, 0x300)"),
    python("raw-protocol", Root, "reached(41, 2, 3, 1)"),
    python("raw-protocol-6", Root, "reached(41, 10, 3, 58)"),
    python("kernel-events", Everybody, "reached(41, 16, 3, 15)"),
    python("kernel-diagnosis", Nobody, "reached(41, 16, 3, 4)"),
    python(
        "other-families",
        Everybody,
        "
for family in (3, 4, 5, 9, 17, 21, 29, 30, 31, 38, 40, 44): reached(41, family, 2, 0)",
    ),
    python(
        "pairs-of-other-families",
        Everybody,
        r#"
pair = (ctypes.c_int * 2)(); reached(53, 30, 1, 0, ctypes.byref(pair)); reached(53, 2, 1, 0, ctypes.byref(pair))"#,
    ),
    python(
        "pair-sends-to-a-service",
        Everybody,
        r#"
for kind in (2, 3):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    try: a.sendto(b"x", os.environ["OUT"] + "/letters.sock"); escaped()
    except OSError: pass"#,
    ),
    python(
        "shared-memory-of-others",
        Everybody,
        r#"
if libc.shmget(int(os.environ["KEY"]), 0, 0) >= 0: escaped()"#,
    ),
    shell(
        "queues-of-others",
        Everybody,
        r#"grep -q . /proc/sysvipc/shm && [ "$(wc -l < /proc/sysvipc/shm)" -gt 1 ] && escaped"#,
    ),
];
