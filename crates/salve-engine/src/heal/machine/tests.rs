//! One case for each outcome, gate, breaker and cell of strictness, provider and pin.

mod agents;
mod commands;

use super::*;
use crate::heal::gates::{GateRefusal, GateRule};
use crate::heal::{AgentWave, FixOrigin, FixSource};
use salve_check::{ToolPhase, phase_of};
use salve_types::{Diagnostic, ErrorClass, Severity};

/// An error by its letter: `a` is signature `a` in file `a.rs`.
pub(super) fn error(name: &str) -> ErrorSeen {
    classed(name, ErrorClass::Type, 1)
}

fn classed(name: &str, error_class: ErrorClass, line: u32) -> ErrorSeen {
    let diagnostic = Diagnostic::new("tool", Severity::Error, error_class, name);
    ErrorSeen {
        phase: phase_of(&diagnostic),
        exact: name.to_owned(),
        shape: name.to_owned(),
        class: name.to_owned(),
        path: format!("{name}.rs"),
        line: Some(line),
        error_class,
        message: format!("error {name}"),
    }
}

/// A check with errors by their letters; green without.
pub(super) fn check(errors: &str) -> CheckSummary {
    CheckSummary {
        green: errors.is_empty(),
        errors: errors.chars().map(|letter| error(&letter.to_string())).collect(),
        text: format!("errors {errors}"),
        orphans: 0,
    }
}

pub(super) fn candidate(source: FixSource, text: &str) -> Candidate {
    let files = [("a.rs".to_owned(), Some(text.to_owned()))].into();
    Candidate {
        source,
        author: "author".to_owned(),
        description: format!("writes {text}"),
        confidence: Confidence::Unstated,
        origin: FixOrigin::Derived,
        pinned: false,
        patch: Patch { files },
        commands: Vec::new(),
        changed_lines: u32::try_from(text.len()).unwrap(),
        round: 0,
    }
}

fn with_ladder() -> HealOptions {
    HealOptions { tiers: TierPlan::ladder().to_vec(), ..HealOptions::default() }
}

fn with_single() -> HealOptions {
    HealOptions { tiers: TierPlan::single(Role::Medium).to_vec(), ..HealOptions::default() }
}

