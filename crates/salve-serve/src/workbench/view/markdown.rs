//! Markdown of a model, as HTML that is safe to show.
//!
//! In: text that nobody vouches for. Out: a few plain elements without styles, handlers or foreign addresses;
//! HTML inside the text is shown as text. Never loads anything: an image becomes its description.

use ammonia::Builder;
use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Draws Markdown. Headings begin at the third level: a turn and its sections are above them.
pub fn markdown(text: &str) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(text, options).map(|event| plain(event));
    let mut drawn = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut drawn, events);
    PreEscaped(CLEANER.clean(&drawn).to_string())
}

// What the page does not let through is turned into text here, so that nothing is lost on the way.
fn plain(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::TaskListMarker(done) => {
            Event::Text(CowStr::Borrowed(if done { "☑ " } else { "☐ " }))
        }
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: lower(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        Event::Start(Tag::Image { dest_url, title, .. }) => Event::Start(Tag::Link {
            link_type: pulldown_cmark::LinkType::Inline,
            dest_url,
            title,
            id: CowStr::Borrowed(""),
        }),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        Event::Start(Tag::CodeBlock(_)) => {
            Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented))
        }
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        other => other,
    }
}

const fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

const TAGS: &[&str] = &[
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    cleaner
        .tags(TAGS.iter().copied().collect())
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"));
    cleaner
});

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> String {
        markdown(text).into_string().trim().to_owned()
    }

    #[test]
    fn plain_elements_are_drawn() {
        insta::assert_snapshot!(
            drawn("# Top\n\nSome *words* and `code`, ~~old~~.\n\n3. three\n4. four\n\n- [x] done\n\n| a | b |\n|--:|---|\n| 1 | 2 |"),
            @r#"
        <h3>Top</h3>
        <p>Some <em>words</em> and <code>code</code>, <del>old</del>.</p>
        <ol start="3">
        <li>three</li>
        <li>four</li>
        </ol>
        <ul>
        <li>☑ done</li>
        </ul>
        <table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>
        <tr><td>1</td><td>2</td></tr>
        </tbody></table>
        "#
        );
    }

    #[test]
    fn nothing_of_a_model_is_html() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <b onclick=alert(1)>b</b>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "[x](//evil.example/x)",
            "<javascript:alert(1)>",
            "![x](https://evil.example/x.png)",
            "[x]: javascript:alert(1)\n\n[x]",
            "<svg/onload=alert(1)>",
            "<details open ontoggle=alert(1)>",
            "```html\n<script>alert(1)</script>\n```",
            "| <script>alert(1)</script> |\n|---|\n| x |",
            "<!--><img src=x onerror=alert(1)>-->",
            "<style>*{color:red}</style>",
            "<a href=\"jav\tascript:alert(1)\">x</a>",
        ] {
            let drawn = drawn(text).to_lowercase();
            for word in ["<script", "<img", "<svg", "<style", "<b ", "<details", "href=\"java"] {
                assert!(!drawn.contains(word), "{text} gave {drawn}");
            }
            for scheme in ["\"javascript:", "\"data:", "\"vbscript:", "\"//"] {
                assert!(!drawn.contains(scheme), "{text} gave {drawn}");
            }
        }
    }
}
