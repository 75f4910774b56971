//! What ordinary work expects of a run, by namespaces and by rules.

use crate::workplace::Workplace;
use rustix::process::{Resource, getrlimit};
use salve_check::Layer;

fn both_ways() -> [Workplace; 2] {
    [Workplace::new(), Workplace::without(Layer::OF_NAMESPACES)]
}

#[test]
fn a_commit_in_a_temporary_repository_has_an_author() {
    let script = "cd \"$TMPDIR\" && git init -q made && cd made && \
                  git commit -q --allow-empty -m one && git log --format='%an <%ae>' && \
                  git config user.name Other && git commit -q --allow-empty -m two && \
                  git log -1 --format='then %an'";
    for place in both_ways() {
        let run = place.argv(&["bash", "-c", script]).unwrap();
        let shown = run.for_model();
        assert!(run.succeeded(), "{shown}");
        assert!(shown.contains("Salve Run <run@salve.invalid>\nthen Other\n"), "{shown}");
    }
}

#[test]
fn open_files_can_be_raised_as_far_as_outside() {
    let highest =
        getrlimit(Resource::Nofile).maximum.map_or("unlimited".to_owned(), |most| most.to_string());
    for place in both_ways() {
        let run =
            place.argv(&["bash", "-c", "ulimit -Hn && ulimit -Sn \"$(ulimit -Hn)\""]).unwrap();
        let shown = run.for_model();
        assert!(run.succeeded(), "{shown}");
        assert!(shown.contains(&format!("\n{highest}\n")), "{highest}: {shown}");
    }
}