/// A driver whose world is a table: what each source proposes, what the model answers, and which errors
/// each text leaves.
#[derive(Default)]
struct World {
    baseline: &'static str,
    /// Texts by source, the first ones for the first time it is asked.
    proposals: Vec<(FixSource, Vec<&'static str>)>,
    /// Texts by wave of agents.
    agents: Vec<(AgentWave, Vec<&'static str>)>,
    /// What the model answers, in order: `!` no answer, `-` nothing usable, `0.5 x` the text `x` with
    /// that confidence.
    answers: Vec<&'static str>,
    /// Which errors a text leaves; a text that is not here leaves the baseline's.
    leaves: Vec<(&'static str, &'static str)>,
    /// Texts that break something else.
    breaks: Vec<&'static str>,
    refused: Vec<&'static str>,
    pinned: Vec<&'static str>,
    tokens: u64,
    /// What happened, in a line for each step.
    story: Vec<String>,
}

impl World {
    fn run(&mut self, options: HealOptions) -> Loop {
        let mut machine = Loop::new(options);
        self.go_on(&mut machine);
        machine
    }

    fn go_on(&mut self, machine: &mut Loop) {
        for _ in 0..500 {
            let step = machine.next();
            let result = match step {
                Step::Done(_) => return,
                Step::Check => StepResult::Checked(check(self.baseline)),
                Step::Propose(source) => {
                    let at = self.proposals.iter().position(|(from, _)| *from == source);
                    let texts = at.map(|at| self.proposals.remove(at).1).unwrap_or_default();
                    let made = texts.into_iter().map(|text| self.made(source, text));
                    StepResult::Proposed(made.collect())
                }
                Step::Consult(wave) => {
                    self.story.push(format!("consult {wave:?}"));
                    let at = self.agents.iter().position(|(of, _)| *of == wave);
                    let texts = at.map(|at| self.agents.remove(at).1).unwrap_or_default();
                    let made = texts.into_iter().map(|text| self.made(FixSource::Proposal, text));
                    StepResult::Proposed(made.collect())
                }
                Step::Try(candidates) => {
                    StepResult::Tried(candidates.iter().map(|one| self.tried(one)).collect())
                }
                Step::Ask(ask) => self.answer(&ask),
                Step::Confirm(candidate) => {
                    self.story.push(format!("confirm {}", text_of(&candidate)));
                    let breaks = self.breaks.contains(&&*text_of(&candidate));
                    let after =
                        if breaks { vec!["old", "flaky", "new"] } else { vec!["old", "flaky"] };
                    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
                    StepResult::Confirmed(Confirmation {
                        before: set(&["old", "other"]),
                        after: set(&after),
                        flaky: set(&["flaky"]),
                    })
                }
                Step::RollBack(catastrophe) => {
                    self.story.push(format!("roll back after {}", catastrophe.failures));
                    StepResult::RolledBack { checkpoint: "c".to_owned() }
                }
            };
            machine.take(result).unwrap();
        }
        panic!("it does not end");
    }

    fn made(&self, source: FixSource, text: &str) -> Candidate {
        Candidate { pinned: self.pinned.contains(&text), ..candidate(source, text) }
    }

    fn tried(&mut self, candidate: &Candidate) -> TrialResult {
        let text = text_of(candidate);
        self.story.push(format!("try {text}"));
        if self.refused.contains(&&*text) {
            return TrialResult::Refused(GateRefusal {
                rule: GateRule::Silenced,
                path: "a.rs".to_owned(),
                line: None,
                what: "silences".to_owned(),
            });
        }
        let leaves = self.leaves.iter().find(|(of, _)| *of == text);
        TrialResult::Checked(check(leaves.map_or(self.baseline, |(_, errors)| errors)))
    }

    fn answer(&mut self, ask: &AskTier) -> StepResult {
        self.story.push(format!("ask {} {}", ask.role.name(), ask.tokens));
        let answer = if self.answers.is_empty() { "-" } else { self.answers.remove(0) };
        let tokens = self.tokens;
        let none = |unusable| StepResult::Answered { candidates: Vec::new(), unusable, tokens };
        match answer {
            "!" => StepResult::NoAnswer { message: "status 500".to_owned(), tokens },
            "-" => none(Some("no code".to_owned())),
            text => {
                let (sure, text) = text.split_once(' ').unwrap_or(("", text));
                let confidence = Confidence::from(sure.parse::<f64>().ok());
                let made = Candidate { confidence, ..self.made(FixSource::Model, text) };
                StepResult::Answered { candidates: vec![made], unusable: None, tokens }
            }
        }
    }
}

fn text_of(candidate: &Candidate) -> String {
    candidate.patch.files["a.rs"].clone().unwrap()
}

fn outcome(machine: &Loop) -> Outcome {
    match machine.next() {
        Step::Done(outcome) => outcome,
        step => panic!("{step:?}"),
    }
}

fn ends(world: &mut World, options: HealOptions) -> String {
    let machine = world.run(options);
    let outcome = outcome(&machine);
    match &outcome {
        Outcome::Repaired { attempts, .. } | Outcome::Exhausted { attempts, .. } => {
            format!("{} {attempts}", outcome.name())
        }
        _ => outcome.name().to_owned(),
    }
}

fn world(baseline: &'static str, answers: &[&'static str]) -> World {
    let leaves = vec![("fix", ""), ("b-left", "b"), ("new", "z"), ("fix2", "")];
    World { baseline, answers: answers.to_vec(), leaves, tokens: 1000, ..World::default() }
}

fn proposing(baseline: &'static str, source: FixSource, texts: &[&'static str]) -> World {
    World { proposals: vec![(source, texts.to_vec())], ..world(baseline, &[]) }
}

