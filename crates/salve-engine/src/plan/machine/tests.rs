//! Single decisions of the machine.

use super::*;
use crate::plan::read_plan_document;
use serde_json::{Value, json};

fn plan(tasks: &Value, order: ExecutionOrder) -> SubTaskPlan {
    SubTaskPlan { execution_order: order, ..read_plan_document(tasks, "r").unwrap() }
}

fn machine(tasks: &Value, order: ExecutionOrder, parallel: usize) -> PlanMachine {
    let limits = PlanLimits { order, parallel, ..PlanLimits::default() };
    PlanMachine::new(&plan(tasks, order), limits).unwrap()
}

// Starts everything that can start; returns the names.
fn start_all(machine: &mut PlanMachine) -> Vec<String> {
    let mut started = Vec::new();
    while let PlanStep::Start(start) = machine.next() {
        machine.take(PlanEvent::Started { task: start.task.clone() }).unwrap();
        started.push(start.task);
    }
    started
}

fn end(machine: &mut PlanMachine, task: &str, end: TaskEnd) {
    let spent = Spend { tokens: 10, micro_dollars: 1 };
    machine.take(PlanEvent::Ended { task: task.to_owned(), end, spent }).unwrap();
}

fn five() -> Value {
    let task = |id: &str, waits: &[&str]| json!({"id": id, "instruction": id, "dependsOn": waits});
    json!([
        task("1", &[]),
        task("2", &[]),
        task("3", &[]),
        task("4", &["1", "2", "3"]),
        task("5", &["4"])
    ])
}

#[test]
fn c202_dependents_wait_and_independents_run_together() {
    let mut machine = machine(&five(), ExecutionOrder::DependencyGraph, 4);
    assert_eq!(start_all(&mut machine), ["1", "2", "3"]);
    for (task, next) in [("2", vec![]), ("3", vec![]), ("1", vec!["4"]), ("4", vec!["5"])] {
        end(&mut machine, task, TaskEnd::Completed);
        if let PlanStep::Start(start) = machine.next() {
            let seen =
                if start.task == "4" { vec!["2", "3", "1"] } else { vec!["2", "3", "1", "4"] };
            assert_eq!(start.sees, seen, "in the order in which they ended");
        }
        assert_eq!(start_all(&mut machine), next);
    }
    end(&mut machine, "5", TaskEnd::Completed);
    assert_eq!(
        machine.next(),
        PlanStep::Merge(["2", "3", "1", "4", "5"].map(str::to_owned).into())
    );
    machine.take(PlanEvent::Merged).unwrap();
    assert_eq!(machine.next(), PlanStep::Done(PlanOutcome::Completed));
    assert_eq!(machine.spent(), Spend { tokens: 50, micro_dollars: 5 });
}

#[test]
fn c213_the_order_decides_what_runs_at_once() {
    for (order, first) in [
        (ExecutionOrder::Sequential, vec!["1"]),
        (ExecutionOrder::Parallel, vec!["1", "2", "3", "4"]),
        (ExecutionOrder::DependencyGraph, vec!["1", "2", "3"]),
    ] {
        assert_eq!(start_all(&mut machine(&five(), order, 4)), first, "{order:?}");
    }
}

#[test]
fn c225_the_lowest_number_goes_first() {
    let tasks = json!([
        {"id": "a", "instruction": "a", "priority": 5}, {"id": "b", "instruction": "b", "priority": 1},
        {"id": "c", "instruction": "c"}, {"id": "d", "instruction": "d", "priority": 5},
    ]);
    let mut machine = machine(&tasks, ExecutionOrder::DependencyGraph, 1);
    let mut order = Vec::new();
    while let Some(task) = start_all(&mut machine).pop() {
        end(&mut machine, &task, TaskEnd::Completed);
        order.push(task);
    }
    assert_eq!(order, ["b", "a", "d", "c"]);
}

#[test]
fn c208_one_file_is_held_by_one_task_at_a_time() {
    let tasks = json!([
        {"id": "a", "instruction": "a", "contextFiles": ["x", "y"]},
        {"id": "b", "instruction": "b", "contextFiles": ["y", "z"]},
        {"id": "c", "instruction": "c", "contextFiles": ["y"], "writes": ["w"]},
    ]);
    let mut leased = machine(&tasks, ExecutionOrder::DependencyGraph, 4);
    assert_eq!(start_all(&mut leased), ["a", "c"], "what is only read is not held");
    end(&mut leased, "a", TaskEnd::Completed);
    let PlanStep::Start(start) = leased.next() else { panic!("{:?}", leased.next()) };
    assert_eq!((start.task.as_str(), start.sees), ("b", vec!["a".to_owned()]));
    let mut loose = machine(&tasks, ExecutionOrder::Parallel, 4);
    assert_eq!(start_all(&mut loose), ["a", "b", "c"]);
}

#[test]
fn c210_a_task_that_fails_twice_is_for_a_person_and_the_others_keep_their_results() {
    let mut machine = machine(&five(), ExecutionOrder::DependencyGraph, 4);
    start_all(&mut machine);
    end(&mut machine, "2", TaskEnd::Failed);
    let PlanStep::Start(again) = machine.next() else { panic!("{:?}", machine.next()) };
    assert_eq!(
        (again.attempt, again.model),
        (2, WhichModel::Role(Role::Deep)),
        "by a deeper model"
    );
    start_all(&mut machine);
    end(&mut machine, "2", TaskEnd::Failed);
    end(&mut machine, "1", TaskEnd::Completed);
    end(&mut machine, "3", TaskEnd::Completed);
    let asked = PlanStep::Attention(Attention {
        code: AttentionCode::Failed,
        tasks: vec!["2".to_owned()],
        blocked: vec!["4".to_owned(), "5".to_owned()],
    });
    assert_eq!(machine.next(), asked);
    let mut left_out = machine.clone();
    let skip = vec!["2".to_owned()];
    left_out.take(PlanEvent::Decided { retry: Vec::new(), skip, budget: None }).unwrap();
    assert_eq!(left_out.next(), PlanStep::Merge(vec!["1".to_owned(), "3".to_owned()]));
    left_out.take(PlanEvent::Merged).unwrap();
    assert_eq!(left_out.next(), PlanStep::Done(PlanOutcome::CompletedPartial));
    let retry = vec!["2".to_owned()];
    machine.take(PlanEvent::Decided { retry, skip: Vec::new(), budget: None }).unwrap();
    assert_eq!(start_all(&mut machine), ["2"]);
    end(&mut machine, "2", TaskEnd::Completed);
    assert_eq!(start_all(&mut machine), ["4"]);
}

