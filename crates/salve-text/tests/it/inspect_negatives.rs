//! Legal text that naive checkers flag. None of it may be called cut.

use salve_text::{InspectOptions, Inspector, inspect_text};
use salve_types::Language;

#[track_caller]
fn whole(language: Language, texts: &[&str]) {
    for text in texts {
        let options = InspectOptions { language: Some(language), ..InspectOptions::default() };
        let verdict = inspect_text(text, &options);
        assert!(verdict.is_valid, "{language:?} {text:?} {verdict:#?}");
    }
}

#[test]
fn t05_apostrophe_in_a_comment_is_not_a_string() {
    whole(Language::JavaScript, &["// don't\n", "a(); // it's\n", "/* don't */ a();\n"]);
    whole(Language::Rust, &["// don't\nfn f() {}\n", "/// it's\nfn f() {}\n"]);
    whole(Language::Python, &["# don't\nx = 1\n", "def f():\n    \"\"\"Don't.\"\"\"\n"]);
    whole(Language::Css, &["/* don't */ a { color: red }\n"]);
    whole(Language::Sql, &["-- don't\nSELECT 1;\n"]);
}

#[test]
fn t05_apostrophe_in_markup_text_is_not_a_string() {
    whole(Language::Html, &["<p>It's</p>\n", "<!-- it's --><p>a</p>"]);
    whole(Language::Tsx, &["const a = <p>It's {b} isn't</p>;\n", "x = <a b=\"it's\" />;\n"]);
}

#[test]
fn t05_lifetime_is_not_a_string() {
    whole(
        Language::Rust,
        &[
            "fn f<'a>(x:&'a str) {}\n",
            "impl<'a, T: 'a + Foo<'_>> Bar<'a> for &'a T {}\n",
            "fn f() { 'outer: loop { break 'outer; } }\n",
        ],
    );
}

#[test]
fn t05_characters_that_look_like_openers() {
    whole(
        Language::Rust,
        &[
            "fn f() { g('\\'', b'\"', '{', '\\\\', 'é', '\\u{7D}') }\n",
            "fn f() { let r#type = r#\"a \"quoted\" b\"#; br\"\\\"; }\n",
        ],
    );
    whole(Language::C, &["char a = '\"', b = '\\'', c = '{';\n", "int n = 1'000'000;\n"]);
    whole(Language::Go, &["package a\n\nvar a, b = '\"', `it's \"raw\" \\`\n"]);
    whole(
        Language::Java,
        &["class A { char a = '\"'; String t = \"\"\"\n  a \"b\" c\n  \"\"\"; }\n"],
    );
}

#[test]
fn t06_less_than_is_not_a_tag() {
    whole(
        Language::JavaScript,
        &["if (a < b) c();\n", "for (i = 0; i < n; i++) {}\n", "x = 1 << y;\n"],
    );
    whole(Language::Rust, &["fn f() -> Vec<T> { a < b }\n"]);
    whole(Language::TypeScript, &["const a = <T>(x: T) => x;\n", "const b = <Foo>c;\n"]);
    whole(
        Language::Tsx,
        &[
            "const a = <T,>(x: T) => x;\n",
            "const b = <T extends object>(x: T) => x;\n",
            "const c: Array<Foo<Bar>> = [];\nif (a < b) d();\n",
            "const e = <Foo<Bar> items={x} />;\n",
            "type F = <T>(x: T) => T;\n",
        ],
    );
}

#[test]
fn t04_division_is_not_a_regular_expression() {
    whole(
        Language::JavaScript,
        &[
            "a = x / y / z;\n",
            "a = (b) / c; // it's\n",
            "a = b[1] / 2 + '/';\n",
            "i++ / 2; 'a'\n",
            "return /[/'\"]/.test(x);\n",
            "if (x) /don't/.exec(y);\n",
            "x = a ? /\\//g : /`/;\n",
            "do {} while (foo)",
            "do\n  a();\nwhile (b)\n",
            "  do a();\n  while (b)\n  ",
            "module.exports = satisfies\n",
            "try {}\ncatch (e) {}\n",
        ],
    );
    whole(Language::Ruby, &["x = a / b / c\n", "puts 'a' if x =~ /it's/\n"]);
}