#[test]
fn each_outcome_has_its_way() {
    let cases: &[(&str, World, HealOptions)] = &[
        ("FirstTrySuccess", world("", &[]), with_ladder()),
        ("Repaired 1", proposing("a", FixSource::Fixer, &["fix"]), HealOptions::default()),
        ("Repaired 2", proposing("a", FixSource::Memory, &["bad", "fix"]), with_ladder()),
        ("Repaired 2", world("a", &["-", "fix"]), with_ladder()),
        ("Repaired 2", world("a", &["bad", "0.75 fix"]), with_single()),
        ("Repaired 5", world("a", &["1", "2", "3", "4", "fix"]), with_ladder()),
        ("Exhausted 5", world("a", &["1", "2", "3", "4", "5", "fix"]), with_ladder()),
        ("Exhausted 2", world("a", &["1", "2", "fix"]), with_single()),
        ("Exhausted 3", world("a", &["!", "2", "!", "-", "5"]), {
            let mut options = with_ladder();
            options.tiers[2].attempts = 2;
            options
        }),
        ("RejectedLowConfidence", world("a", &["0.7499 fix"]), with_single()),
        ("RejectedLowConfidence", world("a", &["0.5 fix", "0.5 fix", "0.5 fix"]), with_ladder()),
        ("Repaired 2", world("a", &["0.5 fix", "0.9 fix"]), with_ladder()),
        ("Exhausted 2", world("a", &["NaN fix", "1.5 fix"]), with_single()),
        ("NoProvider", world("a", &[]), HealOptions::default()),
        ("NoProvider", proposing("a", FixSource::Fixer, &["bad"]), HealOptions::default()),
        ("ProviderError", world("a", &["!", "!", "!"]), with_ladder()),
        ("ProviderError", world("a", &["!"]), with_single()),
    ];
    for (index, (expected, world, options)) in cases.iter().enumerate() {
        let mut world = World {
            proposals: world.proposals.clone(),
            answers: world.answers.clone(),
            leaves: world.leaves.clone(),
            ..World { baseline: world.baseline, tokens: 1000, ..World::default() }
        };
        assert_eq!(ends(&mut world, options.clone()), *expected, "case {index}: {:?}", world.story);
    }
    let none = HealOptions {
        tiers: vec![TierPlan { attempts: 0, ..TierPlan::ladder()[0] }],
        ..HealOptions::default()
    };
    let mut world = world("a", &["fix"]);
    assert_eq!(ends(&mut world, none), "Exhausted 0", "no attempt is allowed");
    assert_eq!(world.story, [""; 0]);
}

#[test]
fn strictness_provider_and_pin_decide_together() {
    use Strictness::{Development, Production, Sketch};
    // Strictness, whether there is a model, whether the memory's fix is pinned.
    let cases = [
        (Sketch, false, false, "Repaired 1"),
        (Sketch, true, true, "Repaired 1"),
        (Development, false, false, "Repaired 1"),
        (Development, true, true, "Repaired 1"),
        (Production, false, false, "NoProvider"),
        (Production, true, false, "ProductionBlocked"),
        (Production, false, true, "Repaired 1"),
        (Production, true, true, "Repaired 1"),
    ];
    for (strictness, provider, pinned, expected) in cases {
        let options = if provider { with_ladder() } else { HealOptions::default() };
        let mut world = proposing("a", FixSource::Memory, &["fix"]);
        world.pinned = if pinned { vec!["fix"] } else { Vec::new() };
        let ended = ends(&mut world, HealOptions { strictness, ..options });
        assert_eq!(ended, expected, "{strictness:?} {provider} {pinned}");
    }
    // Fixers and agents do not act in production; a pinned rule does.
    for source in FREE {
        let mut world = proposing("a", source, &["fix"]);
        let options = HealOptions { strictness: Production, ..with_ladder() };
        let expected =
            if source == FixSource::PinnedRule { "Repaired 1" } else { "ProductionBlocked" };
        assert_eq!(ends(&mut world, options), expected, "{source:?}");
        assert!(world.story.iter().all(|line| !line.starts_with("ask")));
    }
}

#[test]
fn a_sketch_tries_what_a_model_is_not_sure_of_and_only_proposes_it() {
    let options = HealOptions { strictness: Strictness::Sketch, ..with_single() };
    let machine = world("a", &["0.2 fix"]).run(options);
    let accepted = machine.accepted().unwrap();
    assert!(accepted.proposal && !accepted.partial);
    let machine = world("a", &["0.8 fix"]).run(with_single());
    assert!(!machine.accepted().unwrap().proposal);
}

#[test]
fn sources_are_asked_in_order_and_tiers_with_their_tokens() {
    let mut world = world("a", &["1", "2", "3", "4", "5"]);
    world.proposals = FREE.iter().rev().map(|source| (*source, vec![source.name()])).collect();
    let machine = world.run(with_ladder());
    let tried: Vec<&str> = world.story.iter().map(String::as_str).collect();
    assert_eq!(
        tried,
        [
            "try fixer",
            "try proposal",
            "try pinned_rule",
            "try pattern",
            "roll back after 3",
            "try rule",
            "try memory",
            "ask fast 5000",
            "try 1",
            "ask fast 5000",
            "try 2",
            "ask medium 10000",
            "try 3",
            "ask medium 10000",
            "try 4",
            "ask deep 20000",
            "try 5",
        ],
        "once, and the ladder goes on where it was"
    );
    assert_eq!((machine.model_calls(), machine.tokens()), (5, 5000));
    assert_eq!(machine.attempts().len(), 11);
}

