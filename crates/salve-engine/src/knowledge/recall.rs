//! What is known of the errors of a check, made into fixes.
//!
//! In: the store, and what a check said. Out: remembered fixes and rules for exactly these errors, and from
//! them proposals that are judged and tried like any other. Never a fix that is believed because it is known.

use super::again::made_again;
use super::text::bounded;
use super::{
    FixExample, FixRule, RULE, RuleIndex, RuleRecord as LearnedRule, StoredFix, known_author,
    rule_classes,
};
use crate::heal::machine::EarlierTry;
use crate::heal::{Fix, FixOrigin, FixSource, Sources};
use salve_check::{Signature, sign};
use salve_store::{KnownFix, PatternKey, Store, StoreError, StoredRule};
use salve_types::{Diagnostic, Language};
use std::collections::BTreeSet;

/// Of this many errors of a check, what is known is looked up.
const MOST_ERRORS: usize = 16;
/// This many known fixes are tried for one error.
const MOST_FIXES: u32 = 5;
/// A fix that is longer than this, as it is kept, is no answer to one error.
pub(super) const LARGEST_FIX: usize = 64 << 10;
/// On this many earlier fixes of an error's class its rules are replayed.
const REPLAYED: u32 = 32;
/// A rule whose proven rate of wins is below this is new.
const SURE: f64 = 0.5;
/// This many failed ones of an error are told.
const MOST_FAILED: u32 = 10;

/// What is known, by the place of the error in the check's list.
#[derive(Debug, Default)]
pub struct Recalled {
    fixes: Vec<RecalledFix>,
    rules: Vec<LearnedRule>,
    /// Earlier fixes of the same classes of errors.
    examples: Vec<FixExample>,
    /// Rules of which too little is known to be sure of them.
    new: BTreeSet<String>,
    /// What failed for these errors in earlier heals, where that was asked: the hash of the candidate, and
    /// what it did.
    pub failed: Option<Vec<(String, EarlierTry)>>,
}

#[derive(Debug)]
struct RecalledFix {
    known: KnownFix,
    fix: StoredFix,
    answers: usize,
}

/// Returns the names of an error under which it is remembered.
pub(super) fn pattern_key(signature: &Signature) -> PatternKey {
    PatternKey {
        exact: signature.exact.wire(),
        shape: signature.shape.wire(),
        class: signature.class.wire(),
    }
}

/// Tells whether a source is asked for what is known.
pub fn is_known_source(source: FixSource) -> bool {
    matches!(
        source,
        FixSource::PinnedRule | FixSource::Pattern | FixSource::Rule | FixSource::Memory
    )
}

/// Looks up what a source knows of these errors. Pins of the trusted authors count like the user's own.
///
/// # Errors
/// When the database refuses.
pub async fn recall(
    store: &Store,
    source: FixSource,
    workspace: &str,
    trusted: &[String],
    diagnostics: &[Diagnostic],
) -> Result<Recalled, StoreError> {
    let mut recalled = Recalled::default();
    for (answers, diagnostic) in diagnostics.iter().enumerate().take(MOST_ERRORS) {
        match source {
            FixSource::Pattern | FixSource::Memory => {
                let key = pattern_key(&sign(diagnostic));
                let known = store.known_fixes(&key, workspace, MOST_FIXES).await?;
                let here =
                    |known: &KnownFix| known.from.is_none() == (source == FixSource::Pattern);
                for known in known.successful.into_iter().filter(here) {
                    // What was put into the store by others may be no fix at all.
                    if known.body.len() > LARGEST_FIX {
                        continue;
                    }
                    if let Ok(fix) = serde_json::from_str::<StoredFix>(&known.body) {
                        recalled.fixes.push(RecalledFix { known, fix, answers });
                    }
                }
            }
            FixSource::PinnedRule | FixSource::Rule => {
                let Some(language) = language_of(diagnostic) else { continue };
                let classes = rule_classes(diagnostic);
                let wants_pin = source == FixSource::PinnedRule;
                for record in store.rules_for(language.name(), &classes).await? {
                    let pinned = record.pin_of(trusted).is_some();
                    let is_known = recalled.rules.iter().any(|one| one.rule.id == record.id);
                    if pinned == wants_pin && !is_known {
                        recalled.rules.extend(learned(&record, pinned));
                        if !pinned && record.confidence() < SURE {
                            recalled.new.insert(record.id);
                        }
                    }
                }
            }
            FixSource::Fixer | FixSource::Proposal | FixSource::Model => {}
        }
    }
    if !recalled.rules.is_empty() {
        recalled.examples = examples_of(store, diagnostics).await?;
    }
    Ok(recalled)
}

