//! `salve policy command`: may this line be started, and what exactly would be.
//!
//! In: command lines. Out: allowed or asked, the rule, the reason, and the words that would be
//! executed. Never starts one, and never prints a line as it came.

use crate::arguments::Format;
use crate::failure::{CommandResult, Ending, Failure};
use crate::{batch, output, workspace_config};
use anstyle::AnsiColor;
use salve_check::{
    CommandVerdict, PlannedCommand, PlannedRedirect, RedirectTarget, Rule, is_invisible,
    quote_for_display,
};
use salve_engine::facts::{JudgedLine, judge_line};
use salve_engine::host::Place;
use salve_tree::Root;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Deserialize)]
struct Line {
    command: String,
}

/// Judges lines in a workspace.
pub(super) fn run(
    lines: &[String],
    root: &Root,
    place: &Place,
    in_batch: bool,
    format: Format,
) -> CommandResult {
    let configured = workspace_config::open(root.path())?;
    configured.report_ignored_rules();
    let policy = &configured.workspace.policy;
    let judge = |line: &str| Judged::of(judge_line(line, policy, root, &place.here), place);
    if in_batch {
        return batch::run(|line: Line| document(&judge(&line.command)));
    }
    let verdicts: Vec<(&String, Judged)> = lines.iter().map(|line| (line, judge(line))).collect();
    match format {
        Format::Human => {
            let shown: String = verdicts.iter().map(|(line, judged)| human(line, judged)).collect();
            output::result(&shown)?;
        }
        _ => output::values(format, &documents(&verdicts)?)?,
    }
    // A person can still say yes to what is asked about, and not to what a rule denies.
    let worst = |rule_out: fn(&CommandVerdict) -> bool| {
        verdicts.iter().any(|(_, it)| rule_out(&it.verdict))
    };
    Ok(if worst(|verdict| verdict.rule == Rule::Denied) {
        Ending::Findings
    } else if worst(|verdict| !verdict.allow) {
        Ending::NeedsApproval
    } else {
        Ending::Clean
    })
}

/// A verdict, and the folder that the line enters first.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    verdict: CommandVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

impl Judged {
    fn of(line: JudgedLine, place: &Place) -> Self {
        let folder = (line.here != place.here).then_some(line.here);
        Self { verdict: line.verdict, folder }
    }
}

fn documents(verdicts: &[(&String, Judged)]) -> Result<Vec<Value>, Failure> {
    let document = |(line, judged): &(&String, Judged)| {
        let mut all = Map::new();
        all.insert("command".to_owned(), Value::String((*line).clone()));
        all.extend(document(judged).map_err(Failure::new)?);
        Ok(Value::Object(all))
    };
    verdicts.iter().map(document).collect()
}

// The verdict with the words of every command, as they would be executed.
fn document(judged: &Judged) -> Result<Map<String, Value>, String> {
    let mut document = batch::object(judged)?;
    if let Some(plan) = &judged.verdict.plan {
        let argv = plan.commands().map(|command| Value::from(command.argv.clone())).collect();
        document.insert("argv".to_owned(), Value::Array(argv));
    }
    Ok(document)
}

fn human(line: &str, judged: &Judged) -> String {
    let Judged { verdict, folder } = judged;
    let green = AnsiColor::Green.on_default().bold();
    let yellow = AnsiColor::Yellow.on_default().bold();
    let dim = anstyle::Style::new().dimmed();
    let (style, word) = if verdict.allow { (green, "allowed") } else { (yellow, "asked  ") };
    let mut text = format!(
        "{style}{word}{style:#}  {}\n         {}: {}\n",
        shown(line),
        verdict.rule.name(),
        crate::change::visible(&verdict.why)
    );
    if let Some(folder) = folder {
        text.push_str(&format!("         {dim}in{dim:#} {}\n", crate::change::visible(folder)));
    }
    let objected = verdict.segment.as_ref().map(|segment| segment.index);
    for (index, command) in verdict.plan.iter().flat_map(salve_check::Plan::commands).enumerate() {
        let mark = if objected == Some(index) { " <- this one" } else { "" };
        let words = command_text(command);
        text.push_str(&format!("         {dim}{}{dim:#}  {words}{mark}\n", index + 1));
    }
    let risk = output::word(&verdict.risk);
    text.push_str(&format!("         {dim}at worst:{dim:#} {risk}\n"));
    if let Some(entry) = &verdict.smallest {
        let entry = quote_for_display(entry);
        text.push_str(&format!("         {dim}on the list it would be:{dim:#} {entry}\n"));
    }
    text
}

// The line as it came, with everything visible that could deceive.
fn shown(line: &str) -> String {
    const MOST: usize = 120;
    let mut text = String::new();
    for letter in line.chars().take(MOST) {
        if letter.is_control() || is_invisible(letter) {
            text.extend(letter.escape_unicode());
        } else {
            text.push(letter);
        }
    }
    if line.chars().nth(MOST).is_some() {
        text.push('…');
    }
    text
}

fn command_text(command: &PlannedCommand) -> String {
    let mut text = quote_for_display(&command.argv);
    for PlannedRedirect { descriptor, target } in &command.redirects {
        let target = match target {
            RedirectTarget::Read(path) => format!("< {}", quote_for_display(&[path])),
            RedirectTarget::Write(path) => format!("> {}", quote_for_display(&[path])),
            RedirectTarget::Append(path) => format!(">> {}", quote_for_display(&[path])),
            RedirectTarget::Same(other) => format!(">&{other}"),
        };
        text.push_str(&format!(" {descriptor}{target}"));
    }
    text
}
