//! Lists that are sent again: reordered, shortened, reworded, doubled.

use super::*;
use proptest::prelude::*;

fn item(id: &str, text: &str, done_by: Option<&str>) -> TodoItem {
    TodoItem {
        id: id.to_owned(),
        text: text.to_owned(),
        completed: done_by.is_some(),
        completed_by: done_by.map(str::to_owned),
        claimed: false,
        origin_turn: 0,
    }
}

fn claim(text: &str, completed: bool) -> ClaimedTodo {
    ClaimedTodo { text: text.to_owned(), completed }
}

fn shown(list: &[TodoItem]) -> String {
    let one = |item: &TodoItem| {
        let mark = if item.completed { "x" } else { " " };
        let claim = if item.claimed { "?" } else { "" };
        format!("{}[{mark}]{claim} {}", item.id, item.text)
    };
    list.iter().map(one).collect::<Vec<_>>().join(" | ")
}

fn merged(old: &[TodoItem], claimed: &[ClaimedTodo]) -> Vec<TodoItem> {
    let mut next = 0;
    merge_todos(old, claimed, 7, || {
        next += 1;
        format!("n{next}")
    })
}

#[test]
fn c041_x18_a_list_that_is_sent_again() {
    let old = [
        item("a", "Create config.sample.json", Some("cs-1")),
        item("b", "Update Mac deployment docs", None),
        item("c", "Add tests", None),
    ];
    for (what, claims, expected) in [
        (
            "reordered, with other claims",
            vec![
                claim("Add tests", true),
                claim("update mac deployment docs.", false),
                claim("Create `config.sample.json`", false),
            ],
            "c[ ]? Add tests | b[ ] update mac deployment docs. | a[x] Create `config.sample.json`",
        ),
        (
            "nothing sent",
            vec![],
            "a[x] Create config.sample.json | b[ ] Update Mac deployment docs | c[ ] Add tests",
        ),
        (
            "only the next ones, and a new one",
            vec![claim("Update Mac deployment docs", true), claim("Ship it", true)],
            "a[x] Create config.sample.json | b[ ]? Update Mac deployment docs | c[ ] Add tests | n1[ ]? Ship it",
        ),
        (
            "numbered, and one reworded",
            vec![claim("1. Create config.sample.json", true), claim("2) Add unit tests", false)],
            "a[x]? 1. Create config.sample.json | b[ ] Update Mac deployment docs | c[ ] 2) Add unit tests",
        ),
        (
            "another task of nearly the same words is another task",
            vec![claim("Update Windows deployment docs", true)],
            "a[x] Create config.sample.json | b[ ] Update Mac deployment docs | c[ ] Add tests | n1[ ]? Update Windows deployment docs",
        ),
        (
            "what is done is not meant by more words",
            vec![claim("Create config.sample.json for Docker", true)],
            "a[x] Create config.sample.json | b[ ] Update Mac deployment docs | c[ ] Add tests | n1[ ]? Create config.sample.json for Docker",
        ),
        (
            "empty ones are none",
            vec![claim(" ", true), claim("-", false)],
            "a[x] Create config.sample.json | b[ ] Update Mac deployment docs | c[ ] Add tests",
        ),
    ] {
        let list = merged(&old, &claims);
        let mut expected: Vec<&str> = expected.split(" | ").collect();
        let list = shown(&list);
        let mut got: Vec<&str> = list.split(" | ").collect();
        if !what.starts_with("reordered") {
            // The order of new ones against those that were left out is not promised.
            expected.sort_unstable();
            got.sort_unstable();
        }
        assert_eq!(got, expected, "{what}");
    }
}

#[test]
fn c041_of_two_tasks_with_the_same_words_the_open_one_is_meant() {
    let old = [
        item("a", "Run tests", Some("cs-1")),
        item("b", "Fix", None),
        item("c", "Run tests", None),
    ];
    let answer = [claim("Run tests", false)];
    let list = merged(&old, &answer);
    assert_eq!(shown(&list), "c[ ] Run tests | a[x] Run tests | b[ ] Fix");
    assert_eq!(linked(&answer, &list, 0).as_deref(), Ok("c"));
}

#[test]
fn c041_one_word_is_too_little_to_know_a_task_by() {
    let list = merged(&[item("a", "Tests", None)], &[claim("Tests for the parser", true)]);
    assert_eq!(list.len(), 2, "{}", shown(&list));
}

