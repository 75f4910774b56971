//! Attempts on files: writing outside, reading secrets, the protected paths.

use super::Control::{Everybody, Nobody, Root};
use super::{Attempt, python, shell};

pub(super) const ATTEMPTS: &[Attempt] = &[
    shell("write-outside", Everybody, r#"echo x > "$OUT/$NAME" && escaped"#),
    shell("write-append", Everybody, r#"echo x >> "$OUT/target.txt" && escaped"#),
    shell("write-truncate", Everybody, r#": > "$OUT/emptied.txt" && escaped"#),
    shell("write-relative", Everybody, r#"echo x > ../outside/$NAME && escaped"#),
    shell(
        "write-through-symlink",
        Everybody,
        r#"ln -s "$OUT" s-link; echo x > s-link/$NAME && escaped"#,
    ),
    shell(
        "write-proc-self-cwd",
        Everybody,
        r#"echo x > /proc/self/cwd/../outside/$NAME && escaped"#,
    ),
    shell("write-proc-self-root", Everybody, r#"echo x > /proc/self/root$OUT/$NAME && escaped"#),
    shell("write-proc-1-root", Nobody, r#"echo x > /proc/1/root$OUT/$NAME && escaped"#),
    shell(
        "write-root-of-another",
        Everybody,
        r#"echo x > /proc/$VICTIM/root$OUT/$NAME && escaped"#,
    ),
    shell("write-home", Everybody, r#"echo evil >> "$REAL_HOME/.bashrc" && escaped"#),
    shell("write-remove", Everybody, r#"rm "$OUT/deleted.txt" && escaped"#),
    shell("mode-outside", Everybody, r#"chmod 777 "$OUT/secret.txt" && escaped"#),
    shell(
        "times-outside",
        Everybody,
        r#"touch -c -d 2001-01-01 "$OUT/target.txt" && [ -e "$OUT/target.txt" ] && escaped"#,
    ),
    shell("write-rename", Everybody, r#"echo x > moved; mv moved "$OUT/$NAME" && escaped"#),
    shell(
        "write-hard-link-out",
        Everybody,
        r#"echo x > linked; ln linked "$OUT/$NAME" && escaped"#,
    ),
    shell("write-hard-link-in", Everybody, r#"ln "$OUT/secret.txt" hard-link && escaped"#),
    shell("write-etc", Nobody, r#"echo x > /etc/escaped-$WORLD && escaped"#),
    shell("write-usr", Nobody, r#"echo x > /usr/bin/escaped-$WORLD && escaped"#),
    shell("write-root-folder", Nobody, r#"echo x > /escaped-$WORLD && escaped"#),
    python(
        "attribute-outside",
        Everybody,
        r#"
os.setxattr(os.environ["OUT"] + "/target.txt", "user.evil", b"x"); escaped()"#,
    ),
    python(
        "write-descriptor-beneath",
        Everybody,
        r#"
folder = os.open("..", os.O_PATH | os.O_DIRECTORY)
os.open("outside/" + NAME, os.O_CREAT | os.O_WRONLY, dir_fd=folder); escaped()"#,
    ),
    // Succeeds inside, into a layer that is forgotten: only the world can tell.
    shell(
        "toolchain-for-real",
        Everybody,
        r#"echo evil >> "$TOOLCHAIN/lib.txt"; rm -f "$TOOLCHAIN/x""#,
    ),
    shell("toolchain-remove", Everybody, r#"rm "$TOOLCHAIN/lib.txt"; mkdir "$TOOLCHAIN/new""#),
    shell("temporary-folder-for-real", Everybody, r#"echo x > /tmp/escaped-$WORLD"#),
    shell("shared-memory-folder", Everybody, r#"cat /dev/shm/$WORLD && escaped"#),
    shell("read-secret", Everybody, r#"cat "$OUT/secret.txt" && escaped"#),
    shell(
        "read-through-symlink",
        Everybody,
        r#"ln -s "$OUT/secret.txt" s-secret; cat s-secret && escaped"#,
    ),
    shell("read-home", Everybody, r#"cat "$REAL_HOME/.ssh/id_ed25519" && escaped"#),
    shell("read-credentials", Everybody, r#"grep secret "$TOOLCHAIN/credentials.toml" && escaped"#),
    shell("read-shadow", Root, r#"grep root /etc/shadow && escaped"#),
    shell("read-host-keys", Nobody, r#"grep -r PRIVATE /etc/ssh /etc/ssl/private && escaped"#),
    shell("read-homes", Root, r#"[ -n "$(ls -A /root)" ] && escaped"#),
    shell(
        "read-masked-through-layer",
        Nobody,
        r#"grep -r toolchain-secret /.layers /.masks && escaped"#,
    ),
    shell(
        "read-runtime-sockets",
        Everybody,
        r#"[ -n "$(ls -A /run /var/run/)" ] && [ "$(ls -A /run | wc -l)" -gt 0 ] && escaped"#,
    ),
    shell("git-hook", Everybody, r#"echo evil > .git/hooks/pre-commit && escaped"#),
    shell("git-config", Everybody, r#"echo evil >> .git/config && escaped"#),
    shell("git-mode", Everybody, r#"chmod 777 .git/config && escaped"#),
    shell(
        "git-through-root",
        Everybody,
        r#"echo evil >> "/proc/self/root$WS/.git/config" && escaped"#,
    ),
    shell("git-hard-link", Everybody, r#"ln .git/config c-link && echo evil >> c-link && escaped"#),
    shell("git-away", Everybody, r#"mv .git away && escaped; mv away .git"#),
    shell("git-replaced", Nobody, r#"mkdir other; mv -T other .git && escaped"#),
    shell("git-removed", Everybody, r#"rm -r .git/objects && escaped"#),
    python(
        "git-exchanged",
        Everybody,
        r#"
os.mkdir("exchanged")
if call(316, -100, b"exchanged", -100, b".git", 2) == 0: escaped()
call(316, -100, b"exchanged", -100, b".git", 2)"#,
    ),
    python(
        "git-descriptor",
        Everybody,
        r#"
folder = os.open(".", os.O_PATH | os.O_DIRECTORY)
os.open(".git/evil", os.O_CREAT | os.O_WRONLY, dir_fd=folder); escaped()"#,
    ),
    shell("salve-resume", Everybody, r#"echo RESUME > .salve/CONTROL.md && escaped"#),
    shell("salve-runs", Everybody, r#"rm .salve/runs.jsonl && escaped"#),
    shell("salve-away", Everybody, r#"mv .salve gone && escaped; mv gone .salve"#),
    shell("workspace-away", Nobody, r#"cd .. && mv ws elsewhere && escaped"#),
    shell(
        "workspace-replaced",
        Nobody,
        r#"cd .. && rmdir ws; mkdir -p ../x && ln -sfn "$OUT" "$WS" && [ -L "$WS" ] && escaped"#,
    ),
    shell("device-null", Root, r#"mknod device c 1 3 && escaped"#),
    shell("device-disk", Root, r#"mknod disk b 254 0 && escaped"#),
    python(
        "device-read",
        Root,
        r#"
for name in ("mem", "kmsg", "port", "vda", "sda", "nvme0n1", "fuse", "kvm"):
    try: os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK); escaped()
    except OSError: pass"#,
    ),
    shell("sys-settings", Nobody, r#"echo x > /proc/sys/kernel/core_pattern && escaped"#),
    shell("sys-domain", Nobody, r#"echo x > /proc/sys/kernel/domainname && escaped"#),
    shell("sys-processes", Nobody, r#"echo 4194304 > /proc/sys/kernel/pid_max && escaped"#),
    shell("sys-request", Nobody, r#"echo h > /proc/sysrq-trigger && escaped"#),
    shell("sys-kernel-memory", Nobody, r#"[ "$(head -c 4 /proc/kcore | wc -c)" = 4 ] && escaped"#),
    shell("sys-keys", Root, r#"[ -s /proc/keys ] || [ "$(wc -c < /proc/keys)" -gt 0 ] && escaped"#),
    shell(
        "sys-groups",
        Everybody,
        r#"ls /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs 2>/dev/null | grep -q . && escaped"#,
    ),
];

pub(super) const IN_BARE_WORKSPACE: &[Attempt] = &[
    shell(
        "bare-make-git",
        Everybody,
        r#"rmdir .git; mkdir -p .git/hooks && echo evil > .git/config && escaped; rm -rf .git"#,
    ),
    shell(
        "bare-make-salve",
        Everybody,
        r#"mkdir -p .salve && echo RESUME > .salve/CONTROL.md && escaped; rm -rf .salve"#,
    ),
    shell("bare-git-init", Everybody, r#"git init -q . && escaped; rm -rf .git"#),
    shell("bare-git-link", Everybody, r#"ln -s src .git && [ -L .git ] && escaped; rm -f .git"#),
    shell(
        "bare-git-file",
        Everybody,
        r#"rmdir .git; echo "gitdir: src" > .git && escaped; rm -f .git"#,
    ),
    shell(
        "bare-git-renamed",
        Everybody,
        r#"mkdir made && echo evil > made/config && mv -T made .git && escaped; rm -rf .git made"#,
    ),
    shell(
        "bare-git-opened",
        Everybody,
        r#"chmod 700 .git; mkdir .git 2>/dev/null; echo evil > .git/config && escaped; rm -rf .git"#,
    ),
];
