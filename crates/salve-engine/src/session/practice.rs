//! A scripted model and a sample project, to try a conversation without a key.
//!
//! In: nothing. Out: files of a small project, and what the scripted model says, as a script for the simulated
//! provider. It says so itself in every answer. Never a model: it knows three requests, and tells which.

/// The files of the sample project: paths and texts.
pub const PRACTICE_FILES: &[(&str, &str)] = &[
    ("README.md", "# Practice\n\nA shop with prices, made by `salve chat --practice`.\n"),
    ("price.py", PRICE),
    ("Makefile", "check:\n\t@python3 -m py_compile price.py\n"),
];

const PRICE: &str = "\
PRICES = {\"tea\": 3.5, \"coffee\": 4.25}


def total(order):
    return sum(PRICES[item] * count for item, count in order.items())
";

/// What the scripted model says, one rule a line, the first that fits.
pub const PRACTICE_SCRIPT: &str = r#"
{"when": {"contains": "were not applied"}, "reply": {"text": "{\"summary\": \"(practice model) The file is not the one that I know; nothing is changed. `/undo` takes changes back.\"}"}}
{"when": {"contains": "add a discount"}, "reply": {"text": "{\"summary\": \"(practice model) Adds a discount in two steps; this is the first.\", \"todos\": [{\"text\": \"Add the function discounted\", \"completed\": false}, {\"text\": \"Use it in total\", \"completed\": false}], \"fileChanges\": [{\"path\": \"price.py\", \"content\": \"PRICES = {\\\"tea\\\": 3.5, \\\"coffee\\\": 4.25}\\n\\n\\ndef discounted(amount, percent):\\n    return amount * (100 - percent) / 100\\n\\n\\ndef total(order):\\n    return sum(PRICES[item] * count for item, count in order.items())\\n\", \"todoIndex\": 0}], \"nextSteps\": [{\"html\": \"Continue\", \"inputText\": \"continue\"}]}"}}
{"when": {"contains": "continue"}, "reply": {"text": "{\"summary\": \"(practice model) The second step: total takes a discount.\", \"todos\": [{\"text\": \"Add the function discounted\", \"completed\": true}, {\"text\": \"Use it in total\", \"completed\": false}], \"fileChanges\": [{\"path\": \"price.py\", \"content\": \"PRICES = {\\\"tea\\\": 3.5, \\\"coffee\\\": 4.25}\\n\\n\\ndef discounted(amount, percent):\\n    return amount * (100 - percent) / 100\\n\\n\\ndef total(order, percent=0):\\n    full = sum(PRICES[item] * count for item, count in order.items())\\n    return discounted(full, percent)\\n\", \"todoIndex\": 1}]}"}}
{"when": {"contains": "show the files"}, "reply": {"text": "{\"summary\": \"(practice model) A look at the folder first.\", \"commands\": [{\"command\": \"ls\", \"description\": \"shows the files\"}]}"}}
{"when": {"contains": "I ran the command"}, "reply": {"text": "{\"summary\": \"(practice model) I see the files of the project.\"}"}}
{"reply": {"text": "{\"summary\": \"(practice model) I am a script and know these requests: `add a discount to price.py`, then `continue`; `show the files`.\"}"}}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::read_answer;
    use salve_model::sim::Script;

    #[test]
    fn every_answer_is_whole_and_says_who_it_is_from() {
        let script = Script::parse(PRACTICE_SCRIPT.trim()).unwrap();
        assert!(script.rules.len() >= 5);
        for rule in &script.rules {
            let answer = read_answer(&rule.reply.text, true);
            let summary = answer.summary.clone().unwrap_or_default();
            assert!(
                answer.is_actionable() && summary.starts_with("(practice model)"),
                "{answer:?}"
            );
        }
    }
}