#[test]
fn c034_c035_c040_a_change_is_for_the_task_it_names() {
    let old = [item("a", "One", Some("cs-1")), item("b", "Two", None), item("c", "Three", None)];
    let answer = [claim("Three", false), claim("Two", false), claim("Two", false)];
    let list = merged(&old, &answer);
    assert_eq!(linked(&answer, &list, 0).as_deref(), Ok("c"));
    assert_eq!(linked(&answer, &list, 1).as_deref(), Ok("b"));
    assert_eq!(linked(&answer, &list, 2).as_deref(), Ok("n1"));
    assert_eq!(linked(&answer, &list, 9), Err(OutOfRange { index: 9, count: 3 }));
    assert_eq!(linked(&[], &old, 2).as_deref(), Ok("c"), "without a list, the session's counts");
    let error = linked(&[], &old, u64::MAX).expect_err("there are three");
    assert_eq!(
        error.to_string(),
        "todoIndex 18446744073709551615 is out of range: there are 3 todo(s)"
    );
}

#[test]
fn c043_only_a_change_ticks_and_its_rewind_unticks() {
    let mut list = merged(&[], &[claim("One", true), claim("Two", true), claim("Three", true)]);
    assert_eq!(TodoProgress::of(&list).to_string(), "0/3", "claims are claims");
    assert_eq!(tick(&mut list, &["n3".to_owned()], "cs-1"), [2]);
    assert_eq!(tick(&mut list, &["n3".to_owned(), "n1".to_owned()], "cs-2"), [0]);
    assert_eq!(TodoProgress::of(&list).to_string(), "2/3");
    assert_eq!(untick(&mut list, "cs-1"), [2]);
    assert_eq!(untick(&mut list, "cs-1"), Vec::<usize>::new());
    assert_eq!(TodoProgress::of(&list).to_string(), "1/3");
}

fn texts() -> impl Strategy<Value = Vec<(u8, bool)>> {
    prop::collection::vec((0_u8..8, any::<bool>()), 0..9)
}

fn words(number: u8) -> String {
    let texts =
        ["Add tests", "Add unit tests", "Fix a", "fix A.", "Docs", "`Docs`", "", "Ship the docs"];
    texts[usize::from(number) % texts.len()].to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn c041_nothing_is_lost_and_nothing_becomes_done(old in texts(), new in texts()) {
        let old: Vec<TodoItem> = old
            .into_iter()
            .filter(|(number, _)| !words(*number).is_empty())
            .enumerate()
            .map(|(at, (number, done))| item(&format!("o{at}"), &words(number), done.then_some("cs-1")))
            .collect();
        let new: Vec<ClaimedTodo> =
            new.into_iter().map(|(number, done)| claim(&words(number), done)).collect();
        let list = merged(&old, &new);
        let ids: BTreeSet<&str> = list.iter().map(|item| item.id.as_str()).collect();
        prop_assert_eq!(ids.len(), list.len(), "names are unique");
        for before in &old {
            let after = list.iter().find(|item| item.id == before.id);
            prop_assert!(after.is_some_and(|after| after.completed == before.completed
                && after.completed_by == before.completed_by
                && after.origin_turn == before.origin_turn));
        }
        for item in list.iter().filter(|item| item.id.starts_with('n')) {
            prop_assert!(!item.completed);
        }
        // Sent again, it is the same list; and every change finds a task of its words.
        let again = merged(&list, &new);
        prop_assert_eq!(&again, &list);
        let mut seen = BTreeSet::new();
        for (at, todo) in new.iter().enumerate().filter(|(_, todo)| !todo.text.is_empty()) {
            let id = linked(&new, &list, at as u64).expect("it is in the list");
            let named = list.iter().find(|item| item.id == id).expect("it is");
            prop_assert_eq!(key_of(&named.text), key_of(&todo.text));
            prop_assert!(seen.insert(id), "each has its own");
        }
    }

    #[test]
    fn c041_reordering_keeps_the_done_marks(
        done in prop::collection::vec(any::<bool>(), 1..10),
        order in any::<prop::sample::Index>(),
    ) {
        let old: Vec<TodoItem> = done
            .iter()
            .enumerate()
            .map(|(at, done)| item(&format!("o{at}"), &format!("task number {at}"), done.then_some("c")))
            .collect();
        let mut claims: Vec<ClaimedTodo> = old.iter().map(|item| claim(&item.text, false)).collect();
        let middle = order.index(claims.len());
        claims.rotate_left(middle);
        let list = merged(&old, &claims);
        prop_assert_eq!(list.len(), old.len());
        for (at, item) in list.iter().enumerate() {
            prop_assert_eq!(item.completed, old[(at + middle) % old.len()].completed);
        }
    }
}
