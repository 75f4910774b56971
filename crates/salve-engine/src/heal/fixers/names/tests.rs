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

#[test]
fn a_definition_is_what_is_wrong_where_everything_else_agrees() {
    let header = "void stack_clear(int *stack);\nvoid stack_push(int *stack);\n";
    let suite = "#include \"stack.h\"\nint main(void) { int a; stack_clear(&a); return a; }\n";
    for (tool, message, place, path, text, others) in [
        // Only the linker sees it.
        (
            "ld",
            "undefined reference to `stack_clear'",
            ("tests/suite.c", 0),
            "src/stack.c",
            "#include \"stack.h\"\nvoid stack_claer(int *stack) { *stack = 0; }\n",
            &[("src/stack.h", header), ("tests/suite.c", suite)][..],
        ),
        // The first use fails, and nothing tells of the others.
        (
            "python",
            "name 'names' is not defined",
            ("a.py", 2),
            "a.py",
            "def f(naems):\n    first = names[0]\n    return first, names\n",
            &[],
        ),
        // The line that is named is the one of the loop.
        (
            "python",
            "cannot access local variable 'names' where it is not associated with a value",
            ("a.py", 2),
            "a.py",
            "def f(groups):\n    for naems in groups:\n        yield names\n    for names in groups:\n        yield names\n",
            &[],
        ),
        (
            "python",
            "f() got an unexpected keyword argument 'names'",
            ("tests/test_a.py", 2),
            "a.py",
            "def f(naems=None):\n    return [names]\n",
            &[("tests/test_a.py", "from a import f\nf(names=1)\n")],
        ),
        (
            "python",
            "'Box' object has no attribute 'size'",
            ("a.py", 5),
            "a.py",
            "class Box:\n    def __init__(self):\n        self.szie = 0\n    def grow(self):\n        self.size += self.size\n",
            &[],
        ),
        (
            "rustc",
            "no field `manifest` on type `Item`",
            ("a.rs", 5),
            "a.rs",
            "struct Item {\n    manifet: u8,\n}\nfn f(item: Item) -> u8 {\n    item.manifest + item.manifest\n}\n",
            &[],
        ),
    ] {
        let mut all = vec![(path, text)];
        all.extend(others);
        let files = Files::new(&all);
        let mut diagnostic = said(tool, message, place.0, (place.1, 1));
        if place.1 == 0 {
            diagnostic.spans.clear();
        }
        let made = proposals(&[diagnostic], &files, path);
        let wanted = [
            ("stack_claer", "stack_clear"),
            ("naems", "names"),
            ("szie", "size"),
            ("manifet", "manifest"),
        ]
        .iter()
        .fold(text.to_owned(), |text, (wrong, right)| text.replace(wrong, right));
        assert_eq!(made.first(), Some(&wanted), "{message}: {made:#?}");
    }
}

#[test]
fn a_call_that_only_the_linker_refuses_is_corrected_where_the_compiler_warned() {
    let text = "#include \"stack.h\"\nint main(void) {\n    int a;\n    stac_kclear(&a);\n    return a;\n}\n";
    let files = Files::new(&[
        ("tests/suite.c", text),
        ("src/stack.h", "void stack_clear(int *stack);\n"),
        ("src/stack.c", "#include \"stack.h\"\nvoid stack_clear(int *stack) { *stack = 0; }\n"),
    ]);
    let mut warned =
        said("gcc", "implicit declaration of function ‘stac_kclear’", "tests/suite.c", (4, 5));
    warned.severity = salve_types::Severity::Warning;
    let mut refused = said("ld", "undefined reference to `stac_kclear'", "tests/suite.c", (1, 1));
    refused.spans.clear();
    let wanted = text.replace("stac_kclear", "stack_clear");
    let made = proposals(&[warned, refused.clone()], &files, "tests/suite.c");
    assert_eq!(made.first(), Some(&wanted), "{made:#?}");
    let made = proposals(&[refused], &files, "tests/suite.c");
    assert_eq!(made.first(), Some(&wanted), "{made:#?}");
}
