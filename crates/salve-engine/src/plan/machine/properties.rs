//! What holds for every plan: random graphs, random ends, random people.

use super::*;
use crate::plan::{SubTask, read_plan_document};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// A world in which a plan runs: every choice that is not the machine's comes from a list of numbers.
struct World {
    choices: Vec<u16>,
    at: usize,
}

impl World {
    fn choose(&mut self, of: usize) -> usize {
        let choice = self.choices.get(self.at % self.choices.len().max(1)).copied().unwrap_or(0);
        self.at += 1;
        // The same numbers again would be the same choices again.
        (usize::from(choice) + self.at / self.choices.len().max(1)) % of.max(1)
    }
}

fn tasks() -> impl Strategy<Value = Vec<SubTask>> {
    let task =
        (prop::collection::vec(0usize..12, 0..4), 0i64..4, prop::collection::vec(0u8..6, 0..3));
    prop::collection::vec(task, 1..12).prop_map(|tasks| {
        let count = tasks.len();
        let list: Vec<_> = tasks
            .into_iter()
            .enumerate()
            .map(|(at, (waits, priority, files))| {
                // Most graphs run forward; now and then one has a cycle.
                let waits: BTreeSet<usize> = waits.into_iter().filter(|one| *one < at || (*one == 11 && at > 0)).collect();
                let waits: Vec<String> = waits.iter().map(|one| format!("t{}", one % count)).collect();
                let files: Vec<String> = files.iter().map(|one| format!("f{one}")).collect();
                json!({"id": format!("t{at}"), "instruction": "x", "dependsOn": waits, "priority": priority,
                       "contextFiles": files})
            })
            .collect();
        read_plan_document(&json!(list), "r").unwrap().tasks
    })
}

