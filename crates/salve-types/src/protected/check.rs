//! What decides whether a check passes, by name: tests, snapshots, settings of checkers, lock files.
//!
//! In: the names of a path. Out: its part in the check, or nothing. A repair may not change what it is
//! measured by. Never looks at what exists, nor at content: a manifest is partly settings, and its
//! reader decides which part.

/// The part of a file in the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckRole {
    /// A test, or what only tests use.
    Test,
    /// What a test compares with.
    Snapshot,
    /// It says what is checked, and how.
    Settings,
    /// Code that a build or a test runner executes by itself.
    Loaded,
    /// A manifest: dependencies, and settings of the check beside them.
    Manifest,
    /// Which versions are used, written by a package manager.
    Lock,
}

#[rustfmt::skip]
const TEST_FOLDERS: &[&str] = &[
    "tests", "test", "__tests__", "spec", "specs", "__mocks__", "testdata", "test-data", "e2e",
    "test_data", "unittests", "unit_tests", "integration_tests", "cypress",
];

/// Beginnings of the names of tests, before the ending of the language.
const TEST_STARTS: &[&str] = &["test_", "tests_", "test-"];

/// Ends of the names of tests, before the ending of the language.
#[rustfmt::skip]
const TEST_ENDS: &[&str] = &[
    "_test", "_tests", "-test", "-tests", ".test", ".tests", ".spec", "_spec", "-spec", ".cy",
    ".stories", "_unittest", ".e2e",
];

const TEST_STEMS: &[&str] = &["test", "tests"];

#[rustfmt::skip]
const SNAPSHOT_FOLDERS: &[&str] = &[
    "__snapshots__", "snapshots", "__image_snapshots__", "golden", "goldens", "__golden__",
];

#[rustfmt::skip]
const SNAPSHOT_ENDINGS: &[&str] = &[
    ".snap", ".snap.new", ".pending-snap", ".ambr", ".golden", ".approved.txt", ".verified.txt",
    ".received.txt", ".storyshot",
];

#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile",
    "cmakelists.txt", "cmakepresets.json", "meson.build", "meson_options.txt", "meson.options",
    "configure", "configure.ac", "configure.in", "makefile.am", "makefile.in", "sconstruct",
    "wscript", "dodo.py", "noxfile.py", "fabfile.py", "build.ninja", "build.bazel",
    "build", "workspace", "module.bazel", "build.gradle", "build.gradle.kts", "settings.gradle",
    "settings.gradle.kts", "gradle.properties", "pom.xml", "build.xml", "build.sbt", "mix.exs",
    "turbo.json", "nx.json", "lerna.json", "deno.json", "deno.jsonc", "jsconfig.json", "biome.json",
    "biome.jsonc", "tslint.json", "pytest.ini", ".pytest.ini", "tox.ini", "tox.toml", "mypy.ini",
    ".mypy.ini", "pyrightconfig.json", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", "pylintrc",
    ".coveragerc", ".bandit", ".isort.cfg", ".style.yapf", "pytype.cfg", "codecov.yml",
    ".codecov.yml", "clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", "deny.toml",
    "insta.yaml", ".clang-tidy", ".clang-format", ".clang-format-ignore", "compile_flags.txt",
    "compile_commands.json", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon", "phpcs.xml",
    "psalm.xml", ".rspec", ".rubocop.yml", ".swiftlint.yml", "detekt.yml", "checkstyle.xml",
    "karma.conf.js", "protractor.conf.js", "jasmine.json", ".nycrc", ".c8rc", ".taprc",
    ".editorconfig", ".eslintignore", ".prettierignore", ".pyre_configuration", "cppcheck.cfg",
    "runtests.py", "run_tests.py", "run-tests.sh", "runtests.sh", "test.sh", "tests.sh",
];

/// Names that tools read with any ending after them.
#[rustfmt::skip]
const SETTINGS_STARTS: &[&str] = &[
    "tsconfig.", ".eslintrc", "eslint.config.", ".prettierrc", "prettier.config.", "jest.config.",
    "jest.setup.", "jest-setup.", "vitest.config.", "vitest.setup.", "vitest.workspace.",
    "vite.config.", "babel.config.", ".babelrc", ".swcrc", "webpack.config.", "rollup.config.",
    "ava.config.", ".mocharc", "playwright.config.", "cypress.config.", "wdio.conf.", "tsup.config.",
    ".stylelintrc", "stylelint.config.", ".commitlintrc", "commitlint.config.", "karma.conf.",
    "setuptests.", ".nycrc.", ".c8rc.", "makefile.", "golangci.", ".golangci.", "taskfile.dist.",
    "gulpfile.", "gruntfile.", ".jshintrc", ".jscsrc", ".oxlintrc", "oxlint.config.", ".rspec-",
];

