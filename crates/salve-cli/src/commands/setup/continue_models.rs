//! Points the models of Continue's configuration at the gateway.
//!
//! In: the text of `config.yaml`. Out: the text with `apiBase` at every model of the wanted
//! provider that has none, or has the provider's own. A model with an address of another's is left
//! as it is: the gateway asks one provider. Never touches a model that comes from elsewhere
//! (`uses:`).

use super::agents::{Edited, Wish};
use super::yaml_keys::{Line, is_block_mapping, lines, scalar, splice};
use crate::arguments::Provider;

/// Sets or removes the address at the models.
pub(super) fn edit(text: &str, wish: &Wish<'_>) -> Edited {
    if text.trim().is_empty() {
        return Edited::Unsure("it names no models yet".to_owned());
    }
    if let Err(why) = is_block_mapping(text) {
        return Edited::Unsure(why);
    }
    let ours = format!("{}/v1", wish.url);
    let models = models(text);
    let wanted: Vec<&Model<'_>> =
        models.iter().filter(|model| model.provider == Some(name(wish))).collect();
    let mut now = text.to_owned();
    let mut there = false;
    // From the end, so that places stay places.
    for model in wanted.iter().rev() {
        match (&model.base, wish.remove) {
            (Some(base), true) if base.meant == ours => {
                now = splice(&now, base.start, base.next, "");
            }
            (Some(base), false) if base.meant == ours => there = true,
            (Some(base), false) if is_own(base.meant) => {
                now = splice(&now, base.at, base.at + base.written.len(), &ours);
            }
            (None, false) => {
                let line = format!("{}apiBase: {ours}{}", model.indentation, model.ending);
                now = splice(&now, model.insert_at, model.insert_at, &line);
            }
            _ => {}
        }
    }
    match (now == text, there || wish.remove) {
        (false, _) => Edited::Text(now),
        (true, true) => Edited::Same,
        (true, false) => {
            Edited::Unsure(format!("no model of the provider {} could be changed", name(wish)))
        }
    }
}

const fn name(wish: &Wish<'_>) -> &'static str {
    match wish.provider {
        Provider::Openai => "openai",
        Provider::Anthropic => "anthropic",
    }
}

fn is_own(address: &str) -> bool {
    ["https://api.openai.com", "https://api.anthropic.com"]
        .iter()
        .any(|own| address.starts_with(own))
}

#[derive(Debug)]
struct Model<'t> {
    provider: Option<&'t str>,
    base: Option<Base<'t>>,
    indentation: String,
    /// After the line of the provider.
    insert_at: usize,
    ending: &'static str,
}

#[derive(Debug)]
struct Base<'t> {
    start: usize,
    next: usize,
    at: usize,
    written: &'t str,
    meant: &'t str,
}

// The items of the list under `models:`, each with the keys at its own margin.
fn models(text: &str) -> Vec<Model<'_>> {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut models: Vec<Model<'_>> = Vec::new();
    let mut inside = false;
    let mut dash = None;
    for line in lines(text) {
        let trimmed = line.text.trim_start();
        let depth = line.text.len() - trimmed.len();
        let is_item = inside && trimmed.starts_with("- ");
        let says_nothing = trimmed.is_empty() || trimmed.starts_with('#');
        if depth == 0 && !is_item && !says_nothing {
            inside = trimmed.split('#').next().unwrap_or_default().trim_end() == "models:";
            dash = None;
            continue;
        }
        if !inside || trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let margin = if is_item && dash.is_none_or(|dash| dash == depth) {
            dash = Some(depth);
            let after = trimmed.get(1..).unwrap_or_default();
            let margin = depth + 1 + after.len() - after.trim_start().len();
            models.push(Model {
                provider: None,
                base: None,
                indentation: " ".repeat(margin),
                insert_at: line.next,
                ending,
            });
            margin
        } else {
            depth
        };
        if let Some(model) = models.last_mut().filter(|model| model.indentation.len() == margin) {
            note(model, &line, margin);
        }
    }
    models.retain(|model| {
        model.insert_at > 0
            && text.get(..model.insert_at).is_some_and(|before| before.ends_with('\n'))
    });
    models
}

fn note<'t>(model: &mut Model<'t>, line: &Line<'t>, margin: usize) {
    let Some(rest) = line.text.get(margin..) else { return };
    let Some((key, _)) = rest.split_once(':') else { return };
    let Some((at, written, meant)) = scalar(line, margin + key.len() + 1) else { return };
    match key {
        "provider" => (model.provider, model.insert_at) = (Some(meant), line.next),
        "apiBase" => {
            model.base = Some(Base { start: line.start, next: line.next, at, written, meant });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str, provider: Provider, remove: bool) -> Edited {
        edit(text, &Wish { url: "http://g", provider, remove })
    }

    const BEFORE: &str = "name: mine\nmodels:\n  # chat\n  - name: a\n    provider: openai # o\n    model: m\n    roles:\n      - chat\n  - provider: anthropic\n    name: b\n  - name: c\n    provider: openai\n    apiBase: https://other.example/v1\n  - name: d\n    provider: openai\n    apiBase: \"https://api.openai.com/v1\" # own\n  - uses: x/y\nrules: []\n";

    #[test]
    fn models_of_the_provider_get_the_address() {
        let after = BEFORE
            .replace("provider: openai # o\n", "provider: openai # o\n    apiBase: http://g/v1\n")
            .replace("\"https://api.openai.com/v1\" # own", "http://g/v1 # own");
        assert_eq!(to(BEFORE, Provider::Openai, false), Edited::Text(after.clone()));
        assert_eq!(to(&after, Provider::Openai, false), Edited::Same);
        let other = BEFORE.replace(
            "- provider: anthropic\n",
            "- provider: anthropic\n    apiBase: http://g/v1\n",
        );
        assert_eq!(to(BEFORE, Provider::Anthropic, false), Edited::Text(other.clone()));
        assert_eq!(to(&other, Provider::Anthropic, true), Edited::Text(BEFORE.to_owned()));
        assert_eq!(to(BEFORE, Provider::Anthropic, true), Edited::Same);
    }

    #[test]
    fn what_is_not_certain_is_left() {
        for text in [
            "",
            "name: x\n",
            "models: []\n",
            "models:\n  - {provider: openai}\n",
            "models:\n  - uses: a/b\n",
            "{models: []}\n",
            "models:\n  - name: a\n    provider: openai",
        ] {
            assert!(matches!(to(text, Provider::Openai, false), Edited::Unsure(_)), "{text:?}");
        }
    }
}