#[test]
fn progress_is_kept_and_fixers_are_asked_again() {
    let mut world = world("ab", &["b-left", "fix"]);
    world.proposals =
        vec![(FixSource::Fixer, vec!["bad"]), (FixSource::Fixer, vec!["bad2", "new"])];
    let machine = world.run(with_ladder());
    assert_eq!(
        world.story,
        [
            "try bad",
            "ask fast 5000",
            "try b-left",
            "try bad2",
            "try new",
            "ask fast 5000",
            "try fix",
            "confirm fix",
        ],
        "a group that a model healed starts the ladder again"
    );
    let names: Vec<&str> = machine.attempts().iter().map(|one| one.result.name()).collect();
    assert_eq!(names, ["no_progress", "progress", "no_progress", "new_errors", "healed"]);
    assert!(
        matches!(&machine.flags()[0], Flag::NewErrors { attempt: 4, errors } if errors == &["error z"])
    );
    let changes = machine.breaker_changes();
    assert_eq!(changes.healed, ["a".to_owned(), "b".to_owned()].into());
    assert!(changes.unhealed.is_empty());
}

#[test]
fn of_several_that_pass_the_smallest_is_taken() {
    let mut world = proposing("a", FixSource::Fixer, &["fix-large", "fix", "bad"]);
    world.leaves.push(("fix-large", ""));
    let machine = world.run(HealOptions { parallel: 4, ..HealOptions::default() });
    assert_eq!(text_of(&machine.accepted().unwrap().candidate), "fix");
    let names: Vec<&str> = machine.attempts().iter().map(|one| one.result.name()).collect();
    assert_eq!(names, ["helped", "healed", "no_progress"]);
}

#[test]
fn a_later_round_waits_for_the_earlier_one() {
    let mut machine = Loop::new(HealOptions { parallel: 9, ..HealOptions::default() });
    machine.take(StepResult::Checked(check("ab"))).unwrap();
    let single = |text| Candidate { round: 1, ..candidate(FixSource::Fixer, text) };
    let all = vec![single("x"), candidate(FixSource::Fixer, "batch"), single("y")];
    machine.take(StepResult::Proposed(all)).unwrap();
    let tried = |machine: &Loop| match machine.next() {
        Step::Try(candidates) => candidates.iter().map(text_of).collect::<Vec<_>>(),
        step => panic!("{step:?}"),
    };
    assert_eq!(tried(&machine), ["batch"]);
    machine.take(StepResult::Tried(vec![TrialResult::Checked(check("ab"))])).unwrap();
    assert_eq!(tried(&machine), ["x", "y"], "each alone once the batch failed");
    let results = vec![TrialResult::Checked(check("a")), TrialResult::Checked(check("b"))];
    machine.take(StepResult::Tried(results)).unwrap();
    assert_eq!(machine.next(), Step::Propose(FixSource::Fixer), "again, on the better state");
    assert_eq!(machine.best().check, check("a"));
}

#[test]
fn nothing_that_worked_may_break() {
    let mut world = proposing("a", FixSource::Fixer, &["fix", "fix2"]);
    world.breaks = vec!["fix"];
    let machine = world.run(HealOptions::default());
    assert_eq!(text_of(&machine.accepted().unwrap().candidate), "fix2");
    assert_eq!(machine.accepted().unwrap().still_failing.len(), 2, "what was red may stay red");
    let breaks = AttemptResult::BreaksOthers(vec!["new".to_owned()]);
    assert_eq!(machine.attempts()[0].result, breaks);
    assert!(machine.flags().contains(&Flag::Flaky { name: "flaky".to_owned() }));

    world.answers.clear();
    world.proposals = vec![(FixSource::Fixer, vec!["fix"])];
    assert_eq!(ends(&mut world, HealOptions::default()), "NoProvider");
}

