//! `salve cache`: what a run with the network fetches is kept, listed and thrown away.
//!
//! In: runs that write to a cache of npm. Out: who sees it, and what is listed. Never uses a network.

use crate::run::{Ended, folder, salve_in, write};
use std::path::PathBuf;

/// A workspace and a home of its own beside it.
struct Place {
    workspace: PathBuf,
    home: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        Self { workspace: folder(name), home: folder(&format!("{name}-home")) }
    }

    fn salve(&self, arguments: &[&str], input: &str) -> Ended {
        let home = self.home.to_str().expect("it works here");
        let variables = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", home)];
        salve_in(arguments, input, &self.workspace, &variables)
    }

    fn sh(&self, flags: &[&str], script: &str) -> Ended {
        self.salve(&[&["run", "--yes"], flags, &["--", "sh", "-c", script]].concat(), "")
    }
}

const READ: &str = "cat \"$npm_config_cache/x\"";

#[test]
fn what_was_fetched_is_seen_by_later_runs_and_checks_until_it_is_thrown_away() {
    let place = Place::new("cache-0");
    let listed = place.salve(&["cache"], "");
    assert_eq!((listed.code, listed.out.as_str()), (Some(0), "keeps nothing\n"), "{listed:?}");
    let fetched = place.sh(&["--network"], "echo fetched > \"$npm_config_cache/x\"");
    assert_eq!(fetched.code, Some(0), "{fetched:?}");
    // What a run without the network writes there is thrown away.
    let poison = format!("{READ}; echo poison > \"$npm_config_cache/x\"");
    for _ in 0..2 {
        let read = place.sh(&[], &poison);
        assert_eq!((read.code, read.out.as_str()), (Some(0), "fetched\n"), "{read:?}");
    }
    let toolchain = format!(
        "[[toolchain]]\ntarget_id = 'cached'\ndisplay_name = 'cached'\nbinary_name = 'sh'\n\
         version_args = []\ncompile_command = 'sh'\ncompile_args = ['-c', '{READ}']\n\
         install_hint = 'sh'\nmarkers = ['a.txt']\n"
    );
    write(&place.workspace.join("salve/config.toml"), &toolchain);
    write(&place.workspace.join("a.txt"), "one\n");
    let checked = place.salve(&["check"], "");
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let edit = "a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    let applied = place.salve(&["apply", "--check", "--yes"], edit);
    assert_eq!(applied.code, Some(0), "a copy has the caches of its workspace: {applied:?}");
    assert!(applied.err.contains("[1/1] cached"), "it says how far it is: {applied:?}");
    let listed = place.salve(&["cache", "list", "--format", "json"], "").json();
    assert_eq!(listed[0]["workspace"], place.workspace.to_str().unwrap(), "{listed}");
    assert!(listed[0]["bytes"].as_u64().is_some_and(|bytes| bytes >= 8), "{listed}");
    let other = folder("cache-0-other");
    let other = other.to_str().unwrap();
    let cleared = place.salve(&["cache", "clear", "--root", other], "");
    assert_eq!(cleared.out, "threw away nothing\n", "{cleared:?}");
    let cleared = place.salve(&["cache", "clear"], "");
    assert!(
        cleared.out.starts_with("threw away") && cleared.out.contains("cache-0"),
        "{cleared:?}"
    );
    assert_eq!(place.salve(&["cache", "list"], "").out, "keeps nothing\n");
    assert_ne!(place.salve(&["check"], "").code, Some(0));
}
