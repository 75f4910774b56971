//! SARIF 2.1.0 of any tool.
//!
//! In: a log, whole or cut. Out: one diagnostic for each result that is neither passed nor
//! suppressed, and one for each error the tool reports about itself. What Salve wrote comes back as
//! it was.

use super::json::{self, list, some_text, text};
use super::places::{Columns, Places, primary_first};
use super::{classify, concise};
use salve_types::{
    Applicability, Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan, Span,
    SuggestedEdit, Suggestion,
};
use serde_json::Value;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let streams = [stdout, stderr];
    let logs = streams.iter().flat_map(|stream| json::documents(stream, 5));
    logs.flat_map(|value| log(&value, places)).collect()
}

/// Reads one log that is already JSON.
pub(super) fn log(log: &Value, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for run in list(log, "runs") {
        let run = Run::new(run, places);
        let results = list(run.value, "results").iter().filter(|result| is_finding(result));
        found.extend(results.map(|result| run.diagnostic(result)));
        let invocations = list(run.value, "invocations").iter();
        let told = invocations.flat_map(|one| list(one, "toolExecutionNotifications"));
        found.extend(told.filter(|one| text(one, "level") == "error").map(|one| run.failure(one)));
    }
    found
}

fn is_finding(result: &Value) -> bool {
    let kind = text(result, "kind");
    (kind.is_empty() || kind == "fail" || kind == "open" || kind == "review")
        && list(result, "suppressions").is_empty()
}

struct Run<'a> {
    value: &'a Value,
    tool: String,
    rules: &'a [Value],
    columns: Columns,
    places: &'a Places<'a>,
}

impl<'a> Run<'a> {
    fn new(value: &'a Value, places: &'a Places<'a>) -> Self {
        let driver = value.get("tool").and_then(|tool| tool.get("driver"));
        let columns = match text(value, "columnKind") {
            "unicodeCodePoints" => Columns::Characters,
            _ => Columns::Utf16,
        };
        Self {
            value,
            tool: driver.map(|driver| text(driver, "name")).unwrap_or_default().to_lowercase(),
            rules: driver.map(|driver| list(driver, "rules")).unwrap_or_default(),
            columns,
            places,
        }
    }

    fn diagnostic(&self, result: &Value) -> Diagnostic {
        let rule = self.rule(result);
        let id = some_text(result, "ruleId")
            .or_else(|| result.get("rule").and_then(|rule| some_text(rule, "id")))
            .or_else(|| rule.and_then(|rule| some_text(rule, "id")));
        let words = message(result.get("message"), rule);
        let severity = self.severity(result, rule);
        let own = result.get("properties").map(|bag| text(bag, "class")).unwrap_or_default();
        let told = ErrorClass::ALL.iter().find(|class| class.name() == own).copied();
        let class = told.unwrap_or_else(|| match classify(&self.tool, id, &words) {
            // An unknown tool that names its rule is a linter.
            ErrorClass::Build if id.is_some() => ErrorClass::Lint,
            class => class,
        });
        let (headline, more) = words.split_once('\n').unwrap_or((&words, ""));
        let mut diagnostic = Diagnostic::new(&self.tool, severity, class, headline.trim_end());
        diagnostic.code = id.map(str::to_owned);
        let related = list(result, "relatedLocations").iter();
        diagnostic.spans = list(result, "locations")
            .iter()
            .filter_map(|location| self.location(location, true))
            .chain(related.filter_map(|location| self.location(location, false)))
            .collect();
        primary_first(&mut diagnostic.spans);
        if !more.trim().is_empty() {
            let message = more.trim().to_owned();
            diagnostic.notes.push(DiagnosticNote { kind: "note".into(), message, spans: vec![] });
        }
        let fixes = list(result, "fixes").iter();
        diagnostic.suggestions = fixes.filter_map(|fix| self.suggestion(fix)).collect();
        diagnostic.raw = concise(&diagnostic);
        diagnostic
    }

    fn failure(&self, notification: &Value) -> Diagnostic {
        let words = message(notification.get("message"), None);
        let mut diagnostic =
            Diagnostic::new(&self.tool, Severity::Error, ErrorClass::Build, words.trim());
        let locations = list(notification, "locations").iter();
        diagnostic.spans = locations.filter_map(|one| self.location(one, true)).collect();
        diagnostic.raw = concise(&diagnostic);
        diagnostic
    }