fn order() -> impl Strategy<Value = ExecutionOrder> {
    prop::sample::select(ExecutionOrder::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn c202_every_plan_ends_in_order_and_within_its_limits(
        tasks in tasks(), order in order(), parallel in 1usize..5, attempts in 1u32..4,
        cap in prop::option::of(1u64..3_000), choices in prop::collection::vec(any::<u16>(), 4..60),
    ) {
        let plan = SubTaskPlan {
            request: "r".into(), tasks: tasks.clone(), execution_order: order, granularity: Default::default(),
        };
        let budget = SpendLimit { tokens: cap, micro_dollars: None };
        let machine = PlanMachine::new(&plan, PlanLimits { order, parallel, attempts, budget });
        let mut machine = match machine {
            Ok(machine) => machine,
            Err(GraphError::Cycle(cycle)) => {
                prop_assert!(is_cycle(&tasks, &cycle), "{cycle:?}");
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let mut world = World { choices, at: 0 };
        run(&mut machine, &tasks, &mut world)?;
    }
}

fn is_cycle(tasks: &[SubTask], cycle: &[String]) -> bool {
    let waits = |pair: &[String]| {
        let task = tasks.iter().find(|task| task.id == pair[0]);
        task.is_some_and(|task| task.depends_on.contains(&pair[1]))
    };
    cycle.len() > 1 && cycle.first() == cycle.last() && cycle.windows(2).all(waits)
}

fn run(
    machine: &mut PlanMachine,
    tasks: &[SubTask],
    world: &mut World,
) -> Result<(), TestCaseError> {
    let mut running: BTreeMap<String, Start> = BTreeMap::new();
    let mut completed: BTreeSet<String> = BTreeSet::new();
    let (mut decisions, mut spent) = (0, 0);
    for _ in 0..5_000 {
        let text = serde_json::to_string(&*machine).unwrap();
        let read: PlanMachine = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &*machine);
        *machine = read;
        match world.choose(40) {
            0 => machine.take(PlanEvent::Pause).unwrap(),
            1 => machine.take(PlanEvent::Resume).unwrap(),
            2 if world.choose(20) == 0 => {
                machine.take(PlanEvent::Cancel).unwrap();
                running.clear();
            }
            _ => {}
        }
        match machine.next() {
            PlanStep::Start(start) => {
                check_start(machine, tasks, &running, &completed, &start)?;
                machine.take(PlanEvent::Started { task: start.task.clone() }).unwrap();
                running.insert(start.task.clone(), start);
                let held: u64 = running.values().filter_map(|one| one.budget.tokens).sum();
                if let Some(cap) = machine.limits().budget.tokens {
                    prop_assert!(spent + held <= cap, "{spent} + {held} > {cap}");
                }
            }
            PlanStep::Wait => {
                prop_assert!(!running.is_empty());
                let names: Vec<String> = running.keys().cloned().collect();
                let task = names[world.choose(names.len())].clone();
                let start = running.remove(&task).unwrap();
                let needed = world.choose(400) as u64 + 1;
                let (end, took) = match start.budget.tokens {
                    Some(limit) if limit < needed => (TaskEnd::OverBudget, 0),
                    _ if world.choose(4) == 0 => (TaskEnd::Failed, needed),
                    _ => (TaskEnd::Completed, needed),
                };
                spent += took;
                if end == TaskEnd::Completed {
                    completed.insert(task.clone());
                }
                let took = Spend { tokens: took, micro_dollars: 0 };
                machine.take(PlanEvent::Ended { task, end, spent: took }).unwrap();
            }
            PlanStep::Merge(merged) => {
                prop_assert!(running.is_empty());
                let own: BTreeSet<&String> = merged.iter().collect();
                prop_assert_eq!(own.len(), merged.len());
                prop_assert!(merged.iter().all(|task| completed.contains(task)));
                decisions += 1;
                let some = vec![merged[world.choose(merged.len())].clone()];
                let event = match world.choose(6) {
                    0 if decisions < 6 => PlanEvent::Conflict { tasks: some },
                    1 if decisions < 6 => PlanEvent::Red { tasks: some },
                    2 if decisions < 6 => PlanEvent::Red { tasks: Vec::new() },
                    _ => PlanEvent::Merged,
                };
                machine.take(event).unwrap();
                refresh(machine, &mut completed);
            }
            PlanStep::Paused => machine.take(PlanEvent::Resume).unwrap(),
            PlanStep::Attention(attention) => {
                decisions += 1;
                let (mut retry, mut skip) = (Vec::new(), Vec::new());
                for task in attention.tasks {
                    match world.choose(3) {
                        0 if decisions < 6 => retry.push(task),
                        1 if decisions < 6 => {}
                        _ => skip.push(task),
                    }
                }
                let budget = (attention.code == AttentionCode::Budget && decisions > 3)
                    .then_some(SpendLimit { tokens: None, micro_dollars: None });
                machine.take(PlanEvent::Decided { retry, skip, budget }).unwrap();
                refresh(machine, &mut completed);
            }
            PlanStep::Done(outcome) => return check_end(machine, outcome, spent),
        }
    }
    Err(TestCaseError::fail("the plan does not end"))
}

fn refresh(machine: &PlanMachine, completed: &mut BTreeSet<String>) {
    let now = machine.states().filter(|(_, status)| *status == SubTaskStatus::Completed);
    *completed = now.map(|(id, _)| id.to_owned()).collect();
}

fn check_start(
    machine: &PlanMachine,
    tasks: &[SubTask],
    running: &BTreeMap<String, Start>,
    completed: &BTreeSet<String>,
    start: &Start,
) -> Result<(), TestCaseError> {
    let limits = machine.limits();
    let task = tasks.iter().find(|task| task.id == start.task).unwrap();
    prop_assert!(!running.contains_key(&start.task));
    let most = if limits.order == ExecutionOrder::Sequential { 1 } else { limits.parallel };
    prop_assert!(running.len() < most);
    if limits.order != ExecutionOrder::Parallel {
        prop_assert!(
            task.depends_on.iter().all(|one| completed.contains(one)),
            "{:?} {:?}",
            task,
            completed
        );
        prop_assert!(task.depends_on.iter().all(|one| start.sees.contains(one)));
    }
    prop_assert!(start.sees.iter().all(|one| completed.contains(one)));
    if limits.order == ExecutionOrder::DependencyGraph {
        let held = |path: &String| {
            let others = tasks.iter().filter(|one| running.contains_key(&one.id));
            others.flat_map(SubTask::leases).any(|one| one == path)
        };
        prop_assert!(!task.leases().iter().any(held), "two hold one file");
    }
    Ok(())
}

fn check_end(machine: &PlanMachine, outcome: PlanOutcome, spent: u64) -> Result<(), TestCaseError> {
    use SubTaskStatus::{Cancelled, Completed};
    let states: Vec<SubTaskStatus> = machine.states().map(|(_, status)| status).collect();
    prop_assert!(
        states.iter().all(|status| matches!(status, Completed | Cancelled)),
        "{:?}",
        states
    );
    prop_assert_eq!(machine.spent().tokens, spent);
    let whole = states.iter().all(|status| *status == Completed);
    match outcome {
        PlanOutcome::Completed => prop_assert!(whole),
        PlanOutcome::CompletedPartial => prop_assert!(!whole && states.contains(&Completed)),
        PlanOutcome::Cancelled => {}
    }
    Ok(())
}