#[test]
fn what_was_tried_is_not_tried_again() {
    // The second answer repeats the first, the third leads back to where it began.
    let mut world = world("a", &["1", "1", "1", "2", "fix"]);
    let machine = world.run(with_ladder());
    assert_eq!(world.story.iter().filter(|line| *line == "try 1").count(), 1);
    assert_eq!(outcome(&machine), Outcome::Repaired { attempts: 5, rule_added: false });
    assert_eq!(machine.attempts()[1].result, AttemptResult::Repeated);

    let known = candidate(FixSource::Model, "1").hash();
    let options = HealOptions { do_not_try: [known].into(), ..with_single() };
    let mut world = World { answers: vec!["1", "fix"], story: Vec::new(), ..world };
    assert_eq!(ends(&mut world, options), "Repaired 2");
    assert!(!world.story.contains(&"try 1".to_owned()), "it failed in an earlier heal");
}

#[test]
fn a_gate_refusal_costs_its_attempt_and_no_run() {
    let mut world = world("a", &["1", "fix"]);
    world.refused = vec!["1"];
    let machine = world.run(with_single());
    assert_eq!(machine.attempts()[0].result.name(), "refused");
    assert_eq!(machine.attempts()[0].errors_left, None);
    assert_eq!(outcome(&machine).name(), "Repaired");
}

#[test]
fn three_failures_in_a_row_roll_back_once() {
    // Progress first, then nothing: what was kept is dropped, the ladder goes on.
    let mut world = world("abc", &["1", "2", "3", "4"]);
    world.proposals = vec![(FixSource::Fixer, vec!["b-left"])];
    let mut machine = Loop::new(with_ladder());
    world.go_on(&mut machine);
    assert_eq!(world.story.iter().filter(|line| line.starts_with("roll")).count(), 1);
    assert_eq!(world.story.last().unwrap(), "ask deep 20000");
    assert!(machine.best().patch.is_empty());
    assert_eq!(outcome(&machine).name(), "Exhausted");

    let mut machine = Loop::new(with_ladder());
    machine.take(StepResult::Checked(check("a"))).unwrap();
    for _ in FREE {
        machine.take(StepResult::Proposed(Vec::new())).unwrap();
    }
    let nothing = || StepResult::Answered { candidates: Vec::new(), unusable: None, tokens: 0 };
    for _ in 0..3 {
        machine.take(nothing()).unwrap();
    }
    assert!(matches!(machine.next(), Step::RollBack(_)));
    machine.take(StepResult::Interrupted(HaltReason::NoCheckpoint)).unwrap();
    let halted =
        Outcome::Halted { reason: HaltReason::NoCheckpoint, compiler_error: "errors a".to_owned() };
    assert_eq!(machine.next(), Step::Done(halted));
}

#[test]
fn the_same_error_again_and_again_is_systemic() {
    let unhealed = |count| [("a".to_owned(), count)].into();
    let mut world = world("a", &["1", "2"]);
    let options = HealOptions { unhealed: unhealed(1), ..with_single() };
    assert_eq!(ends(&mut world, options), "Exhausted 2", "the second sighting");
    let mut world = World { answers: vec!["fix"], story: Vec::new(), ..world };
    let options = HealOptions { unhealed: unhealed(2), ..with_single() };
    let machine = world.run(options.clone());
    assert_eq!(outcome(&machine).name(), "Halted", "the third");
    assert_eq!(machine.model_calls(), 0);
    assert_eq!(machine.breaker_changes().unhealed, ["a".to_owned()].into());
    assert!(machine.breakers()[0].tripped);
    // A free fix is still welcome, and closes the breaker.
    let mut world = proposing("a", FixSource::Fixer, &["fix"]);
    let machine = world.run(options);
    assert_eq!(machine.breaker_changes().healed, ["a".to_owned()].into());
    // What says nothing of the error does not count.
    for mut world in [self::world("a", &["!"]), self::world("a", &[])] {
        let options = if world.answers.is_empty() { HealOptions::default() } else { with_single() };
        assert_eq!(
            world.run(options).breaker_changes(),
            crate::heal::breakers::BreakerChanges::default()
        );
    }
}

#[test]
fn tokens_are_held_before_a_model_is_asked() {
    let mut world = world("a", &["1", "2", "3", "4", "5"]);
    world.tokens = 5001;
    let options = HealOptions { tokens: 15_000, ..with_ladder() };
    let mut machine = world.run(options);
    assert_eq!(outcome(&machine), Outcome::Paused { reason: HaltReason::Tokens });
    assert_eq!((machine.model_calls(), machine.tokens()), (2, 10_002));
    assert!(machine.breakers()[1].tripped);
    machine.resume(50_000);
    world.go_on(&mut machine);
    assert_eq!(outcome(&machine).name(), "Exhausted", "resumed, it goes on");
    assert_eq!(machine.model_calls(), 5);
}

