//! Opinions that decide and that do not: whole texts over whose ends a grammar stumbles, and cuts that look
//! like them.

use super::*;

fn whole(language: Language) -> Verdict {
    Verdict {
        is_valid: true,
        error_type: None,
        error_message: None,
        truncation_line: None,
        kind: None,
        opened_at_line: None,
        open: Vec::new(),
        closing: String::new(),
        confidence: 0.75,
        evidence: Vec::new(),
        language,
    }
}

fn code_of(verdict: &Verdict) -> &str {
    verdict.evidence.last().map_or("none", |evidence| evidence.code.as_str())
}

#[test]
fn a_broken_end_makes_a_whole_text_cut() {
    let verdict = second_opinion(whole(Language::Rust), "fn a() {}\n\npub struct Point");
    assert!(!verdict.is_valid);
    assert_eq!(verdict.kind, Some(TruncationKind::GeneralTruncation));
    assert_eq!(verdict.error_type, Some(ErrorType::TruncationDetected));
    assert_eq!(verdict.truncation_line, Some(3));
    assert_eq!(code_of(&verdict), "grammar_broken_at_end");
}

#[test]
fn other_opinions_are_listed_and_decide_nothing() {
    let cases = [
        (Language::Rust, "fn a() {}\n", "grammar_clean"),
        (Language::Rust, "fn a() { let x = ; }\nfn b() {}\nfn c() {}\n", "grammar_error"),
        (Language::Css, "a { color: red; }\n$width: 1px;\n", "grammar_broken_at_end"),
        (
            Language::C,
            "int a;\n\n  DEFINE_IT(\n    x, (y) z\n  )\n/* END */\n// x\n",
            "grammar_broken_at_end",
        ),
        (Language::Text, "pub struct Point", "none"),
    ];
    for (language, text, code) in cases {
        let verdict = second_opinion(whole(language), text);
        assert!(verdict.is_valid, "{text}");
        assert_eq!(code_of(&verdict), code, "{text}");
    }
}

