//! The second way: the same attempts and the same work without a single namespace.

use crate::attempts::{self, Attempt};
use crate::cage;
use crate::escapes::make_all_by_rules;
use crate::world::World;
use salve_check::{LauncherReport, Plan, ProgramEnding};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// What rules leave open, and why each is no guarantee.
const OPEN: &[(&str, &str)] = &[
    ("mode-outside", "Landlock knows no right for modes"),
    ("git-mode", "Landlock knows no right for modes"),
    ("times-outside", "Landlock knows no right for times"),
    ("command-lines-outside", "`/proc` shows them to every program of the machine"),
    ("queues-of-others", "how many there are; to attach one is refused"),
    ("interfaces", "their names; there is no socket to use them with"),
    ("sys-groups", "that the files exist; they cannot be opened"),
    ("sys-keys", "a list of the user's own, without what they hold"),
];

/// The launcher is not process 1 here: those attempts would be about the machine's.
fn is_meant(attempt: &Attempt) -> bool {
    !OPEN.iter().any(|(name, _)| *name == attempt.name) && !attempt.name.starts_with("launcher-")
}

fn meant(attempts: Vec<Attempt>) -> Vec<Attempt> {
    attempts.into_iter().filter(is_meant).collect()
}

#[test]
fn c064_no_attempt_gets_out_by_rules() {
    let attempts = meant(attempts::all());
    assert!(attempts.len() >= 60, "only {} attempts", attempts.len());
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        make_all_by_rules(&mut world, &workspace, "", &attempts);
    }
}

/// Many attempts first make something in the current folder, which rules allow below the first level.
#[test]
fn c064_no_attempt_gets_out_by_rules_from_a_folder_it_may_fill() {
    let attempts: Vec<Attempt> = meant(attempts::all())
        .into_iter()
        .filter(|attempt| matches!(attempt.program, attempts::Program::Shell(_)))
        // Those are about the first level.
        .filter(|attempt| !attempt.name.starts_with("git-") && !attempt.name.starts_with("salve-"))
        .collect();
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        make_all_by_rules(&mut world, &workspace, "src", &attempts);
    }
}

#[test]
fn protected_paths_that_do_not_exist_cannot_be_made_by_rules() {
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("bare");
        make_all_by_rules(&mut world, &workspace, "", &attempts::in_bare_workspace());
        let left: Vec<_> = std::fs::read_dir(&workspace).unwrap().flatten().collect();
        assert!(left.iter().all(|entry| !entry.file_name().to_str().unwrap().starts_with('.')));
    }
}

#[test]
fn ordinary_work_is_possible_by_rules() {
    let script = r#"
set -e
cat src/main.c && echo changed >> notes.txt && [ "$(tail -n 1 notes.txt)" = changed ]
echo text > src/file && mkdir src/folder && mv src/file src/folder/ && rm -r src/folder
mv src/deep/x lib/y && ln lib/y lib/z && ln -s ../lib src/link && echo more >> src/link/y
echo x > "$HOME/x" && t=$(mktemp) && echo x > "$t" && rm "$t"
echo x > /dev/null && head -c 4 /dev/urandom > src/random
cat "$TOOLCHAIN/lib.txt"
printf 'int main(void) { return 0; }' > src/a.c && gcc src/a.c -o src/a.out && ./src/a.out
chmod 755 src/a.c && cat .git/config && ls .salve
true | cat | cat
[ -r /proc/self/status ] && [ "$(pwd)" = "$WS" ]
echo built > target/output
! echo x > new-file
! mkdir new-folder
echo DONE
"#;
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        for (path, text) in
            [("notes.txt", "first\n"), ("src/deep/x", "x\n"), ("lib/a", "a\n"), ("Cargo.toml", "")]
        {
            let path = workspace.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        world.give("ws");
        let plan = Plan::of_argv(["sh", "-c", script]);
        let outcome = cage::run(&world.launch_by_rules(&workspace, plan), user);
        assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
        assert!(workspace.join("target/output").is_file());
        assert!(!workspace.join("Cargo.lock").exists(), "an empty file was left");
    }
}

