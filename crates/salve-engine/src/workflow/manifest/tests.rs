//! Manifests that load, and many that do not: each is refused with the place.
//!
//! A broken one is the good one with one text replaced by another, so that exactly one thing is wrong.

use super::problem::ProblemCode::{self, *};
use super::*;

/// The sample of the documents, comment included, without braces around it.
const SAMPLE: &str = r#""Block:Feature_Implement__GenerateCode": {
    "worker": "Worker:CodeGenerator",
    "validationSchema": "CodeAndExplanation",
    "transitions": [
        { "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Core_IO__WriteArtifacts" },
        /* NEW "REWORK" TRANSITION */
        { "on_signal": "SIGNAL:VALIDATION_FAIL", "action": "JUMP:Feature_Implement__GenerateCode" },
        { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "JUMP:Core_Halt__UnhandledError" }
    ]
}
"#;

const GOOD: &str = r#"{
    // A comment with "quotes" and a /* start.
    "description": "x", "start": "Make",
    "limits": { "reworks": 2, "runsPerBlock": 5, "runs": 20, "tokens": 9000, "dollars": 0.5 },
    "schemas": { "Person": { "type": "object", "required": ["name"] } },
    "nodes": { "Feature": { "blocks": { "Block:Make": {
        "worker": "Worker:CodeGenerator",
        "validationSchema": "Person",
        "payload_merge_strategy": ["CODE_OUTPUT", "latest"],
        "options": { "instructions": "be brief", "role": "fast" },
        "transitions": [
            { "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Block:Test" },
            { "on_signal": "SIGNAL:VALIDATION_FAIL", "action": "JUMP:Make" }
        ]
    } } } },
    "Block:Test": {
        "worker": "Internal:Command",
        "options": { "command": "make test" },
        "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Core_IO__WriteArtifacts" }]
    }
}"#;

#[test]
fn o19_o20_o23_the_sample_of_the_documents_loads_with_its_comment() {
    for text in [SAMPLE.to_owned(), format!("{{{SAMPLE}}}"), format!("\u{feff}{SAMPLE},")] {
        let manifest = load(&text).unwrap();
        assert_eq!(manifest.start, "Feature_Implement__GenerateCode");
        let names: Vec<&str> = manifest.blocks.iter().map(|block| block.name.as_str()).collect();
        assert_eq!(names, ["Feature_Implement__GenerateCode", WRITE, HALT, END]);
        let first = manifest.block("Block:Feature_Implement__GenerateCode").unwrap();
        assert_eq!(first.target(Signal::Success), Some(WRITE));
        assert_eq!(first.target(Signal::ValidationFail), Some("Feature_Implement__GenerateCode"));
        assert_eq!(first.merge, MergeRule::default());
        assert_eq!(manifest.block(WRITE).unwrap().worker, Worker::FileSystemWriter);
    }
}

#[test]
fn o15_the_shipped_manifest_is_the_cycle_of_the_documents() {
    let shipped = load(DEFAULT_MANIFEST).unwrap();
    let sample = load(SAMPLE).unwrap();
    assert_eq!(shipped.start, sample.start);
    let first = |manifest: &FlowManifest| manifest.block(&sample.start).unwrap().clone();
    assert_eq!(first(&shipped), first(&sample));
    assert!(shipped.notes().is_empty(), "{:?}", shipped.notes());
}

#[test]
fn o16_o34_blocks_in_nodes_schemas_limits_and_options_load() {
    let manifest = load(GOOD).unwrap();
    let make = manifest.block("Make").unwrap();
    assert_eq!(make.node.as_deref(), Some("Feature"));
    assert_eq!(make.target(Signal::Success), Some("Test"), "both spellings");
    assert_eq!(
        make.merge,
        MergeRule { kinds: vec![salve_types::SegmentKind::CodeOutput], latest: true }
    );
    assert_eq!((manifest.limits.reworks, manifest.limits.runs), (2, 20));
    assert_eq!(manifest.limits.budget.micro_dollars, Some(500_000));
    assert_eq!(manifest.block("Test").unwrap().options.command.as_deref(), Some("make test"));
    let again: FlowManifest =
        serde_json::from_str(&serde_json::to_string(&manifest).unwrap()).unwrap();
    assert_eq!(again, manifest);
    assert_eq!(manifest.notes().len(), 2);
}

