//! Which toolchains apply to which folders.

use crate::archive::Archive;
use crate::counting::{FakeMachine, FakeProgram};
use salve_check::{CheckOptions, Reach, Registry, RunClass, check};

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

/// A folder with these files, of which `package.json` has a script for tests and `Makefile` a target.
fn monorepo(files: &str) -> tempfile::TempDir {
    let text = |path: &str| match path.rsplit('/').next().unwrap_or_default() {
        "package.json" => "{\"scripts\": {\"test\": \"x\"}}\n",
        "Makefile" => "test:\n",
        name if name.starts_with("test_") => "def test_a():\n    pass\n",
        _ => "",
    };
    let files = files.split_whitespace().map(|path| format!("-- both/{path} --\n{}", text(path)));
    let place = tempfile::tempdir().expect("a folder");
    Archive::read(&files.collect::<String>()).write("both", place.path());
    place
}

fn shown(target_id: &str, folder: &str, files: &[String]) -> String {
    let place = if folder.is_empty() { String::new() } else { format!("@{folder}") };
    let files = if files.is_empty() { String::new() } else { format!("({})", files.join(",")) };
    format!("{target_id}{place}{files}")
}

#[test]
fn what_lies_beside_a_project_counts_for_it_and_not_for_the_others() {
    for (files, expected) in [
        ("web/package.json web/yarn.lock", "yarn-test@web"),
        ("web/package.json yarn.lock", "yarn-test@web"),
        ("web/package.json web/package-lock.json yarn.lock package.json", "npm-test@web yarn-test"),
        ("package.json package-lock.json web/package.json web/yarn.lock", "npm-test yarn-test@web"),
        ("a/package.json a/pnpm-lock.yaml b/package.json", "npm-test@b pnpm-test@a"),
        ("package.json yarn.lock package-lock.json", "yarn-test"),
        ("package.json yarn.lock pnpm-lock.yaml", "pnpm-test"),
        // The members of a workspace share the lock file of its top, and its script where it has one.
        (
            "pnpm-workspace.yaml pnpm-lock.yaml packages/a/package.json packages/b/package.json",
            "pnpm-test@packages/a pnpm-test@packages/b",
        ),
        ("package.json pnpm-workspace.yaml pnpm-lock.yaml packages/a/package.json", "pnpm-test"),
        ("native/CMakeLists.txt native/a.c native/src/b.c", ""),
        ("native/CMakeLists.txt native/a.c tools/b.c", "gcc(tools/b.c)"),
        ("meson.build sub/a.c", ""),
        ("backend/pom.xml backend/src/main/java/A.java", "maven-test@backend"),
        (
            "backend/build.gradle backend/A.java scripts/B.java",
            "javac(scripts/B.java) gradle-test@backend",
        ),
        ("web/tsconfig.json web/a.js tools/b.js", "node(tools/b.js) tsc@web"),
        ("web/tsconfig.json web/a.ts tools/b.ts", "tsc@web tsc-files(tools/b.ts)"),
        (
            "native/Cargo.toml native/src/lib.rs tools/x.rs",
            "cargo-check@native rustc(tools/x.rs) cargo-clippy@native cargo-test@native",
        ),
        ("Makefile api/test_a.py", "python(api/test_a.py) pytest make-test"),
        (
            "Makefile api/pyproject.toml api/tests/test_a.py",
            "python(api/tests/test_a.py) pytest@api make-test",
        ),
        ("Makefile tests/test_a.py", "python(tests/test_a.py) pytest"),
        ("Makefile pyproject.toml src/p/test_a.py", "python(src/p/test_a.py) pytest"),
        ("Makefile web/package.json", "npm-test@web make-test"),
        ("web/Makefile web/package.json", "npm-test@web"),
        (
            "pyproject.toml uv.lock packages/a/pyproject.toml packages/a/tests/test_a.py \
             packages/b/pyproject.toml packages/b/tests/test_a.py",
            "python(packages/a/tests/test_a.py,packages/b/tests/test_a.py) pytest@packages/a \
             pytest@packages/b",
        ),
    ] {
        let place = monorepo(files);
        let found = Registry::built_in().detect(place.path()).unwrap();
        let names: Vec<String> =
            found.iter().map(|one| shown(&one.target_id, &one.folder, &one.files)).collect();
        assert_eq!(names.join(" "), expected, "{files}");
    }
}

#[test]
fn a_part_is_checked_with_the_project_it_belongs_to() {
    let rust = "Cargo.toml src/lib.rs crates/a/Cargo.toml crates/a/src/lib.rs \
                crates/b/Cargo.toml crates/b/src/lib.rs";
    let go = "go.mod a.go sub/go.mod sub/p/b.go";
    let node = "package.json yarn.lock packages/a/package.json packages/a/src/x packages/b/y";
    let mixed = "Makefile api/pyproject.toml api/test_a.py src/x.c";
    for (files, scope, reach, expected) in [
        (rust, "crates/a/src", Reach::Nearest, "cargo@crates/a"),
        (rust, "crates/a/src/lib.rs", Reach::Nearest, "cargo@crates/a"),
        (rust, "crates/a", Reach::Nearest, "cargo@crates/a"),
        (rust, "crates", Reach::Nearest, "cargo"),
        (rust, "src/lib.rs", Reach::Nearest, "cargo"),
        (rust, "crates/a/src crates/b", Reach::Nearest, "cargo@crates/a cargo@crates/b"),
        (rust, "crates/a/src/lib.rs", Reach::Outermost, "cargo"),
        (go, "sub/p", Reach::Nearest, "go@sub"),
        (go, "a.go", Reach::Nearest, "go"),
        (node, "packages/a/src", Reach::Nearest, "yarn@packages/a"),
        (node, "packages/b", Reach::Nearest, "yarn"),
        (mixed, "api", Reach::Nearest, "python3 pytest@api"),
        (mixed, "src", Reach::Nearest, "gcc make"),
    ] {
        let place = monorepo(files);
        let names = ["cargo", "go", "yarn", "python3", "pytest", "gcc", "make", "cargo-clippy"];
        let programs = names.map(|name| FakeProgram::exits(name, 0, "", ""));
        let machine = FakeMachine::with(programs.into());
        let scope = scope.split(' ').map(str::to_owned).collect();
        let options = CheckOptions { scope, reach, ..CheckOptions::default() };
        let _report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
        let requests = machine.requests.lock().unwrap();
        let mut ran: Vec<String> = Vec::new();
        for request in requests.iter().filter(|request| request.class == RunClass::Toolchain) {
            let folder = request.cwd.strip_prefix(place.path()).unwrap().to_str().unwrap();
            let line = shown(&crate::counting::words(request)[0], folder, &[]);
            if !ran.contains(&line) && !line.starts_with("cargo-clippy") {
                ran.push(line);
            }
        }
        assert_eq!(ran.join(" "), expected, "{scope:?} of {files}", scope = options.scope);
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