#[test]
fn t04_python_prefixes_and_format_strings() {
    whole(
        Language::Python,
        &[
            "x = rf'\\{a}' + f\"{b['c']!r:>{width}}\" + f'{{' + u'' + b\"\"\n",
            "x = r'\\'' 'b'\n",
            "x = f'{a:#x}'\n",
            "@a\ndef f(): pass\n",
            "x = 1,\n",
            "from a import *\n",
            "def f(): ...\n",
        ],
    );
}

#[test]
fn t04_bash_expansions_and_patterns() {
    whole(
        Language::Bash,
        &[
            "x=$((1 << 2)); ((y = x<<2)); echo $#\n",
            "a=${x#*\\'}; b=${y%%\"}\"}; c=${#z[@]}; d=\"${e:-it's}\"\n",
            "case x in\n a) b;;\n (c|d) e;;\nesac\n",
            "cat <<EOF\nit's \"quoted\" (here\nEOF\n",
            "cat <<'A' <<-B\n'\nA\n\t\"\n\tB\n",
            "for i in 1; do if a; then b; fi; done\n",
            "echo if then done; grep -E '^(a|b)' # don't\n",
            "f() { local a=$'it\\'s'; }\n",
            "x=`echo \"a\"`; y=\"`b`\"\n",
            "a=(\"${b[@]/#/${c}[}\"); x=${y%[abc]}; z=${y//[!a-z]/}\n",
        ],
    );
}

#[test]
fn t04_data_formats() {
    whole(
        Language::Css,
        &["a { b: url(data:x;it's) } // don't\n", "a::after { content: '\\'' }\n"],
    );
    whole(
        Language::Yaml,
        &["a: it's fine\nb: \"x\"\n- don't [ stop\n", "a: |\n  it's \"\n  [ {\nb: 'c'\n"],
    );
    whole(
        Language::Toml,
        &["a = \"it's\" # don't\nb = '\"'\nc = '''it's'''\n", "[a.'b\"']\nc = [1,\n]\n"],
    );
    whole(Language::Markdown, &["It's `code` don't\n\n```js\n'\n```\n", "a ``` b\n"]);
    let inline = ["It is `code`", "It is\n`code`", "It is\n``a ` b``", "A sign: `", "a\n`\n\nb"];
    whole(Language::Markdown, &inline);
    whole(Language::Json, &["{\"a\": \"it's \\\" \\\\\"}", "[1, 2] // don't\n"]);
    whole(Language::Sql, &["SELECT 'it''s', 'C:\\', \"a\"\"b\";\nBEGIN;\nCOMMIT;\n"]);
    whole(Language::Text, &["It's the dogs' 5\" bowl, don't worry.\n"]);
}

#[test]
fn t07_brackets_per_preprocessor_arm() {
    whole(
        Language::C,
        &[
            "int f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n",
            "#define OPEN {\n#define S \"a\\\n b\"\n#error don't\nint a;\n",
            "#ifndef H\n#define H\nint a;\n#endif /* it's\n over */\n",
        ],
    );
}

#[test]
fn t07_other_languages() {
    whole(
        Language::Ruby,
        &[
            "def f = 1\nx = 5 if y\n",
            "while a do\n b\nend\nc.each do |d|\n e\nend\n",
            "x = %w[a b] + %q(it's (ok)) + \"#{a[\"b\"]}\"\n",
            "=begin\ndon't\n=end\nputs :end, a.class\n",
        ],
    );
    whole(Language::Php, &["<p>It's</p>\n<?php echo \"a\"; // it's\n?>\n<b>don't"]);
    whole(
        Language::CSharp,
        &["class A { string s = $\"{a[\"b\"]}\" + @\"C:\\\" + \"\"\"a\"b\"\"\"; }\n"],
    );
    whole(Language::Kotlin, &["val a = \"${b[\"c\"]} $d\"\nval e = \"\"\"f\"\"\"\"\n"]);
    whole(Language::Swift, &["let a = \"\\(b[\"c\"])\" + #\"\"d\"\"#\n"]);
    whole(Language::Html, &["<ul><li>a<li>b</ul><br><p>c", "<script>if (a < b) '</p>'</script>"]);
}