// Whole files of real projects in small, over whose ends a grammar stumbles: a dialect, a macro, an
// arm of a condition, a template.
const WHOLE: &[(Language, &str)] = &[
    (
        Language::C,
        "/* Generated. */\n#include \"a.h\"\n    { 0x0020, 0x0020 },\n    { 0x3000, 0x3000 }\n\n#define P(c) q (c)\n#include \"b.h\"\n",
    ),
    (Language::C, "    { 1, 2 },\n    { 3, 4 },\n"),
    (
        Language::C,
        "////// A.proto //////\ntest {{name}} prototype\n\n////// A //////\ntest {{name}} impl\n",
    ),
    (
        Language::Html,
        "<x:if condition=\"a\" />\n<div class=\"b\">\n<div>\n<x:else />\n<div>\n<div>\n<x:endif />\n$c\n</div>\n</div>\n",
    ),
    (
        Language::C,
        "#ifndef A_H\n#define A_H\n#if defined(__cplusplus)\nextern \"C\" {\n#endif\nint a(void);\n#if defined(__cplusplus)\n}\nextern \"C++\" {\nBSSL_NAMESPACE_BEGIN\nBORING_MAKE_DELETER(A, a)\nBSSL_NAMESPACE_END\n}\n#endif\n#endif  // A_H\n",
    ),
    (
        Language::C,
        "#if !defined(__cplusplus)\n#define x\n#else\nextern \"C++\" {\nusing std::string;\n}\n#endif\n",
    ),
    (Language::C, "static int a(void) { return 1; }\n\nIMPLEMENT_ASN1_FUNCTIONS(X509_REQ)\n"),
    (Language::C, "ASN1_SEQUENCE(A) = {\n  ASN1_SIMPLE(A, b, C),\n} ASN1_SEQUENCE_END(A)\n"),
    (
        Language::C,
        "#import <A/A.h>\n\nNS_ASSUME_NONNULL_BEGIN\n\n@interface A : NSObject <B>\n\n- (void)c:(D *)e;\n\n@end\n\nNS_ASSUME_NONNULL_END\n",
    ),
    (Language::C, "typedef NS_ENUM(NSInteger, A) {\n  A1 = 0,\n  A2,\n};\n"),
    (
        Language::C,
        "#pragma once\n\nnamespace a::b {\n\nenum class C : uint8_t { D, E };\n\ntemplate <>\nconstexpr int f<C>() {\n  return 2;\n}\n\n} // namespace a::b\n",
    ),
    (Language::C, "MODULE_LICENSE(\"GPL\")\nmodule_init(start)\n"),
    (Language::C, "int f(void) {\n  return 0;\n}\nmodule_exit(stop)\n"),
    (Language::C, "struct a {\n  int b;\n} __attribute__((packed))\n;\nEXPORT_SYMBOL_GPL(a)\n"),
    (Language::C, "int f(void) {\n  return 0;\n}\nlibc_hidden_def (f)\n"),
    (
        Language::C,
        "static const char *\nname (int it)\n{\n  switch (it)\n    {\n#define CASE(VALUE) case A_##VALUE: return #VALUE;\n      CASE(ONE)\n      CASE(TWO)\n    }\n  abort ();\n}\n",
    ),
    (Language::C, "int main(void) { return 0; }\n\n#pragma GCC diagnostic pop\n"),
    (Language::C, "__BEGIN_DECLS\nint a(void);\n__END_DECLS\n"),
    (Language::C, "int a;\n\nQT_END_NAMESPACE\n"),
    (Language::C, "int f(a, b)\n  int a;\n  char *b;\n{\n  return a;\n}\n"),
    (
        Language::Cpp,
        "TEST(A, b) {\n  EXPECT_EQ(1, 1);\n}\n\nINSTANTIATE_TEST_SUITE_P(All, A, Values(1))\n",
    ),
    (Language::Cpp, "BEGIN_NAMESPACE(a)\nint b;\nEND_NAMESPACE(a)\n"),
    (
        Language::Cpp,
        "namespace a {\nint b;\n}  // namespace a\n\nBOOST_PYTHON_MODULE(x)\n{\n  def(\"a\", a);\n}\n",
    ),
    (
        Language::Cpp,
        "class A : public B {\n  Q_OBJECT\nsignals:\n  void changed();\n};\n\nQ_DECLARE_METATYPE(A)\n",
    ),
    (Language::Cpp, "#ifdef A\nint a() {\n#else\nint b() {\n#endif\n  return 1;\n}\n"),
    (Language::Cpp, "BENCHMARK(f)->Range(8, 8 << 10);\n\nBENCHMARK_MAIN()\n"),
    (Language::Cpp, "PYBIND11_MODULE(example, m) {\n  m.def(\"add\", &add);\n}\n"),
    (Language::Go, "package a\n\n// Code generated. DO NOT EDIT.\n\nvar x = {{ .Value }}\n"),
    (Language::Go, "package a\n\nfunc f() {\n\tgoto end\nend:\n}\n"),
    (
        Language::Go,
        "package a\n\nfunc (s Set[T]) All() iter.Seq[T] {\n\treturn func(yield func(T) bool) {}\n}\n",
    ),
    (
        Language::Go,
        "package a\n\ntype A = B[int]\n\nvar _ = map[string]struct{}{\n\t\"a\": {},\n}\n",
    ),
    (Language::Bash, "#!/bin/sh\nset -eu\ncase $1 in\n  a) echo a ;;\n  *) echo b\nesac\n"),
    (Language::Bash, "cat <<EOF\nit's $(date)\nEOF\n"),
    (
        Language::Bash,
        "f() {\n  local a=(\"$@\")\n  [[ $a =~ ^(x|y)$ ]] && return\n}\nf \"${@:-}\"\n",
    ),
    (Language::Bash, "exit 0\n__ARCHIVE__\nbinary (stuff {\n"),
    (Language::Bash, "for ((i = 0; i < 3; i++)); do echo $i; done 2>&1 | tee /dev/null\n"),
    (Language::Bash, "trap 'rm -f \"$x\"' EXIT\nexec \"$0\" ${1+\"$@\"}\n"),
    (Language::Rust, "fn a() {}\n\nmacro_rules! b { () => {} }\n\nb!{}\n"),
    (Language::Rust, "#![feature(x)]\nfn a() -> impl use<'_> Sized {}\n"),
    (Language::Rust, "criterion_group!(benches, a);\ncriterion_main!(benches);\n"),
    (Language::Python, "print 'hello'\n"),
    (Language::Python, "def f():\n    exec 'x' in {}\n    print >>sys.stderr, 'x'\n"),
    (Language::Python, "match x:\n    case {'a': 1, **rest}:\n        pass\n"),
    (Language::Python, "type A[T] = list[T]\n"),
    (Language::Python, "{% if a %}\nx = 1\n{% endif %}\n"),
    (Language::JavaScript, "// @flow\nexport type A = {| a: number |};\n"),
    (Language::JavaScript, "#!/usr/bin/env node\nrequire('x')\n<!-- x\n"),
    (Language::JavaScript, "export default from './a'\n"),
    (Language::TypeScript, "declare module 'x'\n"),
    (Language::TypeScript, "export const enum A {\n  B = 1,\n}\n@decorated\nexport class C {}\n"),
    (Language::TypeScript, "export type { A } from './a'\nexport * as b from './b'\n"),
    (Language::TypeScript, "using x = f()\nawait using y = g()\n"),
    (Language::Java, "module a {\n  requires b;\n}\n"),
    (Language::Java, "record A(int b) {}\nvoid main() { System.out.println(1); }\n"),
    (Language::Java, "class A {\n  String s = STR.\"\\{x}\";\n}\n"),
    (Language::Html, "<p>one\n<p>two\n<br>\n"),
    (Language::Html, "{% extends 'a' %}\n{% block b %}\n<div>\n{% endblock %}\n"),
    (Language::Html, "<div>{{ a }}</div>\n<?php endif; ?>\n"),
    (Language::Css, "$a: 240px !default;\n$b: #e9ecef !default; // $gray\n"),
    (Language::Css, "$a: 240px !default;\n\n//\n// Z-index\n//\n"),
    (Language::Css, "@mixin a($b) {\n  c: $b;\n}\n.d { @include a(1px) }\n"),
    (Language::Json, "{\"a\": 1}\n// the end\n"),
    (Language::Kotlin, "class A {\n    val b = 1\n}\n\nval A.c get() = b\n"),
    (Language::Php, "<?php\nforeach ($a as $b):\n?>\n<p><?= $b ?></p>\n<?php endforeach; ?>\n"),
    (Language::Php, "<?php\nreturn ['a' => 1]\n?>\n"),
    (Language::Sql, "CREATE TABLE a (b int);\nSELECT 1;\n"),
];

