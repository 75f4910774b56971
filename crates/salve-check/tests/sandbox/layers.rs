//! This kind of machine has every layer, so none may be missing.

use crate::cage;
use crate::world::World;
use salve_check::{Keep, Launcher, LauncherReport, Layer, Plan, Runner, RunnerOptions};
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[test]
fn every_layer_is_reported_available() {
    let workspace = tempfile::tempdir().unwrap();
    let runner = Runner::new(RunnerOptions {
        launcher: Launcher {
            program: PathBuf::from(env!("CARGO_BIN_EXE_salve-launcher")),
            arguments: Vec::new(),
        },
        workspace: workspace.path().to_owned(),
        inherited: BTreeMap::new(),
        temporary: std::env::temp_dir(),
        clock: || Timestamp(0),
        keep: Keep::Nothing,
        without: Vec::new(),
        caches: None,
    })
    .unwrap();
    let reports = runner.layers().unwrap();
    assert_eq!(reports.len(), Layer::ALL.len());
    for report in &reports {
        println!("{}: {} {}", report.layer, report.available, report.detail);
    }
    let missing: Vec<_> = reports.iter().filter(|report| !report.available).collect();
    assert!(missing.is_empty(), "THIS MACHINE LACKS LAYERS: {missing:?}");
}

#[test]
fn each_layer_can_be_left_out_or_says_what_needs_it() {
    for user in cage::users() {
        let world = World::new(user);
        let workspace = world.path("ws");
        for left_out in Layer::ALL {
            let mut launch = world.launch(&workspace, Plan::of_argv(["true"]));
            launch.layers.retain(|layer| layer != left_out);
            let outcome = cage::run(&launch, user);
            match &outcome.report {
                Some(LauncherReport::Executed { .. }) => {}
                Some(LauncherReport::LayerFailed { why, .. }) => {
                    assert!(why.contains(left_out.name()), "{left_out}: {why}");
                }
                other => panic!("without {left_out}: {other:?} {}", outcome.output),
            }
        }
    }
}
