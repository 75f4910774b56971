//! Makes every attempt, inside and, where harmless, outside.

use crate::attempts::{self, Attempt, Control, Program};
use crate::cage::{self, NOBODY, ROOT};
use crate::world::World;
use salve_check::{Joiner, Launch, Layer, Plan, PlannedCommand, PlannedPipeline};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PYTHON: &str = r#"
import ctypes, errno, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
NAME, VICTIM = sys.argv[1], int(os.environ["VICTIM"])
def escaped(): print("ESCAPED", NAME, flush=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    wide = [ctypes.c_void_p(a & (1 << 64) - 1) if isinstance(a, int) else a for a in arguments]
    return libc.syscall(ctypes.c_long(number), *wide)
def reached(number, *arguments):
    if call(number, *arguments) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        escaped()
"#;

/// The argument vector of an attempt; it says when it is over, so that none is skipped unseen.
fn argv(attempt: &Attempt, tools: &Path) -> Vec<String> {
    let program: Vec<String> = match attempt.program {
        Program::Shell(text) => {
            let text = format!("NAME=$1; escaped() {{ echo ESCAPED $NAME; }}\n{text}");
            ["sh", "-c", &text, "sh", attempt.name].map(str::to_owned).to_vec()
        }
        Program::Python(text) => {
            let text = format!("{PYTHON}{text}");
            ["python3", "-I", "-S", "-c", &text, attempt.name].map(str::to_owned).to_vec()
        }
        Program::C(_) => vec![tools.join(attempt.name).display().to_string()],
    };
    let frame = r#"timeout 10 "$@" 2>/dev/null; echo "over $0""#;
    let mut all = ["sh", "-c", frame, attempt.name].map(str::to_owned).to_vec();
    all.extend(program);
    all
}

fn plan(attempts: &[Attempt], tools: &Path) -> Plan {
    let pipeline = |attempt: &Attempt| PlannedPipeline {
        joiner: Joiner::Then,
        commands: vec![PlannedCommand { argv: argv(attempt, tools), redirects: Vec::new() }],
    };
    Plan { pipelines: attempts.iter().map(pipeline).collect() }
}

/// Compiles the attempts in C into a folder of the workspace, with what root can add to them.
fn compile(world: &World, attempts: &[Attempt]) -> PathBuf {
    let tools = world.path("ws/tools");
    std::fs::create_dir_all(&tools).unwrap();
    std::fs::set_permissions(&tools, PermissionsExt::from_mode(0o777)).unwrap();
    for attempt in attempts {
        let Program::C(text) = attempt.program else { continue };
        let (source, target) = (tools.join("source.c"), tools.join(attempt.name));
        std::fs::write(&source, text).unwrap();
        let mut compiler = Command::new("gcc");
        compiler.args(["-w", "-o"]).arg(&target).arg(&source);
        assert!(compiler.status().unwrap().success(), "{} does not compile", attempt.name);
        if rustix::process::geteuid().is_root() {
            std::fs::set_permissions(&target, PermissionsExt::from_mode(0o4755)).unwrap();
            if attempt.name == "file-capabilities" {
                std::fs::set_permissions(&target, PermissionsExt::from_mode(0o755)).unwrap();
                // Version 2, effective, the first eight capabilities.
                let mut first_eight = [0_u8; 20];
                (first_eight[0], first_eight[3], first_eight[4]) = (1, 2, 255);
                rustix::fs::setxattr(
                    &target,
                    "security.capability",
                    &first_eight,
                    rustix::fs::XattrFlags::empty(),
                )
                .unwrap();
            }
        }
    }
    tools
}

fn make_all(world: &mut World, workspace: &Path, attempts: &[Attempt], layers: &[Layer]) {
    let tools = compile(world, attempts);
    let mut launch = world.launch(workspace, plan(attempts, &tools));
    launch.layers = layers.to_vec();
    make(world, &launch, attempts);
}

/// Makes every attempt without a namespace, from a folder of the workspace.
pub(crate) fn make_all_by_rules(
    world: &mut World,
    workspace: &Path,
    folder: &str,
    attempts: &[Attempt],
) {
    let tools = compile(world, attempts);
    let mut launch = world.launch_by_rules(workspace, plan(attempts, &tools));
    launch.cwd = workspace.join(folder);
    make(world, &launch, attempts);
}

fn make(world: &mut World, launch: &Launch, attempts: &[Attempt]) {
    world.events();
    let outcome = cage::run(launch, world.user);
    assert!(outcome.is_executed(), "{:?}: {}", outcome.report, outcome.output);
    let escaped: Vec<&str> =
        outcome.output.lines().filter(|line| line.contains("ESCAPED")).collect();
    assert_eq!(escaped, [""; 0], "as user {}", world.user);
    assert_eq!(world.events(), [""; 0], "as user {}", world.user);
    for attempt in attempts {
        let over = format!("over {}", attempt.name);
        assert!(outcome.output.lines().any(|line| line == over), "{} was not made", attempt.name);
    }
}

#[test]
fn c064_no_attempt_gets_out_of_the_sandbox() {
    let attempts = attempts::all();
    assert!(attempts.len() >= 60, "only {} attempts", attempts.len());
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        make_all(&mut world, &workspace, &attempts, Layer::ALL);
    }
}

