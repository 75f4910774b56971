//! A team with one database: what one machine learned heals on another.
//!
//! In: three machines, each a role of the database with a data folder, settings and a project of its own; a
//! scripted model that two of them have. Out: what is private stays so, what is shared heals elsewhere without a
//! model, and what two machines find out at the same time is all there. Never the machine's own settings.

use super::postgres::Postgres;
use super::report::Row;
use crate::gateway::servers::{self, Server};
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const DATABASE: &str = "team";
const PASSWORD: &str = "not-a-secret";
/// Heals of each machine at the same time.
const AT_ONCE: usize = 4;

struct Team {
    postgres: Postgres,
    model: Server,
    folder: TempDir,
    salve: PathBuf,
}

/// Runs it.
pub(crate) fn run(salve: &Path) -> anyhow::Result<Vec<Row>> {
    let team = Team::new(salve)?;
    let mut rows = Vec::new();
    let mut row = |what: &str, figure: String, reached: bool| {
        rows.push(Row::new("team", what, figure).with_goal("", reached));
    };
    // Hers is private, because nothing else is said.
    let by_model = team.heal("ann", &["one", "count"], true)?;
    ensure!(by_model["source"] == "model" && by_model["rule_added"] == true, "{by_model}");
    let alone = team.heal("bob", &["two", "sum"], false)?;
    row("what one learned and does not share heals elsewhere", told(&alone), !healed(&alone));
    let shared = team.heal("carol", &["three", "total"], true)?;
    ensure!(shared["source"] == "model", "{shared}");
    let known = team.heal("bob", &["two", "sum"], false)?;
    row("what one learned and shares heals elsewhere", told(&known), healed(&known));
    // Both at once, each with names of its own.
    let both = std::thread::scope(|scope| {
        let machines = ["bob", "carol"].map(|role| {
            let team = &team;
            scope.spawn(move || team.heal_many(role))
        });
        let ended = machines.map(|one| one.join().map_err(|_| anyhow::anyhow!("a panic"))?);
        ended.into_iter().collect::<anyhow::Result<Vec<usize>>>()
    })?;
    let (healed, all) = (both.iter().sum::<usize>(), 2 * AT_ONCE);
    row("healed at the same time", format!("{healed} of {all}"), healed == all);
    let kept = "SELECT count(*) FROM salve.knowledge_heals WHERE model_calls = 0 AND healed = 1";
    let kept = team.postgres.sql(DATABASE, kept)?;
    let wanted = healed + 1;
    let is_all = kept.trim() == wanted.to_string();
    row(
        "heals without a model that are in the database",
        format!("{} of {wanted}", kept.trim()),
        is_all,
    );
    let authors = "SELECT count(DISTINCT author) FROM salve.knowledge_outcomes";
    let authors = team.postgres.sql(DATABASE, authors)?;
    row("machines whose outcomes are there", authors.trim().to_owned(), authors.trim() == "3");
    Ok(rows)
}

fn healed(report: &Value) -> bool {
    report["outcome"] == "Repaired" && report["model_calls"] == 0
}

fn told(report: &Value) -> String {
    format!("{} by {}", report["outcome"], report["source"])
}

impl Team {
    fn new(salve: &Path) -> anyhow::Result<Self> {
        let postgres = Postgres::start(&[])?;
        postgres.create_database(DATABASE)?;
        let folder = tempfile::Builder::new().prefix("salve-team-").tempdir()?;
        let path = folder.path().join("script.jsonl");
        std::fs::write(&path, script())?;
        let model = servers::sim(salve, &path)?;
        let team = Self { postgres, model, folder, salve: salve.to_owned() };
        // The owner makes the tables, and lets the others use them.
        let password = team.postgres.password.clone();
        for list in ["knowledge", "jobs"] {
            let ended = team.command("salve", &password)?.args([list, "list"]).output()?;
            ensure!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
        for role in ["ann", "bob", "carol"] {
            team.postgres
                .sql(DATABASE, &format!("CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'"))?;
            for schema in ["salve", "salve_jobs"] {
                let sql = format!(
                    "GRANT USAGE ON SCHEMA {schema} TO {role}; \
                     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; \
                     GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}; \
                     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {role};"
                );
                team.postgres.sql(DATABASE, &sql)?;
            }
        }
        Ok(team)
    }

    fn home(&self, role: &str) -> PathBuf {
        self.folder.path().join(role)
    }

    fn command(&self, role: &str, password: &str) -> anyhow::Result<Command> {
        let home = self.home(role);
        std::fs::create_dir_all(home.join("salve"))?;
        let share = if role == "carol" { "shared" } else { "private" };
        let model = self.model.address;
        let settings = format!(
            "[knowledge]\nshare = '{share}'\n\n[[provider]]\nname = 'sim'\ndialect = 'chat'\n\
             base_url = 'http://{model}/v1'\nkey = {{ environment = 'SIM_KEY' }}\n\n\
             [roles]\nmodel = 'sim/scripted'\n"
        );
        std::fs::write(home.join("salve/config.toml"), settings)?;
        let url = self.postgres.url(IpAddr::V4(Ipv4Addr::LOCALHOST), DATABASE);
        let url = url.replacen("postgres://salve@", &format!("postgres://{role}@"), 1);
        let mut command = Command::new(&self.salve);
        command
            .current_dir(&home)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("SIM_KEY", "sk-not-a-key")
            .env("XDG_CONFIG_HOME", &home)
            .env("SALVE_DATA", home.join("data"))
            .env("SALVE_JOBS", url)
            .env("SALVE_JOBS_PASSWORD", password)
            .stdin(Stdio::null());
        Ok(command)
    }

    // A file of its own with the error, healed in a project of the machine's own.
    fn heal(&self, role: &str, names: &[&str; 2], with_model: bool) -> anyhow::Result<Value> {
        let [name, word] = names;
        let project = self.home(role).join(name);
        std::fs::create_dir_all(&project)?;
        std::fs::write(project.join("file.c"), text(name, &format!("{word}(1)"), word))?;
        let mut command = self.command(role, PASSWORD)?;
        command.current_dir(&project).args(["heal", "--format", "json", "--yes"]);
        if !with_model {
            command.arg("--no-model");
        }
        let ended = command.args(["--", "gcc", "-fsyntax-only", "file.c"]).output()?;
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        serde_json::from_slice(&ended.stdout)
            .with_context(|| format!("{role} heals {name}: {told}"))
    }

    fn heal_many(&self, role: &str) -> anyhow::Result<usize> {
        let mut count = 0;
        for number in 0..AT_ONCE {
            let (name, word) = (format!("more{number}"), format!("{role}{number}"));
            let report = self.heal(role, &[&name, &word], false)?;
            count += usize::from(healed(&report));
        }
        Ok(count)
    }
}

fn text(name: &str, value: &str, word: &str) -> String {
    format!(
        "int zero(void) {{\n  return 0;\n}}\n\nint {name}(int {word}) {{\n  return {value};\n}}\n"
    )
}

// The model knows what the two machines ask that have it.
fn script() -> String {
    let rule = |name: &str, word: &str| {
        let fixed = text(name, &format!("{word} + 1"), word);
        let reply =
            json!({ "text": format!("The call is no call.\n\nfile.c\n```c\n{fixed}```\n") });
        json!({ "when": { "contains": format!("int {name}(") }, "reply": reply }).to_string()
    };
    format!("{}\n{}\n", rule("one", "count"), rule("three", "total"))
}