#[rustfmt::skip]
const BROKEN: &[(&str, &str, ProblemCode, &str)] = &[
    // Not JSON.
    ("\"start\": \"Make\",", "\"start\": \"Make\"", NotJson, "$"),
    ("\"start\": \"Make\",", "\"start\" \"Make\",", NotJson, "$"),
    ("\"start\": \"Make\",", "start: \"Make\",", NotJson, "$"),
    ("\"start\": \"Make\",", "'start': 'Make',", NotJson, "$"),
    ("\"JUMP:Make\" }\n", "\"JUMP:Make\" },\n", NotJson, "$"),
    ("// A comment", "# A comment", NotJson, "$"),
    ("// A comment with \"quotes\" and a /* start.", "/* never closed", NotJson, "$"),
    ("\"tokens\": 9000", "\"tokens\": 9_000", NotJson, "$"),
    ("\"tokens\": 9000", "\"tokens\": NaN", NotJson, "$"),
    ("[{ \"on_signal\"", "[{{ \"on_signal\"", NotJson, "$"),
    // The top.
    ("\"start\": \"Make\"", "\"start\": \"Nobody\"", UnknownBlock, "start"),
    ("\"start\": \"Make\"", "\"start\": \"Core_Halt__Success\"", UnknownBlock, "start"),
    ("\"start\": \"Make\"", "\"start\": 7", WrongType, "start"),
    ("\"description\": \"x\"", "\"description\": [\"x\"]", WrongType, "description"),
    ("\"description\": \"x\"", "\"descripton\": \"x\"", UnknownKey, "descripton"),
    ("\"Block:Test\": {", "\"Test\": {", UnknownKey, "Test"),
    ("\"description\": \"x\"", "\"start\": \"x\"", DuplicateKey, "start"),
    ("\"nodes\": {", "\"nodes\": { \"A b\": { \"blocks\": {} },", BadName, "nodes.A b"),
    ("\"Feature\": {", "\"Feature\": { \"worker\": \"x\",", UnknownKey, "nodes.Feature.worker"),
    ("\"Feature\": { \"blocks\": {", "\"Feature\": { \"blocks\": { \"X\": [],", WrongType, "Block:X"),
    // Limits.
    ("\"reworks\": 2", "\"reworks\": -1", BadLimit, "limits.reworks"),
    ("\"reworks\": 2", "\"reworks\": 1.5", BadLimit, "limits.reworks"),
    ("\"reworks\": 2", "\"reworks\": \"2\"", BadLimit, "limits.reworks"),
    ("\"runsPerBlock\": 5", "\"runsPerBlock\": 0", BadLimit, "limits.runsPerBlock"),
    ("\"runs\": 20", "\"runs\": 99999999", BadLimit, "limits.runs"),
    ("\"tokens\": 9000", "\"tokens\": 0", BadLimit, "limits.tokens"),
    ("\"dollars\": 0.5", "\"dollars\": 0", BadLimit, "limits.dollars"),
    ("\"dollars\": 0.5", "\"dollars\": \"0.5\"", BadLimit, "limits.dollars"),
    ("\"runs\": 20", "\"run\": 20", UnknownKey, "limits.run"),
    ("\"limits\": { \"reworks\": 2, \"runsPerBlock\": 5, \"runs\": 20, \"tokens\": 9000, \"dollars\": 0.5 }", "\"limits\": 5", WrongType, "limits"),
    // Schemas.
    ("\"type\": \"object\"", "\"type\": \"objekt\"", BadSchema, "schemas.Person"),
    ("\"required\": [\"name\"]", "\"required\": \"name\"", BadSchema, "schemas.Person"),
    ("\"required\": [\"name\"]", "\"$ref\": \"#/nowhere\"", BadSchema, "schemas.Person"),
    ("\"schemas\": {", "\"schemas\": { \"CodeOnly\": {},", BadName, "schemas.CodeOnly"),
    ("\"schemas\": {", "\"schemas\": { \"a/b\": {},", BadName, "schemas.a/b"),
    ("\"validationSchema\": \"Person\"", "\"validationSchema\": \"Persn\"", UnknownSchema, "Block:Make.validationSchema"),
    ("\"validationSchema\": \"Person\"", "\"validationSchema\": \"codeonly\"", UnknownSchema, "Block:Make.validationSchema"),
    ("\"validationSchema\": \"Person\"", "\"validationSchema\": {}", WrongType, "Block:Make.validationSchema"),
    ("\"worker\": \"Internal:Command\",", "\"worker\": \"Internal:Command\", \"validationSchema\": \"CodeOnly\",", BadOption, "Block:Test.validationSchema"),
    // Workers.
    ("Worker:CodeGenerator", "Worker:CodeGenrator", UnknownWorker, "Block:Make.worker"),
    ("Worker:CodeGenerator", "CodeGenerator", UnknownWorker, "Block:Make.worker"),
    ("Worker:CodeGenerator", "worker:CodeGenerator", UnknownWorker, "Block:Make.worker"),
    ("Worker:CodeGenerator", "Worker:", UnknownWorker, "Block:Make.worker"),
    ("Worker:CodeGenerator", "Internal:Halt", UnknownWorker, "Block:Make.worker"),
    ("\"worker\": \"Worker:CodeGenerator\"", "\"worker\": null", WrongType, "Block:Make.worker"),
    ("\"worker\": \"Worker:CodeGenerator\",", "", MissingKey, "Block:Make.worker"),
    ("\"worker\": \"Worker:CodeGenerator\",", "\"wroker\": \"Worker:CodeGenerator\", \"worker\": \"Worker:CodeGenerator\",", UnknownKey, "Block:Make.wroker"),
    // Options.
    ("\"role\": \"fast\"", "\"role\": \"quick\"", BadOption, "Block:Make.options.role"),
    ("\"role\": \"fast\"", "\"role\": \"image\"", BadOption, "Block:Make.options.role"),
    ("\"role\": \"fast\"", "\"command\": \"rm -rf /\"", UnknownKey, "Block:Make.options.command"),
    ("\"instructions\": \"be brief\"", "\"instructions\": \"  \"", BadOption, "Block:Make.options.instructions"),
    ("\"options\": { \"command\": \"make test\" },", "", MissingKey, "Block:Test.options.command"),
    ("\"command\": \"make test\"", "\"command\": [\"make\", \"test\"]", WrongType, "Block:Test.options.command"),
    // Merge strategies.
    ("[\"CODE_OUTPUT\", \"latest\"]", "\"latest\"", WrongType, "Block:Make.payload_merge_strategy"),
    ("[\"CODE_OUTPUT\", \"latest\"]", "[\"newest\"]", UnknownStrategy, "Block:Make.payload_merge_strategy[0]"),
    ("[\"CODE_OUTPUT\", \"latest\"]", "[\"CODE_OUTPUT\", \"all\"]", UnknownStrategy, "Block:Make.payload_merge_strategy[1]"),
    ("[\"CODE_OUTPUT\", \"latest\"]", "[\"REQUEST\", \"REQUEST\"]", UnknownStrategy, "Block:Make.payload_merge_strategy[1]"),
    ("[\"CODE_OUTPUT\", \"latest\"]", "[1]", WrongType, "Block:Make.payload_merge_strategy[0]"),
    // Transitions.
    ("\"on_signal\": \"SIGNAL:VALIDATION_FAIL\"", "\"on_signal\": \"SIGNAL:VALIDATION\"", UnknownSignal, "Block:Make.transitions[1].on_signal"),
    ("\"on_signal\": \"SIGNAL:VALIDATION_FAIL\"", "\"on_signal\": \"VALIDATION_FAIL\"", UnknownSignal, "Block:Make.transitions[1].on_signal"),
    ("\"on_signal\": \"SIGNAL:VALIDATION_FAIL\"", "\"on_signal\": \"SIGNAL:SUCCESS\"", DuplicateSignal, "Block:Make.transitions[1].on_signal"),
    ("\"on_signal\": \"SIGNAL:VALIDATION_FAIL\", ", "", MissingKey, "Block:Make.transitions[1].on_signal"),
    ("\"on_signal\": \"SIGNAL:VALIDATION_FAIL\"", "\"on\": 1, \"on_signal\": \"SIGNAL:VALIDATION_FAIL\"", UnknownKey, "Block:Make.transitions[1].on"),
    (", \"action\": \"JUMP:Make\"", "", MissingKey, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"Make\"", BadAction, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"JUMP:\"", BadAction, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"jump:Make\"", BadAction, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"GOTO:Make\"", BadAction, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"JUMP:Mkae\"", UnknownBlock, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "\"JUMP:JUMP:Make\"", UnknownBlock, "Block:Make.transitions[1].action"),
    ("\"JUMP:Make\"", "[\"JUMP:Make\"]", WrongType, "Block:Make.transitions[1].action"),
    ("{ \"on_signal\": \"SIGNAL:VALIDATION_FAIL\", \"action\": \"JUMP:Make\" }", "\"JUMP:Make\"", WrongType, "Block:Make.transitions[1]"),
    ("[{ \"on_signal\": \"SIGNAL:SUCCESS\", \"action\": \"JUMP:Core_IO__WriteArtifacts\" }]", "[]", MissingTransition, "Block:Test.transitions"),
    ("[{ \"on_signal\": \"SIGNAL:SUCCESS\", \"action\": \"JUMP:Core_IO__WriteArtifacts\" }]", "{}", WrongType, "Block:Test.transitions"),
    (",\n        \"transitions\": [{ \"on_signal\": \"SIGNAL:SUCCESS\", \"action\": \"JUMP:Core_IO__WriteArtifacts\" }]", "", MissingKey, "Block:Test.transitions"),
    ("[{ \"on_signal\": \"SIGNAL:SUCCESS\"", "[{ \"on_signal\": \"SIGNAL:CHECK_FAIL\"", MissingTransition, "Block:Test.transitions"),
    // Ways.
    ("\"JUMP:Block:Test\"", "\"JUMP:Core_IO__WriteArtifacts\"", UnreachableBlock, "Block:Test"),
    ("\"JUMP:Core_IO__WriteArtifacts\"", "\"JUMP:Make\"", NeverEnds, "Block:Make"),
    ("\"JUMP:Core_IO__WriteArtifacts\"", "\"JUMP:Core_Halt__UnhandledError\"", NeverEnds, "Block:Make"),
    ("\"Block:Test\": {", "\"Block:\": {", BadName, "Block:"),
    ("\"Block:Test\": {", "\"Block:a b\": {", BadName, "Block:a b"),
    ("\"Block:Test\": {", "\"Block:Make\": {", DuplicateBlock, "Block:Make"),
    ("\"Block:Test\": {", "\"Block:Core_Halt__Success\": {", BadName, "Block:Core_Halt__Success"),
];

