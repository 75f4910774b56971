//! What programs need still works inside.

use crate::cage;
use crate::world::World;
use salve_check::{KeptCache, Layer, Plan};
use std::os::unix::fs::PermissionsExt;

#[test]
fn ordinary_work_is_possible() {
    let script = r#"
set -e
echo text > file && mkdir folder && mv file folder/ && rm -r folder
echo x > "$HOME/x" && echo x > /tmp/x && echo x > /var/tmp/y && echo x > /dev/shm/z
echo x > /dev/null && head -c 4 /dev/urandom > random
[ "$(stat -c %a "$HOME")" = 700 ]
cat "$TOOLCHAIN/lib.txt" && echo more >> "$TOOLCHAIN/lib.txt" && grep -q more "$TOOLCHAIN/lib.txt"
printf 'int main(void) { return 0; }' > a.c && gcc a.c -o a.out && ./a.out
cat .git/config && ls .salve
true | cat | cat
[ "$(ps ax 2>/dev/null | wc -l)" -lt 30 ]
[ "$(pwd)" = "$WS" ]
echo DONE
"#;
    let served = r#"
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"SERVED")).start()
client = socket.create_connection(server.getsockname())
print(client.recv(16).decode())
"#;
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        let outcome =
            cage::run(&world.launch(&workspace, Plan::of_argv(["sh", "-c", script])), user);
        assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
        let plan = Plan::of_argv(["python3", "-I", "-c", served]);
        let outcome = cage::run(&world.launch(&workspace, plan), user);
        assert!(outcome.output.contains("SERVED"), "as {user}: {}", outcome.output);
    }
}

#[test]
fn programs_can_make_terminals_of_their_own() {
    let text = r#"
import os, pty, termios
child, terminal = pty.fork()
if child == 0:
    own = os.open("/dev/tty", os.O_RDWR)
    termios.tcgetattr(own)
    os.write(own, b"SPOKEN %d\n" % os.isatty(0))
    os._exit(0)
print(os.read(terminal, 100).decode())
os.waitpid(child, 0)
try: os.open("/dev/tty", os.O_RDWR); print("TERMINAL OF THE USER")
except OSError: pass
"#;
    for user in cage::users() {
        let world = World::new(user);
        let plan = Plan::of_argv(["python3", "-I", "-c", text]);
        let outcome = cage::run(&world.launch(&world.path("ws"), plan), user);
        assert!(outcome.output.contains("SPOKEN 1"), "as {user}: {}", outcome.output);
        assert!(!outcome.output.contains("TERMINAL OF THE USER"));
        let plan = Plan::of_argv(["script", "-qec", "echo x > /dev/tty && tty", "/dev/null"]);
        let outcome = cage::run(&world.launch(&world.path("ws"), plan), user);
        assert!(outcome.output.contains("/dev/pts/"), "as {user}: {}", outcome.output);
    }
}

#[test]
fn a_workspace_may_lie_in_a_home_or_around_a_toolchain() {
    for user in cage::users() {
        let world = World::new(user);
        let inside_home = world.path("home/project");
        std::fs::create_dir(&inside_home).unwrap();
        world.give("home/project");
        let script = r#"echo x > made && [ ! -e ../.ssh ] && [ ! -e ../.bashrc ] && echo DONE"#;
        let launch = world.launch(&inside_home, Plan::of_argv(["sh", "-c", script]));
        let outcome = cage::run(&launch, user);
        assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
        assert!(inside_home.join("made").is_file());

        // The whole world as the workspace: the home in it stays hidden, the toolchain a layer.
        let everything = world.path("");
        let script = r#"echo x > made || true; [ ! -e "$REAL_HOME/.ssh" ] && cat "$TOOLCHAIN/lib.txt" &&
            echo x > "$TOOLCHAIN/new" && echo DONE"#;
        let launch = world.launch(&everything, Plan::of_argv(["sh", "-c", script]));
        let outcome = cage::run(&launch, user);
        assert!(
            outcome.output.contains("DONE"),
            "as {user}: {} {:?}",
            outcome.output,
            outcome.report
        );
        assert!(!world.path("toolchain/new").exists());
    }
}

