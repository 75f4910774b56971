//! Which toolchains apply to which folders.

use crate::archive::Archive;
use salve_check::Registry;

#[test]
fn toolchains_are_told_by_the_files_of_a_folder() {
    for (files, expected) in [
        (
            "-- both/Cargo.toml --\n-- both/crates/a/Cargo.toml --\n-- both/src/main.rs --\n",
            "cargo-check cargo-clippy cargo-test",
        ),
        ("-- both/a.rs --\n", "rustc"),
        ("-- both/tsconfig.json --\n-- both/a.ts --\n", "tsc"),
        ("-- both/a.ts --\n", "tsc-files"),
        ("-- both/package.json --\n{}\n-- both/a.js --\n", "node"),
        ("-- both/eslint.config.mjs --\n", "node eslint"),
        ("-- both/.eslintrc.json --\n-- both/a.js --\n", "node eslint"),
        ("-- both/package.json --\n{\"eslintConfig\": {}}\n", "eslint"),
        ("-- both/a.py --\n", "python"),
        ("-- both/a.py --\n-- both/pyproject.toml --\n[project]\n", "python"),
        (
            "-- both/a.py --\n-- both/pyproject.toml --\n[tool.ruff.lint]\n[tool.mypy]\n",
            "python mypy ruff",
        ),
        (
            "-- both/a.py --\n-- both/ruff.toml --\n-- both/pyrightconfig.json --\n",
            "python pyright ruff",
        ),
        ("-- both/mypy.ini --\n-- both/a.py --\n", "python mypy"),
        ("-- both/tests/test_a.py --\ndef test_a():\n    pass\n", "python pytest"),
        ("-- both/test_a.py --\nimport unittest\n", "python unittest"),
        ("-- both/test_a.py --\nimport unittest\n-- both/conftest.py --\n", "python pytest"),
        ("-- both/go.mod --\n-- both/a.go --\n", "go-build go-vet go-test"),
        (
            "-- both/go.mod --\n-- both/sub/go.mod --\n",
            "go-build go-build@sub go-vet go-vet@sub go-test go-test@sub",
        ),
        ("-- both/a.c --\n-- both/a.h --\n", "gcc"),
        ("-- both/a.c --\n-- both/CMakeLists.txt --\n", ""),
        ("-- both/A.java --\n", "javac"),
        ("-- both/A.java --\n-- both/pom.xml --\n", "maven-test"),
        ("-- both/build.gradle.kts --\n", "gradle-test"),
        ("-- both/CMakeLists.txt --\nenable_testing()\n-- both/sub/CMakeLists.txt --\n", "ctest"),
        ("-- both/package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n", "npm-test"),
        (
            "-- both/package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n-- both/pnpm-lock.yaml --\n",
            "pnpm-test",
        ),
        (
            "-- both/x/package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n-- both/yarn.lock --\n",
            "yarn-test@x",
        ),
        (
            "-- both/package.json --\n{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}\n",
            "",
        ),
        ("-- both/Makefile --\nall:\ntest:\ncheck:\n", "make-test"),
        ("-- both/Makefile --\nall:\ncheck:\n", "make-check"),
        ("-- both/Makefile --\nall:\ntest := 1\n", ""),
        (
            "-- both/Makefile --\ntest:\n-- both/Cargo.toml --\n",
            "cargo-check cargo-clippy cargo-test",
        ),
        ("-- both/a.sh --\n", "bash"),
        ("-- both/a.json --\n-- both/a.schema.json --\n", "json-schema"),
        ("-- both/a.json --\n{\"$schema\": \"./b.json\"}\n", "json-schema"),
        ("-- both/package.json --\n{}\n", ""),
        (
            "-- both/node_modules/x/tsconfig.json --\n-- both/target/Cargo.toml --\n-- both/venv/a.py --\n",
            "",
        ),
        ("-- both/.gitignore --\ngenerated/\n-- both/generated/a.py --\n", ""),
        (
            "-- both/web/tsconfig.json --\n-- both/api/ruff.toml --\n-- both/api/a.py --\n",
            "python tsc@web ruff@api",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        Archive::read(files).write("both", place.path());
        let found = Registry::built_in().detect(place.path()).unwrap();
        let names: Vec<String> = found
            .iter()
            .map(|one| match one.folder.as_str() {
                "" => one.target_id.clone(),
                folder => format!("{}@{folder}", one.target_id),
            })
            .collect();
        assert_eq!(names.join(" "), expected, "{files}");
        assert!(found.iter().all(|one| !one.because.is_empty()));
    }
}

#[test]
fn links_are_not_followed_and_hidden_files_are_seen() {
    let place = tempfile::tempdir().unwrap();
    let files = "-- both/real/a.py --\n-- both/.config/b.sh --\n-- both/src/.venv/c.py --\n";
    Archive::read(files).write("both", place.path());
    std::os::unix::fs::symlink("/", place.path().join("root")).unwrap();
    std::os::unix::fs::symlink("real", place.path().join("again")).unwrap();
    std::os::unix::fs::symlink("real/a.py", place.path().join("d.py")).unwrap();
    let found = Registry::built_in().detect(place.path()).unwrap();
    let given: Vec<String> = found.into_iter().flat_map(|one| one.files).collect();
    assert_eq!(given, [".config/b.sh", "real/a.py"]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    assert!(Registry::built_in().detect(std::path::Path::new("/nothing/here")).is_err());
}