// What rules are replayed on: accepted fixes of the first errors' classes.
async fn examples_of(
    store: &Store,
    diagnostics: &[Diagnostic],
) -> Result<Vec<FixExample>, StoreError> {
    let mut classes: Vec<(Language, String)> = Vec::new();
    for diagnostic in diagnostics.iter().take(MOST_ERRORS) {
        let class = rule_classes(diagnostic).into_iter().next();
        let known = language_of(diagnostic).zip(class);
        classes.extend(known.filter(|one| !classes.contains(one)));
    }
    let mut examples = Vec::new();
    for (language, class) in classes {
        let kept = store.examples(language.name(), &class, REPLAYED).await?;
        let read = kept.iter().filter_map(|one| serde_json::from_str(&one.body).ok());
        examples.extend(read);
    }
    Ok(examples)
}

/// Looks up what failed for these errors in earlier heals of the workspace.
///
/// # Errors
/// When the database refuses.
pub async fn failed_before(
    store: &Store,
    workspace: &str,
    diagnostics: &[Diagnostic],
) -> Result<Vec<(String, EarlierTry)>, StoreError> {
    let mut failed = Vec::new();
    for diagnostic in diagnostics.iter().take(MOST_ERRORS) {
        let exact = sign(diagnostic).exact.wire();
        for fix in store.failed_fixes(workspace, &exact, MOST_FAILED).await? {
            let why = "it did not help in an earlier heal".to_owned();
            failed.push((fix.fix, EarlierTry { description: fix.description, failed: why }));
        }
    }
    Ok(failed)
}

fn language_of(diagnostic: &Diagnostic) -> Option<Language> {
    Language::from_path(&diagnostic.primary()?.path)
}

// A body that is not what its id was made of is not the rule that was kept; one that no file could hold may be
// another user's.
fn learned(record: &StoredRule, pinned: bool) -> Option<LearnedRule> {
    let rule: FixRule = serde_json::from_str(&record.body).ok()?;
    if rule.content_id() != record.id || bounded(&rule).is_err() {
        return None;
    }
    let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let mut learned = LearnedRule::new(rule);
    learned.pinned = pinned;
    learned.wins = count(record.wins + record.team_wins);
    learned.losses = count(record.losses + record.team_losses);
    learned.support = count(record.replays).max(1);
    Some(learned)
}

impl Recalled {
    /// The same for the rules of the workspace beside the learned ones.
    pub fn fixes_with(
        &self,
        own: &[FixRule],
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
    ) -> Vec<Fix> {
        let is_new = |rule: &&FixRule| self.rules.iter().all(|known| known.rule.id != rule.id);
        let own = own.iter().filter(is_new).cloned().map(LearnedRule::new);
        let rules = self.rules.iter().cloned().chain(own).collect();
        let (new, examples) = (self.new.clone(), self.examples.clone());
        let all = Self { rules, new, examples, ..Self::default() };
        all.fixes(FixSource::Rule, diagnostics, sources)
    }

    /// Makes fixes of what is known, best first.
    pub fn fixes(
        &self,
        source: FixSource,
        diagnostics: &[Diagnostic],
        sources: &dyn Sources,
    ) -> Vec<Fix> {
        let mut fixes: Vec<Fix> =
            self.fixes.iter().flat_map(|one| one.made(source, diagnostics, sources)).collect();
        if !self.rules.is_empty() {
            let index = RuleIndex::new(self.rules.clone());
            let index = index.replayed(diagnostics, sources, &self.examples);
            let made = index.candidates(diagnostics, sources, &|_| (0, 0));
            fixes.extend(made.into_iter().map(|fix| self.marked(Fix { source, ..fix })));
        }
        fixes
    }
}