#[test]
fn a_condition_after_a_jump_or_a_call_modifies() {
    whole(
        Language::Ruby,
        &[
            "def f\n  return unless x\n  g\nend\n",
            "def f\n  return if x\nend\n",
            "def f\n  save! if x\n  raise $! unless y\nend\n",
            "x = if a then b else c end\ny = !if a then b end\n",
        ],
    );
}

#[test]
fn a_header_may_end_as_no_statement_of_c_does() {
    whole(
        Language::C,
        &[
            "@interface A : NSObject\n\n+ (B *)c:(B *)d;\n\n@end\n",
            "@protocol A <B>\n- (void)c;\n@end\n\nNS_ASSUME_NONNULL_END\n",
            "void f(void) {}\n#ifndef f\nlibc_hidden_def (f)\n#endif\n",
            "void f(void) {}\n#ifdef a\nhidden (f)\nalias (f, g)\n#endif\n",
            "void f(void) {}\nalias (f, g)\n",
            "#if A\nint a;\n@#if B\nint b;\n@#endif\n#undef A\n#endif\n",
        ],
    );
}

#[test]
fn signs_of_ruby_are_no_quotes() {
    whole(
        Language::Ruby,
        &[
            "def f\n  [$', $`, $\", $/, $;]\nend\n",
            "a = \"#{b $'} at\"\n",
            "def f(x)\n  /'/.match?(x)\nend\ndef g(x)\n  %w[' `]\nend\na = 4\nb = a / 2\n",
            "x = [:+, :/, :%, :<<, :`, :$', :[], :\"a b\"]\n",
            "a = b ? c::D : /'/\nputs 1\n__END__\nit's \"data\" do\n",
        ],
    );
}

#[test]
fn an_end_at_the_margin_ends_what_was_misread() {
    // The quote after `alias` is a name, which nothing but a parser of Ruby would know.
    let misread =
        "module A\n  class B\n    alias ` run\n\n    def c\n      1\n    end\n  end\nend\n";
    whole(Language::Ruby, &[misread]);
    let cut = [
        "class A\ndef b\nend\n",
        "module A\n  def b\n    1\n  end\n",
        "module A\n  B = <<~C\n    d\nend\n",
    ];
    for text in cut {
        let options = InspectOptions { language: Some(Language::Ruby), ..Default::default() };
        assert!(!inspect_text(text, &options).is_valid, "{text}");
    }
}

#[test]
fn escapes_outside_strings() {
    whole(Language::Css, &[".a\\:content-\\[\\'\\'\\]::after {\n  content: '';\n}\n"]);
    whole(
        Language::Sql,
        &["SET @s = 'INSERT INTO t VALUES (\\'4 Wide\\', \\'{\"a\":1}\\');';\nEXECUTE s;\n"],
    );
}

#[test]
fn what_text_in_between_divides_and_types_with_parameters() {
    whole(
        Language::Php,
        &["<?php\nclass A {\n  function b() {\n    ?>\n    <p>it's</p>\n    <?php\n  }\n}\n"],
    );
    whole(Language::Go, &["package p\n\ntype A T[B]\ntype B = T[A]\n"]);
    let options = InspectOptions { language: Some(Language::Go), ..Default::default() };
    for text in ["package p\n\ntype A []\n", "package p\n\ntype A map[B]\n"] {
        assert!(!inspect_text(text, &options).is_valid, "{text}");
    }
}

#[test]
fn a_script_is_of_the_language_of_the_program_that_it_names() {
    let options = InspectOptions { path: Some("bin/update.sh".to_owned()), ..Default::default() };
    let text = "#!/usr/bin/env php\n<?php\nif ($a) {\n    echo 'done';\n}\n";
    assert_eq!(inspect_text(text, &options).language, Language::Php);
    assert!(inspect_text(text, &options).is_valid);
    let mut pieces = Inspector::new(&options);
    text.split_inclusive(' ').for_each(|piece| pieces.push(piece));
    assert_eq!(pieces.finish(), inspect_text(text, &options));
    let header = InspectOptions { path: Some("a.h".to_owned()), ..Default::default() };
    let text = "#pragma once\nnamespace a {\nclass B {\n public:\n  B();\n};\n}\n";
    assert_eq!(inspect_text(text, &header).language, Language::Cpp);
}

