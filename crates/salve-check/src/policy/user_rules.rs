//! Rules that people write: what is allowed, asked or denied beside the built-in list.
//!
//! In: the text of a rule file and whose it is. Out: the rules, each tried on its own examples by the
//! function that will match commands, and findings about what is ignored. Never lets a workspace
//! allow anything, and never takes a rule that would let a delete through.

use super::list::{ListEntry, PolicyRules, is_never};
use crate::{RiskClass, parse_command_line, quote_for_display};
use serde::Deserialize;

/// Whose rules a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleSource {
    /// The user's own configuration: may allow.
    User,
    /// A file of the workspace: may only tighten.
    Project,
}

/// What a rule says about the commands that begin with its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleDecision {
    /// Allowed, if nothing else speaks against it.
    Allow,
    /// A person is asked each time.
    Ask,
    /// Not run, whatever is answered.
    Deny,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    /// The words that a command must begin with.
    pub prefix: Vec<String>,
    /// What is said about it.
    pub decision: RuleDecision,
    /// What such a command can do at worst; only what is `network` gets a network.
    #[serde(default = "default_risk")]
    pub risk: RiskClass,
    /// Lines that the rule must match.
    #[serde(default, rename = "match")]
    pub matching: Vec<String>,
    /// Lines that the rule must not match.
    #[serde(default, rename = "not_match")]
    pub not_matching: Vec<String>,
}

/// Rules that passed their own examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    rules: Vec<UserRule>,
}

/// What was read, and what of it does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadedRules {
    /// The rules that count.
    pub rules: UserRules,
    /// Rules that were ignored, in one sentence each.
    pub ignored: Vec<String>,
}

/// Why a file of rules cannot be used; none of it is.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// It is not the TOML that is expected.
    #[error("the rules cannot be read: {message}")]
    Syntax {
        /// What the reader says, with the line.
        message: String,
    },
    /// The words can never be the beginning of a command.
    #[error("rule {number}: {why}")]
    Prefix {
        /// Which rule, from 1.
        number: usize,
        /// What is wrong with its words.
        why: String,
    },
    /// It would allow what is always asked.
    #[error(
        "rule {number} (`{prefix}`): programs that delete, or that run others out of sight, are always asked; remove the rule"
    )]
    NeverAllowed {
        /// Which rule, from 1.
        number: usize,
        /// Its words.
        prefix: String,
    },
    /// An example of the rule is not what it says.
    #[error("rule {number} (`{prefix}`): the example `{example}` {problem}")]
    Example {
        /// Which rule, from 1.
        number: usize,
        /// Its words.
        prefix: String,
        /// The example.
        example: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    #[serde(default)]
    rule: Vec<UserRule>,
}

// A rule that does not say gets no network, and is asked in strict mode.
const fn default_risk() -> RiskClass {
    RiskClass::Write
}

impl UserRules {
    /// Reads a file of `[[rule]]` tables and tries each rule on its examples.
    ///
    /// # Errors
    ///
    /// Fails when the text is no such file, or when a rule could not match, would allow a delete, or
    /// fails one of its examples. Nothing of such a file counts.
    pub fn load(text: &str, source: RuleSource) -> Result<LoadedRules, RuleError> {
        let file: RuleFile = toml::from_str(text).map_err(|error| RuleError::Syntax {
            message: error.to_string().trim_end().to_owned(),
        })?;
        let mut loaded = LoadedRules::default();
        for (index, rule) in file.rule.into_iter().enumerate() {
            rule.check(index + 1)?;
            if source == RuleSource::Project && rule.decision == RuleDecision::Allow {
                loaded.ignored.push(format!(
                    "rule {} (`{}`) is ignored: a workspace can only tighten; put it into your own rules",
                    index + 1,
                    rule.shown(),
                ));
            } else {
                loaded.rules.rules.push(rule);
            }
        }
        Ok(loaded)
    }

    /// Adds the rules to those that are there; what is asked or denied wins over what is allowed.
    pub fn apply_to(&self, rules: &mut PolicyRules) {
        for rule in &self.rules {
            let entry = ListEntry { words: rule.prefix.clone(), risk: rule.risk };
            match rule.decision {
                RuleDecision::Allow => rules.allowed.push(entry),
                RuleDecision::Ask => rules.refused.push(entry),
                RuleDecision::Deny => rules.denied.push(entry),
            }
        }
    }

    /// Adds the rules of another file.
    pub fn extend(&mut self, other: Self) {
        self.rules.extend(other.rules);
    }
}

impl UserRule {
    fn fits<S: AsRef<str>>(&self, argv: &[S]) -> bool {
        argv.len() >= self.prefix.len()
            && self.prefix.iter().zip(argv).all(|(own, word)| own == word.as_ref())
    }

    fn shown(&self) -> String {
        quote_for_display(&self.prefix)
    }

    fn check(&self, number: usize) -> Result<(), RuleError> {
        let Some(program) = self.prefix.first() else {
            let why = "it has no words; name at least the program".to_owned();
            return Err(RuleError::Prefix { number, why });
        };
        // A name that the parser refuses would make a rule that never matches.
        if let Err(refusal) = parse_command_line(program) {
            let why =
                format!("`{}` cannot be a command: {}", quote_for_display(&[program]), refusal.why);
            return Err(RuleError::Prefix { number, why });
        }
        if self.decision == RuleDecision::Allow && is_never(&self.prefix) {
            return Err(RuleError::NeverAllowed { number, prefix: self.shown() });
        }
        let problem = |example: &String, problem| RuleError::Example {
            number,
            prefix: self.shown(),
            example: example.clone(),
            problem,
        };
        for example in &self.matching {
            match self.matches_line(example) {
                Some(true) => {}
                Some(false) => return Err(problem(example, "is not matched by it")),
                None => return Err(problem(example, "is outside the shell subset")),
            }
        }
        match self.not_matching.iter().find(|example| self.matches_line(example) == Some(true)) {
            Some(example) => Err(problem(example, "is matched by it, and should not be")),
            None => Ok(()),
        }
    }

