//! Attempts on processes: tracing, memory, signals, identities, survivors.

use super::Control::{Everybody, Given, Nobody, Others, Root};
use super::{Attempt, c, python, shell};

pub(super) const ATTEMPTS: &[Attempt] = &[
    python(
        "trace-outside",
        Everybody,
        r#"
if call(101, 0x4206, VICTIM, 0, 0) == 0: escaped()"#,
    ),
    python(
        "trace-launcher",
        Nobody,
        r#"
for how in (16, 0x4206): reached(101, how, 1, 0, 0)"#,
    ),
    python("trace-me", Everybody, "reached(101, 0, 0, 0, 0)"),
    python(
        "memory-outside",
        Everybody,
        r#"
buffer = ctypes.create_string_buffer(64)
start = int(open("/proc/%d/maps" % VICTIM).readline().split("-")[0], 16)
here = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)
there = (ctypes.c_void_p * 2)(start, 16)
if call(310, VICTIM, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0: escaped()"#,
    ),
    python(
        "memory-launcher",
        Nobody,
        r#"
here = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.create_string_buffer(64)), 16)
reached(311, 1, ctypes.byref(here), 1, ctypes.byref(here), 1, 0)"#,
    ),
    python("memory-file-outside", Everybody, r#"open("/proc/%d/mem" % VICTIM, "rb"); escaped()"#),
    python(
        "memory-file-launcher",
        Nobody,
        r#"
for mode in ("rb", "r+b"):
    try: open("/proc/1/mem", mode); escaped()
    except OSError: pass"#,
    ),
    shell("launcher-descriptors", Nobody, r#"ls -l /proc/1/fd | grep -e '->' && escaped"#),
    shell("launcher-socket", Nobody, r#"echo forged > /proc/1/fd/0 && escaped"#),
    shell(
        "launcher-environment",
        Nobody,
        r#"(cat /proc/1/environ; env) | grep -a launcher-secret && escaped"#,
    ),
    shell(
        "launcher-program",
        Nobody,
        r#"ls -l /proc/1/exe /proc/1/root /proc/1/cwd | grep -e '->' && escaped"#,
    ),
    python(
        "launcher-steal-descriptor",
        Nobody,
        r#"
handle = call(434, 1, 0); reached(438, handle, 0, 0)"#,
    ),
    python(
        "steal-descriptor-outside",
        Everybody,
        r#"
handle = call(434, VICTIM, 0)
if handle >= 0 and call(438, handle, 1, 0) >= 0: escaped()"#,
    ),
    python("compare-processes", Everybody, "reached(312, os.getpid(), os.getppid(), 0, 0, 0)"),
    shell(
        "environment-outside",
        Everybody,
        r#"cat /proc/[0-9]*/environ 2>/dev/null | grep -qa victim-secret && escaped"#,
    ),
    shell(
        "command-lines-outside",
        Everybody,
        r#"cat /proc/$VICTIM/cmdline | grep -a create_string_buffer && escaped"#,
    ),
    shell("inherited-descriptors", Nobody, r#"ls -l /proc/self/fd | grep -e socket && escaped"#),
    shell(
        "launcher-signals",
        Nobody,
        r#"for s in TERM INT HUP STOP KILL SEGV; do kill -$s 1; done; [ -d /proc/1 ] || escaped"#,
    ),
    python(
        "signal-outside-group",
        Nobody,
        r#"
for group in range(2, 400):
    if group == os.getpgrp(): continue
    try: os.killpg(group, 0); os.kill(group, 0)
    except OSError: pass"#,
    ),
    c(
        "setuid-program",
        Others,
        r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { if (geteuid() == 0 && getuid() != 0) puts("ESCAPED"); return 0; }"#,
    ),
    c(
        "file-capabilities",
        Given,
        r#"
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[256]; FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "CapEff:", 7) && strcmp(line, "CapEff:\t0000000000000000\n")) puts("ESCAPED");
    return 0; }"#,
    ),
    c(
        "setuid-in-memory",
        Nobody,
        r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv, char **environment) {
    if (argc > 1) { if (geteuid() == 0 && getuid() != 0) puts("ESCAPED"); return 0; }
    char buffer[65536]; long n; int file = memfd_create("x", 0);
    FILE *self = fopen("/proc/self/exe", "r");
    while ((n = fread(buffer, 1, sizeof buffer, self)) > 0) if (write(file, buffer, n) < 0) return 1;
    fchown(file, 0, 0); fchmod(file, 06755);
    char *again[] = {"x", "again", 0}; fexecve(file, again, environment); return 1; }"#,
    ),
    shell("su", Root, r#"su -s /bin/sh nobody -c true < /dev/null && escaped"#),
    shell(
        "sudo",
        Nobody,
        r#"sudo -n true && escaped; su -c true < /dev/null && [ "$(id -u)" != 0 ] && escaped"#,
    ),
    python("other-user", Root, "os.setresuid(1, 1, 1); escaped()"),
    python("other-groups", Root, "os.setgroups([0, 4, 6]); escaped()"),
    python(
        "capabilities-raised",
        Root,
        r#"
header = (ctypes.c_uint32 * 2)(0x20080522, 0); sets = (ctypes.c_uint32 * 6)()
call(125, ctypes.byref(header), ctypes.byref(sets))
if sets[0] or sets[1] or sets[3] or sets[4]: escaped()"#,
    ),
    shell(
        "daemon",
        Everybody,
        r#"setsid -f sh -c "sleep 60; : daemon-of-$WORLD" > /dev/null 2>&1 < /dev/null"#,
    ),
    python(
        "double-fork",
        Everybody,
        r#"
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3): os.close(number)
        os.execvp("sh", ["sh", "-c", "sleep 60; : daemon-of-" + os.environ["WORLD"]])
    os._exit(0)
os.wait()"#,
    ),
    python(
        "limits-raised",
        Root,
        r#"
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 19, 1 << 19)); escaped()"#,
    ),
    python(
        "core-dumps",
        Root,
        r#"
import resource
resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20)); escaped()"#,
    ),
    python("priority", Root, "os.nice(-5); escaped()"),
    python(
        "real-time",
        Root,
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); escaped()",
    ),
    python(
        "out-of-memory-score",
        Root,
        r#"open("/proc/self/oom_score_adj", "w").write("-900"); escaped()"#,
    ),
    shell("signal-outside", Everybody, r#"kill -KILL $VICTIM"#),
];