#[test]
fn an_environment_inside_the_workspace_is_written_for_real() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        let script = "echo x > src/installed && echo DONE";
        let mut launch = world.launch(&workspace, Plan::of_argv(["sh", "-c", script]));
        launch.layered.push(workspace.join("src"));
        let outcome = cage::run(&launch, user);
        assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
        assert!(workspace.join("src/installed").is_file());
    }
}

#[test]
fn a_repository_deeper_in_the_workspace_is_protected_with_the_file_that_leads_there() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("bare");
        let repository = workspace.join("src/deep/repo.git");
        std::fs::create_dir_all(&repository).unwrap();
        std::fs::write(repository.join("config"), "mine\n").unwrap();
        std::fs::write(workspace.join(".git"), "gitdir: src/deep/repo.git\n").unwrap();
        world.give("bare");
        let script = r#"
echo evil > src/deep/repo.git/config; mv src/deep src/gone; mv src gone; rm -rf src
echo x > src/deep/beside && echo DONE"#;
        let launch = world.launch(&workspace, Plan::of_argv(["sh", "-c", script]));
        let outcome = cage::run(&launch, user);
        assert!(outcome.output.contains("DONE"), "as {user}: {}", outcome.output);
        assert_eq!(std::fs::read_to_string(repository.join("config")).unwrap(), "mine\n");
    }
}

#[test]
fn a_protected_path_that_is_a_link_is_refused() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("bare");
        std::os::unix::fs::symlink(world.path("ws/.git"), workspace.join(".git")).unwrap();
        let launch = world.launch(&workspace, Plan::of_argv(["true"]));
        assert!(!cage::run(&launch, user).is_executed());
    }
}

#[test]
fn a_worktree_can_ask_its_repository_and_others_cannot() {
    for user in cage::users() {
        let world = World::new(user);
        let (workspace, repository) = (world.path("bare"), world.path("outside/repo.git"));
        let folder = repository.join("worktrees/bare");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(repository.join("config"), "shown\n").unwrap();
        std::fs::write(folder.join("commondir"), "../..\n").unwrap();
        std::fs::write(workspace.join(".git"), format!("gitdir: {}\n", folder.display())).unwrap();
        let script =
            r#"cat "$OUT/repo.git/config"; echo evil >> "$OUT/repo.git/config"; echo evil > .git"#;
        for (back, shown) in [(workspace.join(".git"), true), (world.path("ws/.git"), false)] {
            std::fs::write(folder.join("gitdir"), format!("{}\n", back.display())).unwrap();
            let launch = world.launch(&workspace, Plan::of_argv(["sh", "-c", script]));
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed(), "{:?}", outcome.report);
            assert_eq!(outcome.output.lines().any(|line| line == "shown"), shown);
            assert_eq!(std::fs::read_to_string(repository.join("config")).unwrap(), "shown\n");
        }
        assert!(std::fs::read_to_string(workspace.join(".git")).unwrap().starts_with("gitdir"));
    }
}