#[test]
fn a_text_that_is_included_begins_and_ends_in_a_list() {
    whole(
        Language::C,
        &[
            "/* Generated. */\n#include \"a.h\"\n    { 0x0020, 0x0020 },\n    { 0x3000, 0x3000 }\n\n#define P(c) q (c)\n#include \"b.h\"\n",
            "    { 1, 2 },\n    { 3, 4 },\n",
            "\"one\",\n\"two\",\n",
            "0x00, 0x01,\n0x02, 0x03,\n",
            "ITEM(a, 1),\nITEM(b, 2),\n",
            "int a;\n#if A\nHASH if defined(B)\nint b;\nHASH endif\n#endif\n\n#undef N\n",
        ],
    );
    let cut = |text: &str| {
        let options = InspectOptions { language: Some(Language::C), ..InspectOptions::default() };
        assert!(!inspect_text(text, &options).is_valid, "{text}");
    };
    cut("int a[] = { 1, 2 },\n");
    cut("const char *a =\n  \"one\"\n  \"two\"\n");
    cut("{ 1, 2 },\n{ 3,");
}

#[test]
fn a_dead_arm_opens_and_closes_nothing() {
    whole(
        Language::C,
        &[
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\n#if 0\n} // for the editor\n#endif\n\nint f(void);\n\n#ifdef __cplusplus\n}\n#endif\n",
            "#if 0 /* old */\nint f(int a) {\n#else\nint f(void) {\n#endif\n  return 1;\n}\n",
            "int g;\n#if 0\nstruct s {\n#endif\nint h;\n",
        ],
    );
}

#[test]
fn what_a_template_fills_in_is_no_statement() {
    whole(
        Language::C,
        &["////// A.proto //////\nint {{name}} prototype\n\n////// A //////\ntest {{name}} impl\n"],
    );
}

#[test]
fn a_tag_of_php_in_a_string_begins_no_code() {
    whole(
        Language::Php,
        &[
            "<?php\nfunction f() {\n    return join(\n        \"\\n\",\n        array(\n            '<?php',\n            '/*',\n            ' * it',\n            ' */',\n            ''\n        )\n    );\n}\n",
            "<?php if ($a): ?>\n<p>it's</p>\n<?php endif; ?>\n<?php\n$x = '<?php';\n",
            "<?= $a ?>\n<p>\n<?php f();\n",
        ],
    );
}

#[test]
fn the_first_arm_of_a_template_decides_what_is_open() {
    whole(
        Language::Html,
        &[
            "<x:if condition=\"a\" />\n<div class=\"b\">\n<p>c</p>\n<x:else />\n<div>\n<x:endif />\n</div>\n",
            "{% if a %}<div class=\"b\">{% else %}<div>{% endif %}\n{{ c }}\n</div>\n",
            "{%- if a -%}<ul><li>b{% elif c %}<ul>{% if d %}<i>{% endif %}{% else %}<ul><li>{% endif %}</li></ul>\n",
            "{{#if a}}<b>{{else}}<b class=\"c\">{{/if}}d</b>\n",
            "{{ if .A }}<b>{{ else }}<b class=\"c\">{{ end }}d</b>\n",
            "<% if a %><b><% else %><b class=\"c\"><% end %>d</b>\n",
            "<% if (a) { %><b><% } else { %><b class=\"c\"><% } %>d</b>\n",
            "<?php if ($a): ?><b><?php else: ?><b class=\"c\"><?php endif; ?>d</b>\n",
        ],
    );
    for text in ["<div>{% if a %}<p>b</p>{% else %}<p>c", "<div><p>{{ a }}</p>", "{% if a %}<div>b"]
    {
        let options =
            InspectOptions { language: Some(Language::Html), ..InspectOptions::default() };
        assert!(!inspect_text(text, &options).is_valid, "{text}");
    }
}