#[test]
fn protected_paths_that_do_not_exist_cannot_be_made() {
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("bare");
        make_all(&mut world, &workspace, &attempts::in_bare_workspace(), Layer::ALL);
        let left: Vec<_> = std::fs::read_dir(&workspace).unwrap().flatten().collect();
        assert!(left.iter().all(|entry| !entry.file_name().to_str().unwrap().starts_with('.')));
    }
}

#[test]
fn writing_outside_is_forbidden_by_each_of_two_layers_alone() {
    for user in cage::users() {
        for missing in [
            &[Layer::Landlock][..],
            &[Layer::MountNamespace, Layer::ProcFileSystem, Layer::PrivateLayers],
        ] {
            let layers: Vec<Layer> =
                Layer::ALL.iter().filter(|layer| !missing.contains(layer)).copied().collect();
            let mut world = World::new_in("/var/tmp", user);
            let workspace = world.path("ws");
            make_all(&mut world, &workspace, &attempts::writes(), &layers);
        }
    }
}

/// A launch with the network shares it with the machine; nothing else is given away with it.
#[test]
fn the_network_brings_nothing_else_with_it() {
    for user in cage::users() {
        let mut world = World::new(user);
        let workspace = world.path("ws");
        let (reachable, others): (Vec<Attempt>, Vec<Attempt>) = attempts::all()
            .into_iter()
            .filter(|attempt| matches!(attempt.program, Program::Python(_)))
            .filter(|attempt| !attempt.name.contains("elsewhere"))
            .partition(|attempt| attempt.name.ends_with("of-the-machine"));
        for (attempts, reached) in [(reachable, true), (others, false)] {
            let tools = compile(&world, &attempts);
            let mut launch = world.launch(&workspace, plan(&attempts, &tools));
            launch.network = true;
            world.events();
            let outcome = cage::run(&launch, user);
            assert!(outcome.is_executed(), "{:?}", outcome.report);
            assert_eq!(outcome.output.contains("ESCAPED"), reached, "{}", outcome.output);
            assert_eq!(!world.events().is_empty(), reached);
        }
    }
}

/// Without these a test that always passes would look the same.
#[test]
fn the_same_attempts_succeed_outside_the_sandbox() {
    let mut made = 0;
    for user in cage::users() {
        let mut world = World::new(user);
        let attempts = attempts::all();
        let tools = compile(&world, &attempts);
        let groups = [("ws", attempts), ("bare", attempts::in_bare_workspace())];
        let mut without_effect = Vec::new();
        for (folder, attempts) in groups {
            let workspace = world.path(folder);
            for attempt in attempts.iter().filter(|attempt| works_for(attempt.control, user)) {
                made += 1;
                if !happens_outside(&mut world, &workspace, attempt, &tools) {
                    without_effect.push(attempt.name);
                }
            }
        }
        assert_eq!(without_effect, [""; 0], "as user {user}, outside the sandbox");
    }
    assert!(made >= 40, "only {made} attempts have a control");
}

fn works_for(control: Control, user: u32) -> bool {
    match control {
        Control::Everybody => true,
        Control::Root => user == ROOT,
        Control::Others => user == NOBODY && rustix::process::geteuid().is_root(),
        Control::Given => rustix::process::geteuid().is_root(),
        Control::Nobody => false,
    }
}

fn happens_outside(world: &mut World, workspace: &Path, attempt: &Attempt, tools: &Path) -> bool {
    world.events();
    let argv = argv(attempt, tools);
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).current_dir(workspace).env_clear();
    command.envs(world.environment(workspace)).stdin(Stdio::null());
    cage::act_as(&mut command, world.user);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).contains("ESCAPED");
    // A daemon needs a moment to be seen.
    std::thread::sleep(std::time::Duration::from_millis(if said { 0 } else { 50 }));
    said | !world.events().is_empty()
}