/// A shared toolchain home belongs to another user or group, which has no number in the namespace.
#[test]
fn a_toolchain_home_of_another_owner_can_be_written_to() {
    if !rustix::process::geteuid().is_root() {
        println!("NOT RUN AS ROOT: nothing can be given to another owner");
        return;
    }
    for (user, owner, group) in [
        (cage::NOBODY, cage::NOBODY, 0),
        (cage::NOBODY, 0, 0),
        (1001, 1001, 0),
        (1001, 0, 0),
        (0, 1001, 1001),
    ] {
        let world = World::new(user);
        let home = world.path("toolchain");
        for folder in ["registry/cache/x", "registry/index/x/.cache/ab"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        for file in [".lock", "registry/.lock", "registry/cache/x/a.crate"] {
            std::fs::write(home.join(file), "old\n").unwrap();
        }
        let mut all = vec![home.clone()];
        while let Some(path) = all.pop() {
            std::os::unix::fs::chown(&path, Some(owner), Some(group)).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
            if path.is_dir() {
                all.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        let script = r#"
set -e; cd "$TOOLCHAIN"
echo new > .lock && echo new > registry/.lock && echo x > made && mkdir registry/src
echo new > registry/cache/x/b.crate && mkdir -p registry/src/x/serde && echo x > registry/src/x/serde/lib.rs
cat lib.txt registry/cache/x/a.crate .lock && rm .lock && mv made registry/moved
echo DONE"#;
        let plan = Plan::of_argv(["sh", "-c", script]);
        let outcome = cage::run(&world.launch(&world.path("ws"), plan), user);
        let case = format!("user {user}, files of {owner}:{group}");
        assert!(outcome.output.contains("DONE"), "{case}: {}", outcome.output);
        assert_eq!(std::fs::read_to_string(home.join(".lock")).unwrap(), "old\n", "{case}");
        assert!(!home.join("made").exists() && !home.join("registry/src").exists(), "{case}");
    }
}

#[test]
fn a_submodule_can_ask_its_repository_and_others_cannot() {
    for user in cage::users() {
        let world = World::new(user);
        let (workspace, repository) = (world.path("bare"), world.path("outside/modules/bare"));
        std::fs::create_dir_all(&repository).unwrap();
        std::fs::write(repository.join("HEAD"), "shown\n").unwrap();
        let gitdir = format!("gitdir: {}\n", repository.display());
        std::fs::write(workspace.join(".git"), gitdir).unwrap();
        let script = r#"cat "$OUT/modules/bare/HEAD"; echo evil >> "$OUT/modules/bare/HEAD""#;
        for (of, shown) in [(workspace.clone(), true), (world.path("ws"), false)] {
            let config = format!("[core]\n\tworktree = {}\n", of.display());
            std::fs::write(repository.join("config"), config).unwrap();
            let launch = world.launch(&workspace, Plan::of_argv(["sh", "-c", script]));
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed(), "{:?}", outcome.report);
            assert_eq!(outcome.output.lines().any(|line| line == "shown"), shown);
            assert_eq!(std::fs::read_to_string(repository.join("HEAD")).unwrap(), "shown\n");
        }
    }
}

/// What a run with the network fetched is there for later runs; what others write is forgotten.
#[test]
fn a_cache_keeps_what_runs_with_the_network_add_to_it() {
    // The number of nobody is that of every owner without one, and such a cache is not kept.
    let users =
        cage::users().into_iter().map(|user| if user == cage::NOBODY { 1001 } else { user });
    for user in users {
        let world = World::new_in("/var/tmp", user);
        let (path, kept) = (world.path("home/.npm"), world.path("kept/npm"));
        for folder in [&path, &kept.join("upper"), &kept.join("work")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(path.join("own"), "own\n").unwrap();
        world.give("home/.npm");
        world.give("kept");
        let new = world.path("home/.cache/pip");
        let fresh = world.path("kept/pip");
        for folder in ["upper", "work"] {
            std::fs::create_dir_all(fresh.join(folder)).unwrap();
        }
        world.give("kept");
        let run = |network: bool, script: &str| {
            let script = format!("cd {}; {script}", path.display());
            let plan = Plan::of_argv(["sh", "-c", &script]);
            let mut launch = world.launch(&world.path("ws"), plan);
            launch.network = network;
            launch.layers.retain(|layer| !network || *layer != Layer::NetworkNamespace);
            launch.layered.push(path.clone());
            launch.caches = vec![
                KeptCache { path: path.clone(), kept: kept.clone() },
                KeptCache { path: new.clone(), kept: fresh.clone() },
            ];
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed(), "as {user}: {:?} {}", outcome.report, outcome.output);
            outcome.output
        };
        let fresh_file = new.join("wheel").display().to_string();
        run(true, &format!("echo fetched > fetched; echo more >> own; echo new > {fresh_file}"));
        let seen = run(
            false,
            &format!("cat fetched own {fresh_file}; echo evil > poison; echo evil > fetched"),
        );
        assert_eq!(seen, "fetched\nown\nmore\nnew\n", "as {user}");
        assert_eq!(run(false, "ls; cat fetched"), "fetched\nown\nfetched\n", "as {user}");
        assert_eq!(std::fs::read_to_string(path.join("own")).unwrap(), "own\n");
        assert!(!path.join("fetched").exists() && !new.exists());
    }
}