impl Recalled {
    // A rule that has proved little is told apart, in the history too.
    fn marked(&self, mut fix: Fix) -> Fix {
        if fix.author.strip_prefix(RULE).is_some_and(|id| self.new.contains(id)) {
            fix.description.push_str(" (new rule)");
        }
        fix
    }
}

impl RecalledFix {
    fn made(&self, source: FixSource, errors: &[Diagnostic], sources: &dyn Sources) -> Vec<Fix> {
        let Some(diagnostic) = errors.get(self.answers) else { return Vec::new() };
        // A command that another user shared is not even proposed.
        if self.known.author.is_some() && !self.fix.commands.is_empty() {
            return Vec::new();
        }
        let ways = match self.fix.files.is_empty() {
            true => vec![Vec::new()],
            false => made_again(&self.fix, diagnostic, sources),
        };
        let from = self.known.from.as_deref().map(|from| format!(", from {from}"));
        let fix = |changes| Fix {
            source,
            author: known_author(&self.known.fix, &sign(diagnostic).exact.wire()),
            description: format!(
                "{}{}",
                self.known.description,
                from.as_deref().unwrap_or_default()
            ),
            origin: FixOrigin::Derived,
            changes,
            commands: self.fix.commands.clone(),
            answers: vec![self.answers],
        };
        ways.into_iter().map(fix).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TextRedactor;
    use crate::heal::Patch;
    use crate::heal::testing::Files;
    use crate::knowledge::{FixExample, Remembering};
    use salve_store::{KnowledgeScope, StoreOptions};
    use salve_types::{ErrorClass, Position, Severity, SourceSpan, Timestamp};
    use std::sync::Arc;

    fn called(path: &str, line: u32, column: u32, name: &str) -> Diagnostic {
        let message = format!("called object ‘{name}’ is not a function or function pointer");
        let mut made = Diagnostic::new("gcc", Severity::Error, ErrorClass::Type, &message);
        made.spans.push(SourceSpan {
            path: path.to_owned(),
            start: Some(Position { line, column }),
            end: None,
            bytes: None,
            primary: true,
            label: None,
            line_text: None,
        });
        made
    }

    #[tokio::test]
    async fn a_rule_learned_here_fixes_the_error_with_other_names_elsewhere() {
        let options = StoreOptions::new(
            Arc::new(|| Timestamp(1_000)),
            Arc::new(TextRedactor::default()),
            "test",
        );
        let store = Store::memory(options).await.expect("a store");
        let (workspace, scope) = ("/w", KnowledgeScope::Private);
        let remembering = Remembering { store: &store, heal: "h", workspace, scope };
        let example = FixExample {
            language: None,
            path: "one.c".into(),
            before: "int one(int count) {\n  return count(1);\n}\n".into(),
            after: "int one(int count) {\n  return count + 1;\n}\n".into(),
            diagnostics: vec![called("one.c", 2, 10, "count")],
        };
        let learned = remembering.learn_from(&example).await.expect("kept");
        assert!(!learned.is_empty());
        assert_eq!(remembering.learn_from(&example).await.expect("kept"), [], "known already");
        let now = [called("src/two.c", 3, 12, "sum")];
        let text =
            "int two(int sum) {\n  if (sum > 3) {\n    return sum(4);\n  }\n  return sum;\n}\n";
        let files = Files::of([("src/two.c", text)]);
        let recalled =
            recall(&store, FixSource::Rule, "/elsewhere", &[], &now).await.expect("read");
        assert_eq!(recalled.rules.len(), learned.len());
        let fixes = recalled.fixes(FixSource::Rule, &now, &files);
        let made =
            Patch::default().with(&fixes.first().expect("a fix").changes, &files).expect("fits");
        let text = made.files["src/two.c"].as_deref().unwrap_or_default();
        assert!(text.contains("    return sum + 4;\n"), "{text}");
        let pinned = recall(&store, FixSource::PinnedRule, "/w", &[], &now).await.expect("read");
        assert!(pinned.fixes(FixSource::PinnedRule, &now, &files).is_empty());
    }
}