const SETTINGS_ENDINGS: &[&str] = &[
    ".mk",
    ".cmake",
    ".bzl",
    ".gradle",
    ".gradle.kts",
    ".csproj",
    ".sln",
    ".vcxproj",
    ".xcodeproj",
];

const LOADED: &[&str] =
    &["conftest.py", "build.rs", "pytest_plugins.py", "setup.py", "binding.gyp"];

#[rustfmt::skip]
const MANIFESTS: &[&str] = &[
    "cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "go.mod", "composer.json",
    "gemfile", "pipfile", "requirements.txt", "pubspec.yaml",
];

#[rustfmt::skip]
const LOCKS: &[&str] = &[
    "cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
    "bun.lock", "bun.lockb", "deno.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock",
    "pylock.toml", "go.sum", "composer.lock", "gemfile.lock", "mix.lock", "pubspec.lock",
    "gradle.lockfile", "flake.lock", "packages.lock.json", "conda-lock.yml", "module.bazel.lock",
    "package.resolved", "podfile.lock",
];

impl CheckRole {
    /// Finds the part of a path in the check, given its names from the root of the workspace.
    pub fn of<S: AsRef<str>>(names: &[S]) -> Option<Self> {
        let names: Vec<String> =
            names.iter().map(|name| name.as_ref().to_ascii_lowercase()).collect();
        let (file, folders) = names.split_last()?;
        let ends = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
        let within = |known: &[&str]| folders.iter().any(|folder| known.contains(&folder.as_str()));
        let is = |known: &[&str]| known.contains(&file.as_str());
        if within(SNAPSHOT_FOLDERS) || ends(SNAPSHOT_ENDINGS) {
            return Some(Self::Snapshot);
        }
        if is(LOCKS) {
            return Some(Self::Lock);
        }
        if is(MANIFESTS) {
            return Some(Self::Manifest);
        }
        if is(LOADED) {
            return Some(Self::Loaded);
        }
        let starts = |start: &&str| file.starts_with(*start);
        if is(SETTINGS) || SETTINGS_STARTS.iter().any(starts) || ends(SETTINGS_ENDINGS) {
            return Some(Self::Settings);
        }
        (within(TEST_FOLDERS) || is_test_name(file)).then_some(Self::Test)
    }
}

// Of code only: `test_data.csv` beside a program is none.
fn is_test_name(file: &str) -> bool {
    let Some((stem, _)) = file.rsplit_once('.') else { return false };
    let is_code = crate::Language::from_path(file).is_some_and(|language| {
        use crate::Language::{Css, Html, Json, Markdown, Sql, Text, Toml, Yaml};
        !matches!(language, Css | Html | Json | Markdown | Sql | Text | Toml | Yaml)
    });
    is_code
        && (TEST_STEMS.contains(&stem)
            || TEST_STARTS.iter().any(|start| stem.starts_with(start))
            || TEST_ENDS.iter().any(|end| stem.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_part_in_the_check() {
        let cases: &[(Option<CheckRole>, &str)] = &[
            (
                Some(CheckRole::Test),
                "tests/it/main.rs test/a.py a/__tests__/x.js src/x.test.ts src/x.spec.tsx a/test_x.py \
                 a/x_test.py src/tests.rs src/a/tests.rs x_test.go test.c test_list.c a/x_spec.rb \
                 tests/data.json Tests/x.py",
            ),
            (
                Some(CheckRole::Snapshot),
                "src/snapshots/a.snap a/__snapshots__/x.js.snap tests/x.golden src/x.snap",
            ),
            (
                Some(CheckRole::Settings),
                "Makefile CMakeLists.txt tsconfig.json tsconfig.build.json pytest.ini tox.ini .eslintrc.json \
                 eslint.config.mjs .flake8 clippy.toml jest.config.js sub/vitest.config.ts mypy.ini rules.mk \
                 .mocharc.yml",
            ),
            (Some(CheckRole::Loaded), "conftest.py tests/conftest.py build.rs setup.py"),
            (
                Some(CheckRole::Manifest),
                "Cargo.toml crates/a/Cargo.toml package.json pyproject.toml",
            ),
            (Some(CheckRole::Lock), "Cargo.lock yarn.lock package-lock.json poetry.lock a/uv.lock"),
            (
                None,
                "src/main.rs src/testing.rs src/latest.py lib/contest.js contest.py src/attest.ts \
                 docs/test_plan.md test_data.csv src/config.rs src/builder.rs src/makefile.rs/x.rs",
            ),
        ];
        for (role, paths) in cases {
            for path in paths.split_ascii_whitespace() {
                assert_eq!(CheckRole::of(&path.split('/').collect::<Vec<_>>()), *role, "{path}");
            }
        }
    }
}