#[test]
fn interruptions_pause_or_end_it_anywhere() {
    let mut machine = Loop::new(HealOptions::default());
    machine.take(StepResult::Interrupted(HaltReason::ControlFile)).unwrap();
    assert_eq!(machine.next(), Step::Done(Outcome::Paused { reason: HaltReason::ControlFile }));
    assert_eq!(machine.take(StepResult::Checked(check("a"))), Err(WrongResult));
    machine.resume(0);
    assert_eq!(machine.next(), Step::Check);
    machine.take(StepResult::Checked(check("a"))).unwrap();
    machine.take(StepResult::Interrupted(HaltReason::TimeLimit)).unwrap();
    assert!(matches!(
        machine.next(),
        Step::Done(Outcome::Halted { reason: HaltReason::TimeLimit, .. })
    ));

    let mut machine = Loop::new(HealOptions::default());
    let left = CheckSummary { orphans: 3, ..check("a") };
    machine.take(StepResult::Checked(left)).unwrap();
    assert_eq!(machine.next(), Step::Done(Outcome::Paused { reason: HaltReason::Orphans }));
    machine.resume(0);
    assert_eq!(machine.next(), Step::Propose(FixSource::Fixer));
}

#[test]
fn a_result_of_another_step_changes_nothing() {
    let mut machine = Loop::new(HealOptions::default());
    let before = machine.clone();
    assert_eq!(machine.take(StepResult::Tried(Vec::new())), Err(WrongResult));
    assert_eq!(machine, before);
}

#[test]
fn a_changed_tree_is_checked_again_and_not_for_ever() {
    let mut machine = Loop::new(HealOptions::default());
    machine.take(StepResult::Checked(check("a"))).unwrap();
    machine.take(StepResult::Proposed(vec![candidate(FixSource::Fixer, "x")])).unwrap();
    for _ in 0..3 {
        machine.take(StepResult::TreeChanged).unwrap();
        assert_eq!(machine.next(), Step::Check);
    }
    machine.take(StepResult::Checked(check("a"))).unwrap();
    assert_eq!(machine.next(), Step::Propose(FixSource::Fixer));
    machine.take(StepResult::TreeChanged).unwrap();
    assert!(matches!(
        machine.next(),
        Step::Done(Outcome::Halted { reason: HaltReason::TreeChanges, .. })
    ));
}

#[test]
fn what_was_accepted_for_other_files_is_not_written() {
    let mut machine = proposing("a", FixSource::Fixer, &["fix"]).run(HealOptions::default());
    assert!(machine.accepted().is_some());
    machine.take(StepResult::TreeChanged).unwrap();
    assert_eq!(machine.next(), Step::Check);
    assert!(machine.accepted().is_none());
    // What ended without a change has nothing to begin again for.
    let mut machine = proposing("a", FixSource::Fixer, &[]).run(HealOptions::default());
    assert_eq!(machine.take(StepResult::TreeChanged), Err(WrongResult));
}

#[test]
fn a_file_that_is_changed_again_and_again_is_flagged() {
    let mut world = proposing("a", FixSource::Fixer, &["1", "2", "3", "4", "5"]);
    assert_eq!(world.run(HealOptions::default()).flags(), []);
    let mut world = proposing("a", FixSource::Fixer, &["1", "2", "3", "4", "5", "6", "7"]);
    let machine = world.run(HealOptions::default());
    assert_eq!(machine.flags(), [Flag::ManyChanges { path: "a.rs".to_owned() }]);
    assert_eq!(machine.file_changes()["a.rs"], 7);
}

#[test]
fn partial_keeps_the_groups_that_went_green() {
    let partial = HealOptions { partial: true, ..HealOptions::default() };
    let mut world = proposing("ab", FixSource::Fixer, &["b-left"]);
    let machine = world.run(partial.clone());
    assert_eq!(outcome(&machine).name(), "NoProvider");
    let accepted = machine.accepted().unwrap();
    assert!(accepted.partial);
    assert_eq!((&*text_of(&accepted.candidate), accepted.attempt), ("b-left", 1));
    assert_eq!(machine.breaker_changes().healed, ["a".to_owned()].into());
    // Not when it breaks something, and not unless asked for.
    let mut world = proposing("ab", FixSource::Fixer, &["b-left"]);
    world.breaks = vec!["b-left"];
    assert!(world.run(partial).accepted().is_none());
    let mut world = proposing("ab", FixSource::Fixer, &["b-left"]);
    assert!(world.run(HealOptions::default()).accepted().is_none());
}

