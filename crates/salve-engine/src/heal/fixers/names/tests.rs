//! Misspelt names in each language, with the words their tools have for them.

use crate::heal::fixers::testing::{Files, proposals, said};

#[test]
fn a_name_is_written_as_one_that_is_known() {
    for (tool, path, text, message, place, wanted) in [
        (
            "rustc",
            "a.rs",
            "fn f(total: u8) -> u8 {\n    let count = total;\n    coutn\n}\n",
            "cannot find value `coutn` in this scope",
            (3, 5),
            "    count\n",
        ),
        (
            "python",
            "a.py",
            "def f(records):\n    return [r for r in recrods]\n",
            "name 'recrods' is not defined",
            (2, 1),
            "in records]\n",
        ),
        ("python", "a.py", "pritn('a')\n", "name 'pritn' is not defined", (1, 1), "print('a')\n"),
        (
            "tsc",
            "a.ts",
            "function total(items: number[]) {\n  return itmes.length;\n}\n",
            "Cannot find name 'itmes'.",
            (2, 10),
            "return items.length",
        ),
        (
            "tsc",
            "a.ts",
            "const p = [1];\np.lenght;\n",
            "Property 'lenght' does not exist on type 'number[]'.",
            (2, 3),
            "p.length;",
        ),
        (
            "gcc",
            "a.c",
            "int main() { int count = 1; return cuont; }\n",
            "‘cuont’ undeclared (first use in this function)",
            (1, 36),
            "return count;",
        ),
        (
            "rustc",
            "a.rs",
            "struct S { size: u8 }\nfn f(s: S) -> u8 { s.sze }\n",
            "no field `sze` on type `S`",
            (2, 22),
            "{ s.size }",
        ),
        (
            "go",
            "a.go",
            "package a\nfunc f(count int) int { return cuont }\n",
            "undefined: cuont",
            (2, 32),
            "return count }",
        ),
    ] {
        let files = Files::new(&[(path, text)]);
        let made = proposals(&[said(tool, message, path, place)], &files, path);
        let first = made.first().map(String::as_str).unwrap_or_default();
        assert!(first.contains(wanted), "{tool}: {message}: {made:?}");
    }
}

#[test]
fn a_name_that_resembles_nothing_is_left() {
    let files = Files::new(&[("a.py", "x = frobnicate(1)\n")]);
    let said = said("python", "name 'frobnicate' is not defined", "a.py", (1, 5));
    assert_eq!(proposals(&[said], &files, "a.py"), Vec::<String>::new());
}

#[test]
fn a_definition_that_is_misspelt_is_corrected_where_it_is() {
    let text = "fn hlper() {}\nfn f() {\n    helper();\n    helper();\n}\n";
    let files = Files::new(&[("a.rs", text)]);
    let message = "cannot find function `helper` in this scope";
    let diagnostics =
        [said("rustc", message, "a.rs", (3, 5)), said("rustc", message, "a.rs", (4, 5))];
    let made = proposals(&diagnostics, &files, "a.rs");
    let wanted = text.replace("hlper", "helper");
    assert_eq!(made.first(), Some(&wanted), "{made:?}");
}
