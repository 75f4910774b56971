//! The differential test: what we would execute is what `bash` executes.
//!
//! In: the allowed lines of the case file and generated ones. Out: a failure with the line when the
//! stub programs of the two sides saw other words or other descriptors, when other files were left,
//! or when another status came out. Never compares a line that our parser refuses; it counts them.

mod generate;
mod world;

use generate::Random;
use salve_check::parse_command_line;
use std::sync::atomic::{AtomicUsize, Ordering};
use world::World;

const THREADS: u64 = 4;

#[test]
fn c059_every_allowed_case_runs_as_in_bash() {
    let cases = include_str!("../data/commands.jsonl");
    let world = World::new();
    let mut compared = 0;
    for case in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(case).expect("a case");
        // The others are there because they must not run, not even in a test.
        if case["allow"] != true {
            continue;
        }
        let line = case["command"].as_str().expect("a command");
        let parsed = parse_command_line(line).expect(line);
        let (bash, ours) = world.run(line, &parsed);
        assert_eq!(bash, ours, "{line:?}");
        compared += 1;
    }
    println!("{compared} allowed lines of the case file run as in bash");
    assert!(compared > 50, "{compared} cases are not the case file");
}

#[test]
fn generated_lines_run_as_in_bash() {
    let wanted = lines_wanted();
    let (accepted, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for seed in 0..THREADS {
            let (accepted, made) = (&accepted, &made);
            scope.spawn(move || {
                let world = World::new();
                let mut random = Random::new(seed + 1);
                while accepted.load(Ordering::Relaxed) < wanted {
                    let line = generate::line(&mut random);
                    made.fetch_add(1, Ordering::Relaxed);
                    if let Ok(parsed) = parse_command_line(&line)
                        && World::holds(&parsed)
                    {
                        let (bash, ours) = world.run(&line, &parsed);
                        assert_eq!(bash, ours, "{line:?}");
                        accepted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (accepted, made) = (accepted.into_inner(), made.into_inner());
    println!("{accepted} of {made} generated lines are in the subset and run as in bash");
    assert!(accepted * 10 >= made * 3, "{accepted} of {made}: the generator misses the subset");
}

fn lines_wanted() -> usize {
    #[expect(clippy::disallowed_methods, reason = "the long form of this test asks for more")]
    let wanted = std::env::var("SALVE_DIFFERENTIAL_LINES");
    wanted.map_or(2000, |wanted| wanted.parse().expect("SALVE_DIFFERENTIAL_LINES is a number"))
}