// The same in shape, and cut: what explains an end must not explain these.
const CUT: &[(Language, &str)] = &[
    (Language::C, "int a;\n\nstatic int b(void)"),
    (Language::C, "int a;\n\nmodule_exit(stop"),
    (Language::C, "#import <A/A.h>\n\n@interface A : NSObject\n\n- (void)c:(D *)"),
    (Language::C, "namespace a {\nint b;\n}\n\nclass C : public"),
    (Language::C, "int a;\n\nconst char *names[] ="),
    (Language::C, "#ifdef A\nint a;\n#else\nint b;\n#endif\nint c(void)"),
    (Language::Cpp, "int a;\n\nclass B : public"),
    (Language::Bash, "echo a\nif [ -f x ]; then\n  exit 1\nfi\nfor b in"),
    (Language::Go, "package a\n\nvar x ="),
    (Language::Python, "x = 1\n\ndef"),
];

#[test]
fn cuts_that_look_like_such_ends_are_still_cuts() {
    let called_whole: Vec<&(Language, &str)> = CUT
        .iter()
        .filter(|(language, text)| second_opinion(whole(*language), text).is_valid)
        .collect();
    assert_eq!(called_whole, [] as [&(Language, &str); 0]);
}

#[test]
fn whole_files_that_a_grammar_stumbles_over_are_not_cut() {
    let called_cut: Vec<&(Language, &str)> = WHOLE
        .iter()
        .filter(|(language, text)| !second_opinion(whole(*language), text).is_valid)
        .collect();
    assert_eq!(called_cut, [] as [&(Language, &str); 0]);
}

#[test]
fn a_proof_is_not_overruled_and_a_cut_is_not_acquitted() {
    let mut proven = whole(Language::Json);
    proven.evidence.push(Evidence {
        source: EvidenceSource::Lexer,
        code: "root_closed".to_owned(),
        message: String::new(),
        cut: false,
        weight: 0.95,
        span: None,
    });
    assert!(second_opinion(proven, "{\"a\": 1,}").is_valid);
    let mut cut = whole(Language::Python);
    cut.is_valid = false;
    cut.kind = Some(TruncationKind::OpenBlock);
    let after = second_opinion(cut, "def f():\n");
    assert!(!after.is_valid);
    assert_eq!(after.kind, Some(TruncationKind::OpenBlock));
}
