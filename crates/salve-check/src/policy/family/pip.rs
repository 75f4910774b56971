//! pip install: packages of the registry by name, and the workspace itself.
//!
//! In: its words. Out: nothing, or an objection. Never lets it fetch from another place or install
//! to one.

mod requirements;

use crate::policy::context::{Context, Judged, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Executes, Network, Writes};
use crate::policy::options::Meaning::{Ask, Own, Read, Switch, Text};
use crate::policy::options::{Item, Style, Table};

static PIP: Table = Table::new(&[
    (
        Switch,
        "-U --upgrade -q --quiet -v --verbose --no-deps --no-dependencies --no-cache-dir --pre \
         --no-input --disable-pip-version-check --require-hashes --dry-run --prefer-binary \
         --force-reinstall -I --ignore-installed --no-color --no-warn-script-location \
         --no-warn-conflicts --no-compile --compile --no-index --require-virtualenv --no-clean \
         --check-build-dependencies --ignore-requires-python -h --help --isolated --no-python-version-warning",
    ),
    (
        Text,
        "--upgrade-strategy --progress-bar --retries --timeout --default-timeout --only-binary \
         --exists-action --python-version --platform --implementation --abi --root-user-action",
    ),
    (Read, "-r --requirement -c --constraint --requirements"),
    (Own, "-e --editable"),
    (
        Ask(Network),
        "-i --index-url --pypi-url --extra-index-url -f --find-links --trusted-host --proxy --cert \
         --client-cert --use-feature --use-deprecated --keyring-provider",
    ),
    (
        Ask(Writes),
        "-t --target --user --root --prefix --src --source --report --log --log-file --cache-dir -b \
         --build --break-system-packages --no-user",
    ),
    (
        Ask(Executes),
        "--python --global-option --install-option --build-option --no-build-isolation \
         --use-pep517 --no-use-pep517 --debug --no-binary",
    ),
    (Ask(Configures), "-C --config-settings --config-setting --group --uploaded-prior-to"),
]);

/// Reads the words of `pip install`.
pub(super) fn words<'a>(context: &Context<'a>) -> Judged<Vec<Item<'a>>> {
    context.items(&PIP, Style::EXACT)
}

pub(super) fn install(context: &Context<'_>) -> Judged {
    let items = words(context)?;
    for item in &items {
        if let Item::Flag { meaning: Read, value: Some(list), .. } = item {
            requirements::names_only(context, list)?;
        }
    }
    for (_, value, _) in own_values(&items) {
        workspace_folder(context, value.unwrap_or_default())?;
    }
    for (text, at) in operands(&items) {
        if text.starts_with('.') {
            workspace_folder(context, text)?;
        } else if !is_requirement(text) {
            let why = format!("`{}` is no plain name of a package", text.escape_debug());
            context.unless_listed(Rule::Argument, at + 1, why)?;
        }
    }
    Ok(())
}

// `.`, `./lib`, `.[dev]`: the workspace's own code, as a folder and not as an archive.
fn workspace_folder(context: &Context<'_>, text: &str) -> Judged {
    let path = text.split_once('[').map_or(text, |(path, _)| path);
    context.read(path)?;
    if context.paths.is_folder(path) {
        return Ok(());
    }
    let why = format!("`{}` is no folder of the workspace", text.escape_debug());
    Err(Objection::never(Rule::Argument, why))
}

// `requests`, `requests[socks]`, `numpy==2.1.0`, `a>=1,<2`.
fn is_requirement(text: &str) -> bool {
    let name_end = text
        .find(|letter: char| !letter.is_ascii_alphanumeric() && !"._-".contains(letter))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let starts_well = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if !starts_well || super::is_archive(text) {
        return false;
    }
    let rest = match rest.strip_prefix('[') {
        Some(extras) => match extras.split_once(']') {
            Some((extras, rest)) if extras.bytes().all(is_extra) => rest,
            _ => return false,
        },
        None => rest,
    };
    let rest = rest.trim_start_matches(' ');
    rest.is_empty() || (rest.starts_with(['=', '<', '>', '~', '!']) && rest.bytes().all(is_version))
}

const fn is_extra(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b',' | b' ')
}

const fn is_version(byte: u8) -> bool {
    is_extra(byte) || matches!(byte, b'=' | b'<' | b'>' | b'~' | b'!' | b'*' | b'+')
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&PIP];