    // Whether any command of a line falls under the rule; nothing when the line cannot be read.
    fn matches_line(&self, line: &str) -> Option<bool> {
        let parsed = parse_command_line(line).ok()?;
        Some(parsed.commands().any(|command| self.fits(&command.argv().collect::<Vec<_>>())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::approvals::tests_support::Quiet;
    use crate::policy::{Rule, judge_command};

    fn load(text: &str) -> Result<LoadedRules, RuleError> {
        UserRules::load(text, RuleSource::User)
    }

    #[test]
    fn c059_a_rule_matches_whole_words_and_proves_it_with_its_examples() {
        let loaded = load(
            r#"
            [[rule]]
            prefix = ["docker", "ps"]
            decision = "allow"
            match = ["docker ps", "docker ps -a", "ls && docker ps"]
            not_match = ["docker psx", "docker run x", "dockerps", "docker $(ps)"]
            "#,
        )
        .expect("the rules");
        let mut rules = PolicyRules::default();
        loaded.rules.apply_to(&mut rules);
        assert_eq!(rules.allowed.len(), 41);
        for (line, listed) in [("docker ps -a", true), ("docker", false), ("docker psx", false)] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(rules.entry(&words).is_some(), listed, "{line}");
        }
    }

    #[test]
    fn the_strictest_rule_wins() {
        let loaded = load(
            r#"
            rule = [
              { prefix = ["docker"], decision = "allow" },
              { prefix = ["docker", "run"], decision = "ask" },
              { prefix = ["docker", "run", "--privileged"], decision = "deny" },
            ]
            "#,
        )
        .expect("the rules");
        let mut rules = PolicyRules::default();
        loaded.rules.apply_to(&mut rules);
        for (line, rule) in [
            ("docker ps", Rule::Listed),
            ("docker run x", Rule::NotListed),
            ("docker run --privileged x", Rule::Denied),
            ("rm x; docker run x && docker run --privileged x", Rule::Denied),
        ] {
            assert_eq!(judge_command(line, &rules, &Quiet, &Quiet).rule, rule, "{line}");
        }
    }

    #[test]
    fn a_rule_that_is_not_what_it_says_is_an_error_with_its_number() {
        for (text, message) in [
            (
                r#"rule = [{ prefix = ["ls"], decision = "ask" }, { prefix = ["a"], decision = "allow", match = ["b c"] }]"#,
                "rule 2 (`a`): the example `b c` is not matched by it",
            ),
            (
                r#"rule = [{ prefix = ["a"], decision = "allow", not_match = ["x; a b"] }]"#,
                "rule 1 (`a`): the example `x; a b` is matched by it, and should not be",
            ),
            (
                r#"rule = [{ prefix = ["a"], decision = "allow", match = ["a $x"] }]"#,
                "rule 1 (`a`): the example `a $x` is outside the shell subset",
            ),
            (
                r#"rule = [{ prefix = [], decision = "ask" }]"#,
                "rule 1: it has no words; name at least the program",
            ),
            (
                r#"rule = [{ prefix = ["../x"], decision = "ask" }]"#,
                "rule 1: `../x` cannot be a command: a command is a plain name that is looked up, or a path below this folder",
            ),
        ] {
            assert_eq!(load(text).expect_err(text).to_string(), message);
        }
        for text in [
            "rule = 1",
            "[[rule]]\nprefix = ['a']",
            "x = 1",
            "[[rule]]\nprefix=['a']\ndecision='run'",
            "\u{0}",
        ] {
            assert!(matches!(load(text), Err(RuleError::Syntax { .. })), "{text}");
        }
        assert_eq!(load(""), Ok(LoadedRules::default()));
    }

    #[test]
    fn c060_no_rule_lets_a_delete_through() {
        for prefix in
            [r#""rm""#, r#""rm", "-rf", "target""#, r#""git", "clean""#, r#""xargs""#, r#""sudo""#]
        {
            let text = format!("rule = [{{ prefix = [{prefix}], decision = \"allow\" }}]");
            assert!(
                matches!(load(&text), Err(RuleError::NeverAllowed { number: 1, .. })),
                "{prefix}"
            );
            let text = text.replace("allow", "deny");
            load(&text).expect("forbidding it is fine");
        }
    }

    #[test]
    fn a_project_can_only_tighten() {
        let text = r#"rule = [{ prefix = ["make"], decision = "allow" }, { prefix = ["npm"], decision = "deny" }]"#;
        let loaded = UserRules::load(text, RuleSource::Project).expect("the rules");
        assert_eq!(loaded.ignored.len(), 1);
        assert!(
            loaded.ignored[0].starts_with("rule 1 (`make`) is ignored"),
            "{:?}",
            loaded.ignored
        );
        let mut rules = PolicyRules::default();
        loaded.rules.apply_to(&mut rules);
        assert_eq!((rules.allowed.len(), rules.denied.len()), (40, 1));
    }
}
