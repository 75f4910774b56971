//! Plans that are killed and gone on with; and a concept renamed over many files, one part for each.
//!
//! In: plans with a slow or sloppy scripted model. Out: after `salve plan run`, the tree is that of a plan that was
//! never killed, written once; a call that was answered is not made again.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{Ended, folder, salve_in, toolchain_variables, write};
use salve_model::sim::{Script, SimHandle, SimServer};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PARTS: usize = 6;
const FILES: usize = 60;

/// A project, the user's folders and a scripted model.
struct Place {
    project: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Place {
    fn new(name: &str, port: u16) -> Self {
        let (project, settings) = (folder(name), folder(&format!("{name}-user")));
        let config = format!(
            "[[provider]]\nname = \"sim\"\ndialect = \"chat\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\n\
             [roles]\nmodel = \"sim/only\"\n"
        );
        write(&settings.join("salve/config.toml"), &config);
        let mut variables = toolchain_variables();
        variables.push(("XDG_CONFIG_HOME", settings.display().to_string()));
        variables.push(("SALVE_DATA", settings.join("data").display().to_string()));
        Self { project, variables }
    }

    fn salve(&self, arguments: &[&str], input: &str) -> Ended {
        salve_in(arguments, input, &self.project, &self.variables())
    }

    fn variables(&self) -> Vec<(&str, &str)> {
        self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.project.join(path)).unwrap()
    }
}

fn served(rules: &[Value]) -> (tokio::runtime::Runtime, SimHandle) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let script: Vec<String> = rules.iter().map(Value::to_string).collect();
    let script = Script::parse(&script.join("\n")).unwrap();
    let server = runtime.block_on(SimServer::start(script, ([127, 0, 0, 1], 0).into())).unwrap();
    (runtime, server)
}

fn block(path: &Path, old: &str, new: &str) -> String {
    format!(
        "{}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\nSummary: done.\n",
        path.display()
    )
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test starts the binary it is about, and kills it"
)]
fn c221_a_plan_that_is_killed_goes_on_and_does_nothing_twice() {
    let file = |at: usize| format!("part_{at}.py");
    let rules: Vec<Value> = (1..=PARTS)
        .map(|at| {
            let text =
                block(Path::new(&file(at)), "value = 1\n", &format!("value = {}\n", at * 10));
            json!({"when": {"contains": format!("Your part ({at}):")},
                   "reply": {"text": text, "chunk": 8, "delay_ms": 5, "continues": true}})
        })
        .collect();
    let (runtime, server) = served(&rules);
    let tasks: Vec<Value> = (1..=PARTS)
        .map(|at| {
            let before: Vec<String> = (at > 3).then(|| (at - 3).to_string()).into_iter().collect();
            json!({"id": at.to_string(), "instruction": "Set the value.", "contextFiles": [file(at)], "dependsOn": before})
        })
        .collect();
    for (number, moment) in [80_u64, 200, 350, 500, 700, 1_000, 1_400].into_iter().enumerate() {
        let place = Place::new(&format!("plan-killed-{number}"), server.addr().port());
        (1..=PARTS).for_each(|at| write(&place.project.join(file(at)), "value = 1\n"));
        let tasks = json!(tasks).to_string();
        let made = place.salve(&["plan", "make", "-p", "values", "--import", "-"], &tasks);
        assert_eq!(made.code, Some(0), "{made:?}");
        let before = server.calls().calls;
        let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(["plan", "run", "last", "--yes", "--parallel", "3"])
            .current_dir(&place.project)
            .env_clear()
            .envs(place.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        let values: Vec<String> = (1..=PARTS).map(|at| place.text(&file(at))).collect();
        let written = values.iter().filter(|value| *value != "value = 1\n").count();
        assert!(written == 0 || written == PARTS, "killed after {moment} ms: {values:?}");
        let run = ["--format", "json", "plan", "run", "last", "--yes", "--parallel", "3"];
        let ended = place.salve(&run, "");
        assert_eq!(ended.code, Some(0), "killed after {moment} ms: {ended:?}");
        for at in 1..=PARTS {
            assert_eq!(place.text(&file(at)), format!("value = {}\n", at * 10), "{ended:?}");
        }
        let history = place.salve(&["--format", "json", "history"], "").json();
        let changes = history["changeHistory"]["history"].as_array().map(Vec::len);
        assert_eq!(changes, Some(1), "written once: {history}");
        // Each part once, and at most the three again that were being answered.
        let calls = server.calls().calls - before;
        assert!((PARTS as u64..=PARTS as u64 + 3).contains(&calls), "{calls} after {moment} ms");
    }
    runtime.block_on(server.stop());
}

#[test]
fn c203_a_concept_is_renamed_over_sixty_files_by_a_sloppy_model() {
    let path = |at: usize| format!("shop/part_{at:02}.py");
    let before = |at: usize| {
        let other = (at + 1) % FILES;
        format!(
            "\"\"\"Part {at}.\"\"\"\n\n\ndef cart_{at}(cart):\n    \"\"\"Adds to the cart.\"\"\"\n    \
             return cart + [{at}]\n\n\ndef use_{at}(cart):\n    from shop.part_{other:02} import cart_{other}\n\n    \
             return cart_{other}(cart_{at}(cart))\n"
        )
    };
    let after = |at: usize| before(at).replace("cart", "basket");
    // Talk around it, a wrong file first, cut answers, a fence with the whole file: what models do.
    let mut rules = Vec::new();
    for at in 0..FILES {
        let contains = format!("Do this in `{}`", path(at));
        let whole = format!(
            "Sure! Here is the file:\n\n{}\n```python\n{}```\n\nSummary: renamed.\n",
            path(at),
            after(at)
        );
        if at % 10 == 3 {
            let wrong = format!("{}\n```python\nprint('hello')\n```\n", path((at + 1) % FILES));
            rules.push(
                json!({"when": {"contains": contains}, "times": 1, "reply": {"text": wrong}}),
            );
        }
        let reply = match at % 10 {
            5 => json!({"text": whole, "continues": true, "cuts": [120]}),
            _ => json!({"text": whole}),
        };
        rules.push(json!({"when": {"contains": contains}, "reply": reply}));
    }
    let (runtime, server) = served(&rules);
    let place = Place::new("plan-rename", server.addr().port());
    write(&place.project.join("shop/__init__.py"), "");
    (0..FILES).for_each(|at| write(&place.project.join(path(at)), &before(at)));
    let made = place.salve(
        &[
            "--format",
            "json",
            "plan",
            "make",
            "-p",
            "rename cart to basket",
            "--map",
            "shop/part_*.py",
        ],
        "",
    );
    assert_eq!(made.json()["tasks"].as_array().map(Vec::len), Some(FILES), "{made:?}");
    let run =
        place.salve(&["--format", "json", "plan", "run", "last", "--yes", "--parallel", "8"], "");
    let report = run.json();
    assert_eq!((run.code, &report["outcome"]), (Some(0), &json!("completed")), "{run:?}");
    for at in 0..FILES {
        assert_eq!(place.text(&path(at)), after(at), "{}", path(at));
    }
    let tokens: u64 = report["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["tokens"].as_u64().unwrap())
        .sum();
    assert_eq!(report["tokens"].as_u64(), Some(tokens), "the sum is that of the parts");
    assert_eq!(place.salve(&["undo"], "").code, Some(0));
    for at in 0..FILES {
        assert_eq!(place.text(&path(at)), before(at), "byte for byte");
    }
    runtime.block_on(server.stop());
}