#[test]
fn o05_o17_each_broken_manifest_is_refused_with_the_place() {
    assert!(BROKEN.len() >= 60, "{}", BROKEN.len());
    for (good, bad, code, place) in BROKEN {
        assert_eq!(GOOD.matches(good).count(), 1, "{good:?} must be there once");
        let text = GOOD.replace(good, bad);
        let broken = load(&text).expect_err(bad);
        let found = broken.problems.iter().find(|one| one.code == *code && one.place == *place);
        let found = found.unwrap_or_else(|| panic!("{bad:?}: {broken}"));
        // The place is at what was written, or at the block that lacks something.
        let lines: Vec<&str> = text.lines().collect();
        let line = lines.get(found.line as usize - 1).unwrap_or_else(|| panic!("{bad:?}: {found}"));
        assert!(found.column as usize <= line.chars().count() + 1, "{bad:?}: {found}");
        assert!(!found.message.is_empty());
    }
}

#[test]
fn places_are_lines_and_columns_of_the_text() {
    let shown = |text: &str| load(text).expect_err(text).to_string();
    insta::assert_snapshot!(shown(&GOOD.replace("Worker:CodeGenerator", "Worker:CodeGenrator")), @"7:19: at `Block:Make.worker`: no worker is called `Worker:CodeGenrator`; did you mean `Worker:CodeGenerator`?; known are Worker:CodeGenerator, Internal:FileSystemWriter, Internal:DocumentationWriter, Internal:PreambleValidator, Internal:Check, Worker:Heal, Internal:Command, Worker:SubPlan");
    insta::assert_snapshot!(shown(&SAMPLE.replace("JUMP:Core_IO__WriteArtifacts", "JUMP:Core_IO__WriteArtefacts")), @"5:52: at `Block:Feature_Implement__GenerateCode.transitions[0].action`: no block is called `Core_IO__WriteArtefacts`; did you mean `Core_IO__WriteArtifacts`?");
    insta::assert_snapshot!(shown(&SAMPLE.replace("CodeAndExplanation", "CodeAndExplanatin")), @"3:25: at `Block:Feature_Implement__GenerateCode.validationSchema`: no schema is called `CodeAndExplanatin`; known are CodeAndExplanation, CodeOnly, Preamble, ChatResponse");
    insta::assert_snapshot!(shown("{}"), @r#"1:1: at `$`: there is no block; write `"Block:NAME": { "worker": …, "transitions": […] }`"#);
    insta::assert_snapshot!(shown(""), @"1:1: at `$`: this is not JSON (comments are allowed): EOF while parsing a value");
    insta::assert_snapshot!(shown("[]"), @"1:1: at `$`: this must be an object, and is a list");
}

#[test]
fn every_problem_is_told_at_once() {
    let text = GOOD.replace("Worker:CodeGenerator", "x").replace("\"JUMP:Make\"", "\"y\"");
    let codes: Vec<ProblemCode> =
        load(&text).expect_err("two").problems.iter().map(|one| one.code).collect();
    assert_eq!(codes, [UnknownWorker, BadAction]);
}