    fn rule(&self, result: &Value) -> Option<&'a Value> {
        let inner = result.get("rule").and_then(|rule| json::offset(rule, "index"));
        let index = json::offset(result, "ruleIndex").or(inner);
        let by_id = || {
            let id = some_text(result, "ruleId")?;
            self.rules.iter().take(4096).find(|rule| text(rule, "id") == id)
        };
        index.and_then(|index| self.rules.get(index)).or_else(by_id)
    }

    fn severity(&self, result: &Value, rule: Option<&Value>) -> Severity {
        let configured = rule
            .and_then(|rule| rule.get("defaultConfiguration"))
            .and_then(|configuration| some_text(configuration, "level"));
        match some_text(result, "level").or(configured).unwrap_or("warning") {
            "error" => Severity::Error,
            "note" | "none" => Severity::Note,
            _ => Severity::Warning,
        }
    }

    fn location(&self, location: &Value, primary: bool) -> Option<SourceSpan> {
        let physical = location.get("physicalLocation")?;
        let path = self.path(physical.get("artifactLocation")?);
        let mut span = self.region(&path, physical.get("region"));
        span.primary = primary;
        span.label = location
            .get("message")
            .and_then(|message| some_text(message, "text"))
            .map(str::to_owned);
        let snippet = physical.get("region").and_then(|region| region.get("snippet"));
        span.line_text = snippet
            .and_then(|snippet| some_text(snippet, "text"))
            .and_then(|text| text.lines().next())
            .map(str::to_owned);
        Some(span)
    }

    fn path(&self, artifact: &Value) -> String {
        let listed = || {
            let index = json::offset(artifact, "index")?;
            some_text(list(self.value, "artifacts").get(index)?.get("location")?, "uri")
        };
        let uri = some_text(artifact, "uri").or_else(listed).unwrap_or_default();
        let base = some_text(artifact, "uriBaseId")
            .and_then(|id| some_text(self.value.get("originalUriBaseIds")?.get(id)?, "uri"));
        let decoded = super::places::percent_decoded(uri);
        match base.filter(|_| !uri.contains("://")) {
            Some(base) => self.places.path(&format!("{}/{uri}", base.trim_end_matches('/'))),
            None if uri.contains("://") => self.places.path(uri),
            None => self.places.path(&decoded),
        }
    }

    // An end column is just past the end, as here; an end line that is not told is the start line.
    fn region(&self, path: &str, region: Option<&Value>) -> SourceSpan {
        let number = |key: &str| region.and_then(|region| json::number(region, key));
        let start = number("startLine").map(|line| (line, number("startColumn").unwrap_or(1)));
        let end = start
            .zip(number("endColumn"))
            .map(|((line, _), column)| (number("endLine").unwrap_or(line), column));
        let mut span = match (start, end) {
            (Some(start), Some(end)) => self.places.range(path, start, end, self.columns),
            _ => self.places.point(path, start, self.columns),
        };
        let offset = |key: &str| region.and_then(|region| json::offset(region, key));
        let bytes = offset("byteOffset").map(|at| (at, offset("byteLength").unwrap_or(0)));
        span.bytes = bytes.map(|(at, length)| Span::new(at, at.saturating_add(length)));
        span
    }

    fn suggestion(&self, fix: &Value) -> Option<Suggestion> {
        let mut edits = Vec::new();
        for change in list(fix, "artifactChanges") {
            let path = self.path(change.get("artifactLocation")?);
            for replacement in list(change, "replacements") {
                let span = self.region(&path, replacement.get("deletedRegion"));
                let inserted = replacement.get("insertedContent");
                let text = inserted.map(|content| text(content, "text")).unwrap_or_default();
                edits.push(SuggestedEdit { span, replacement: text.to_owned() });
            }
        }
        let told = fix.get("properties").and_then(|bag| bag.get("applicability")).cloned();
        let applicability = told
            .and_then(|word| serde_json::from_value::<Applicability>(word).ok())
            .unwrap_or(Applicability::Unspecified);
        let message = message(fix.get("description"), None);
        (!edits.is_empty()).then_some(Suggestion { message, applicability, edits })
    }
}

// The text itself, or the rule's text by its name, with the arguments put in.
fn message(value: Option<&Value>, rule: Option<&Value>) -> String {
    let Some(value) = value else { return String::new() };
    if let Some(words) = some_text(value, "text") {
        return words.to_owned();
    }
    let template = some_text(value, "id")
        .and_then(|id| some_text(rule?.get("messageStrings")?.get(id)?, "text"))
        .or_else(|| some_text(value, "markdown"))
        .unwrap_or_default();
    let mut words = template.to_owned();
    for (index, argument) in list(value, "arguments").iter().take(16).enumerate() {
        words = words.replace(&format!("{{{index}}}"), argument.as_str().unwrap_or_default());
    }
    words
}
