//! When registered agents are asked, and what becomes of their fixes.

use super::*;
use AgentWave::{Broadcast, Specialist};

fn consulting(options: HealOptions) -> HealOptions {
    HealOptions { consults: 6, ..options }
}

#[test]
fn h49_h50_specialists_come_before_the_others_and_both_before_a_model() {
    let mut world = world("a", &["fix"]);
    world.proposals = vec![(FixSource::Fixer, vec!["free"])];
    world.agents = vec![(Specialist, vec!["wrong"]), (Broadcast, vec!["weakens", "worse"])];
    world.refused = vec!["weakens"];
    let machine = world.run(consulting(with_single()));
    assert_eq!(
        world.story,
        [
            "try free",
            "consult Specialist",
            "try wrong",
            "consult Broadcast",
            "try weakens",
            "try worse",
            "ask medium 20000",
            "try fix",
            "confirm fix"
        ]
    );
    let sources: Vec<&str> =
        machine.attempts().iter().map(|attempt| attempt.source.name()).collect();
    assert_eq!(sources, ["fixer", "proposal", "proposal", "proposal", "model"]);
}

#[test]
fn h49_a_fix_of_a_specialist_ends_it() {
    let mut world = world("a", &["other"]);
    world.agents = vec![(Specialist, vec!["fix"]), (Broadcast, vec!["other"])];
    let machine = world.run(consulting(with_ladder()));
    assert_eq!(world.story, ["consult Specialist", "try fix", "confirm fix"]);
    assert_eq!(machine.model_calls(), 0);
}

#[test]
fn h50_agents_are_asked_again_after_progress_as_often_as_allowed() {
    let mut world = world("ab", &[]);
    world.leaves = vec![("half", "b")];
    world.agents = vec![(Broadcast, vec!["half"])];
    let options = HealOptions { consults: 3, ..HealOptions::default() };
    let _ended = world.run(options);
    assert_eq!(
        world.story,
        ["consult Specialist", "consult Broadcast", "try half", "consult Specialist"]
    );
}

#[test]
fn h49_nobody_is_asked_in_production_or_where_nobody_is_registered() {
    for (options, asked) in [
        (HealOptions { strictness: Strictness::Production, ..consulting(with_ladder()) }, 0),
        (with_ladder(), 0),
        (consulting(HealOptions::default()), 2),
    ] {
        let mut world = world("a", &["-"; 5]);
        let _ended = world.run(options);
        let consults = world.story.iter().filter(|line| line.starts_with("consult")).count();
        assert_eq!(consults, asked, "{:?}", world.story);
    }
}