#[test]
fn what_the_tools_could_not_reach_before_is_not_new() {
    use ErrorClass::{Import, Syntax, Test, Type};
    use compare::{Comparison, compare};
    let at = |errors: &[(&str, &str, ErrorClass, u32)]| CheckSummary {
        errors: errors
            .iter()
            .map(|(exact, path, class, line)| ErrorSeen {
                path: (*path).to_owned(),
                ..classed(exact, *class, *line)
            })
            .collect(),
        ..CheckSummary::default()
    };
    let before = at(&[("a", "x", Syntax, 10)]);
    let cases: &[(&str, CheckSummary)] = &[
        ("Uncovered", at(&[("t", "y", Type, 1)])),
        ("Uncovered", at(&[("t", "x", Test, 90)])),
        ("Uncovered", at(&[("s", "x", Syntax, 40)])),
        ("NewErrors", at(&[("t", "x", Type, 11)])),
        ("NewErrors", at(&[("s", "x", Syntax, 2)])),
        ("NewErrors", at(&[("s", "y", Syntax, 40)])),
        ("NewErrors", at(&[("a", "x", Syntax, 10), ("t", "y", Type, 1)])),
        ("NoProgress", at(&[("a", "x", Syntax, 12)])),
    ];
    for (index, (expected, now)) in cases.iter().enumerate() {
        let found = format!("{:?}", compare(&before, now, &before.signatures(), &["x"]));
        assert!(found.starts_with(expected), "case {index}: {found}");
    }
    // One class, two phases: a name that is not found keeps rustc from checking ownership.
    let found_in = |phase, exact| ErrorSeen { phase, ..classed(exact, Type, 90) };
    let of = |error| CheckSummary { errors: vec![error], ..CheckSummary::default() };
    let (names, bodies) =
        (of(found_in(ToolPhase::Resolve, "n")), of(found_in(ToolPhase::Bodies, "b")));
    assert_eq!(compare(&names, &bodies, &names.signatures(), &["x"]), Comparison::Uncovered);
    assert_ne!(compare(&bodies, &names, &bodies.signatures(), &["x"]), Comparison::Uncovered);
    // A unit of C cannot break another one; a header can, and so can one that is linked with it.
    let (a, b) = (at(&[("p", "a.c", Syntax, 7)]), at(&[("q", "b.c", Syntax, 3)]));
    for (expected, changed) in
        [("Uncovered", &["a.c"][..]), ("NewErrors", &["a.c", "a.h"]), ("NewErrors", &["b.c"])]
    {
        let found = format!("{:?}", compare(&a, &b, &a.signatures(), changed));
        assert!(found.starts_with(expected), "{changed:?}: {found}");
    }
    let two = at(&[("a", "x", Import, 1), ("a", "x", Import, 2)]);
    let one = at(&[("a", "x", Import, 1)]);
    assert_eq!(compare(&two, &one, &two.signatures(), &["x"]), Comparison::Progress);
    let silent = CheckSummary::default();
    assert_eq!(compare(&silent, &silent, &silent.signatures(), &["x"]), Comparison::NoProgress);
}

#[test]
fn a_better_way_past_the_first_error_is_looked_for() {
    // Both make the text readable; only the second is right.
    let mut machine = Loop::new(HealOptions::default());
    let broken = CheckSummary { errors: vec![classed("s", ErrorClass::Syntax, 1)], ..check("s") };
    machine.take(StepResult::Checked(broken)).unwrap();
    let both = vec![candidate(FixSource::Fixer, "wrong"), candidate(FixSource::Fixer, "right")];
    machine.take(StepResult::Proposed(both)).unwrap();
    machine.take(StepResult::Tried(vec![TrialResult::Checked(check("t"))])).unwrap();
    assert!(matches!(machine.next(), Step::Try(_)), "the second is tried too");
    machine.take(StepResult::Tried(vec![TrialResult::Checked(check(""))])).unwrap();
    assert!(matches!(machine.next(), Step::Confirm(_)));
}