#[test]
fn c204_the_difficulty_decides_the_model() {
    let of = |task: Value| {
        let PlanStep::Start(start) =
            machine(&json!([task]), ExecutionOrder::DependencyGraph, 1).next()
        else {
            panic!("it starts");
        };
        start.model
    };
    let task = |more: Value| {
        let mut task = json!({"id": "a", "instruction": "a"});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    assert_eq!(of(task(json!({"difficulty": "simple"}))), WhichModel::Role(Role::Fast));
    assert_eq!(of(task(json!({}))), WhichModel::Role(Role::Medium));
    assert_eq!(of(task(json!({"difficulty": "complex"}))), WhichModel::Role(Role::Deep));
    assert_eq!(of(task(json!({"difficulty": "review"}))), WhichModel::Role(Role::Deep));
    assert_eq!(
        of(task(json!({"model": "fast", "difficulty": "complex"}))),
        WhichModel::Role(Role::Fast)
    );
    assert_eq!(of(task(json!({"model": "grok-4"}))), WhichModel::Name("grok-4".to_owned()));
}

#[test]
fn c208_a_conflict_is_for_a_person_and_leaving_one_side_out_ends_it() {
    let tasks = json!([{"id": "a", "instruction": "a"}, {"id": "b", "instruction": "b"}]);
    let mut machine = machine(&tasks, ExecutionOrder::Parallel, 4);
    start_all(&mut machine);
    end(&mut machine, "a", TaskEnd::Completed);
    end(&mut machine, "b", TaskEnd::Completed);
    machine.take(PlanEvent::Conflict { tasks: vec!["b".to_owned()] }).unwrap();
    let PlanStep::Attention(asked) = machine.next() else { panic!("{:?}", machine.next()) };
    assert_eq!((asked.code, asked.tasks), (AttentionCode::Conflict, vec!["b".to_owned()]));
    let decide = |retry: &[&str], skip: &[&str]| {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut decided = machine.clone();
        decided
            .take(PlanEvent::Decided { retry: own(retry), skip: own(skip), budget: None })
            .unwrap();
        decided.next()
    };
    assert_eq!(decide(&[], &["a"]), PlanStep::Merge(vec!["b".to_owned()]));
    assert_eq!(decide(&[], &["b"]), PlanStep::Merge(vec!["a".to_owned()]));
    let PlanStep::Start(again) = decide(&["b"], &[]) else { panic!("it starts again") };
    assert_eq!(again.sees, ["a"], "on top of what was in its way");
}

#[test]
fn c211_a_limit_is_never_passed_and_a_person_can_raise_it() {
    let tasks = json!([{"id": "a", "instruction": "a"}, {"id": "b", "instruction": "b"}]);
    let budget = SpendLimit { tokens: Some(100), micro_dollars: None };
    let limits = PlanLimits { budget, ..PlanLimits::default() };
    let mut machine =
        PlanMachine::new(&plan(&tasks, ExecutionOrder::DependencyGraph), limits).unwrap();
    let PlanStep::Start(first) = machine.next() else { panic!("it starts") };
    assert_eq!(first.budget.tokens, Some(50), "one half each");
    start_all(&mut machine);
    let over = |machine: &mut PlanMachine, task: &str| {
        let end = TaskEnd::OverBudget;
        machine
            .take(PlanEvent::Ended { task: task.to_owned(), end, spent: Spend::default() })
            .unwrap();
    };
    over(&mut machine, "a");
    assert_eq!(machine.next(), PlanStep::Wait, "it waits for what the other gives back");
    end(&mut machine, "b", TaskEnd::Completed);
    let PlanStep::Start(again) = machine.next() else { panic!("{:?}", machine.next()) };
    assert_eq!((again.attempt, again.budget.tokens), (1, Some(90)));
    start_all(&mut machine);
    over(&mut machine, "a");
    let PlanStep::Attention(asked) = machine.next() else { panic!("{:?}", machine.next()) };
    assert_eq!(asked.code, AttentionCode::Budget);
    let budget = Some(SpendLimit { tokens: Some(1_000), micro_dollars: None });
    machine.take(PlanEvent::Decided { retry: Vec::new(), skip: Vec::new(), budget }).unwrap();
    assert_eq!(start_all(&mut machine), ["a"]);
}

#[test]
fn what_cannot_have_happened_changes_nothing() {
    let mut machine = machine(&five(), ExecutionOrder::DependencyGraph, 4);
    let before = machine.clone();
    for event in [
        PlanEvent::Started { task: "5".to_owned() },
        PlanEvent::Started { task: "none".to_owned() },
        PlanEvent::Ended { task: "1".to_owned(), end: TaskEnd::Completed, spent: Spend::default() },
        PlanEvent::Decided { retry: vec!["none".to_owned()], skip: Vec::new(), budget: None },
    ] {
        assert!(machine.take(event).is_err());
        assert_eq!(machine, before);
    }
}