/// A link in the workspace is no way for a grant to leave it.
#[test]
fn a_link_to_outside_is_not_granted() {
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        std::os::unix::fs::symlink(world.path("outside"), workspace.join("out")).unwrap();
        std::os::unix::fs::symlink(world.path("home"), workspace.join("src/home")).unwrap();
        world.events();
        let script = "echo evil > out/evil; cat out/secret.txt src/home/.ssh/id_ed25519; echo DONE";
        let plan = Plan::of_argv(["sh", "-c", script]);
        let outcome = cage::run(&world.launch_by_rules(&workspace, plan), user);
        assert!(outcome.output.contains("DONE") && !outcome.output.contains("-secret"));
        assert_eq!(world.events(), [""; 0]);
    }
}

/// A program that ends its own launcher, and every process above that it can find.
#[test]
fn programs_that_kill_what_is_above_them_end_with_it() {
    let script = r#"
setsid -f sh -c "sleep 60; : daemon-of-$WORLD"
trap '' TERM INT HUP
(sleep 0.2; p=$$
while [ "$p" -gt 1 ]; do
    next=$(sed 's/.*) //' /proc/$p/stat | cut -d ' ' -f 2)
    [ "$p" = $$ ] || kill -STOP "$p"; [ "$p" = $$ ] || kill -KILL "$p"
    p=$next
done; sleep 60; : daemon-of-$WORLD) &
sleep 60; : daemon-of-$WORLD"#;
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        let plan = Plan::of_argv(["sh", "-c", script]);
        let outcome = cage::run(&world.launch_by_rules(&workspace, plan), user);
        let killed = matches!(
            outcome.report,
            Some(LauncherReport::Executed { last: ProgramEnding::Signal(9), .. })
        );
        assert!(killed, "{:?} {}", outcome.report, outcome.output);
        assert_eq!(world.events(), [""; 0]);
    }
}

#[test]
fn no_set_user_or_set_group_bit_is_left_on_the_disk() {
    let script = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
os.chdir("src")
def tried(act):
    try: act()
    except OSError: pass
for bits in (0o4755, 0o2755, 0o6777):
    for number, act in enumerate((
        lambda: os.open("a%o" % bits, os.O_CREAT | os.O_WRONLY, bits),
        lambda: os.mknod("b%o" % bits, 0o100000 | bits),
        lambda: os.chmod("main.c", bits),
        lambda: os.fchmod(os.open("main.c", os.O_RDONLY), bits),
        lambda: os.chmod("main.c", bits, dir_fd=os.open(".", os.O_PATH)),
        lambda: os.link("/proc/self/fd/%d" % os.open(".", 0o20200000 | os.O_RDWR, bits), "d%o" % bits, follow_symlinks=True),
        lambda: libc.syscall(452, -100, b"main.c", bits, 0),
        lambda: libc.syscall(85, b"e%o" % bits, bits),
        lambda: libc.syscall(2, b"f%o" % bits, os.O_CREAT, bits),
        lambda: libc.syscall(437, -100, b"g%o" % bits, (ctypes.c_uint64 * 3)(os.O_CREAT, bits, 0), 24),
    )): tried(act)
os.chmod("main.c", 0o755); os.open("plain", os.O_CREAT | os.O_WRONLY, 0o644)
print("DONE", flush=True)
"#;
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        for rules in [false, true] {
            let plan = Plan::of_argv(["python3", "-I", "-S", "-c", script]);
            let launch = if rules {
                world.launch_by_rules(&workspace, plan)
            } else {
                world.launch(&workspace, plan)
            };
            let outcome = cage::run(&launch, user);
            assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
            for entry in std::fs::read_dir(workspace.join("src")).unwrap().flatten() {
                let mode = entry.metadata().unwrap().mode();
                assert_eq!(mode & 0o6000, 0, "as {user}: {:?} {mode:o}", entry.file_name());
            }
            let main = workspace.join("src/main.c").metadata().unwrap();
            assert_eq!(main.permissions().mode() & 0o777, 0o755);
        }
    }
}
