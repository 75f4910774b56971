//! In which order a file writes its imports.
//!
//! In: what stands in lists and groups already, and what is to join them. Out: the place where it belongs
//! by the order that those keep: one of the orders that formatters know. Nothing where they keep none.

use salve_types::Language;

/// An order that formatters write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As the bytes are.
    Text,
    /// The same, capitals like small letters.
    Folded,
    /// Constants, classes, then the rest.
    TypesFirst,
    /// By the parts of a path: small letters, then types, then constants.
    PathTypesLast,
    /// By the parts of a path, as the bytes are.
    PathPlain,
    /// By the module alone.
    Module,
    /// The same, capitals like small letters.
    ModuleFolded,
    /// `import a` before `from a import b`, each by module.
    ImportsFirst,
}

/// What is ordered: a name of a list, or a statement with its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) text: &'a str,
    pub(super) module: &'a str,
}

impl<'a> Entry<'a> {
    /// A name of a list.
    pub(super) fn name(text: &'a str) -> Self {
        let text = text.trim();
        let bare = text.strip_prefix("type ").unwrap_or(text);
        let bare = bare.split(" as ").next().unwrap_or(bare).split(':').next().unwrap_or(bare);
        let bare = if text.contains("::") { text } else { bare.trim() };
        Self { text: bare, module: bare }
    }
}

/// What entries are compared by.
type Key = Vec<(u8, String)>;

impl Order {
    /// The orders of the names in one list, the usual one first.
    pub(super) const fn of_names(language: Language) -> &'static [Self] {
        match language {
            Language::Rust => &[Self::PathTypesLast, Self::PathPlain, Self::Folded],
            Language::Python => &[Self::TypesFirst, Self::Text, Self::Folded],
            _ => &[Self::Folded, Self::Text, Self::TypesFirst],
        }
    }

    /// The orders of the statements in one group, the usual one first.
    pub(super) const fn of_lines(language: Language) -> &'static [Self] {
        match language {
            Language::Rust => &[Self::PathTypesLast, Self::PathPlain, Self::Text],
            Language::Python => {
                &[Self::ImportsFirst, Self::ModuleFolded, Self::Module, Self::Text, Self::Folded]
            }
            Language::C | Language::Cpp => &[Self::Module, Self::ModuleFolded, Self::Text],
            _ => &[Self::Module, Self::ModuleFolded, Self::Text, Self::Folded],
        }
    }

    fn key(self, entry: &Entry<'_>) -> Key {
        let Entry { text, module } = *entry;
        let folded = |text: &str| vec![(0, text.to_lowercase()), (0, text.to_owned())];
        match self {
            Self::Text => vec![(0, text.to_owned())],
            Self::Folded => folded(text),
            Self::TypesFirst => vec![(2 - case(text), text.to_lowercase()), (0, text.to_owned())],
            Self::PathTypesLast => path_key(module, case),
            Self::PathPlain => path_key(module, |_| 0),
            Self::Module => vec![(0, module.to_owned())],
            Self::ModuleFolded => folded(module),
            Self::ImportsFirst => {
                vec![(u8::from(text.starts_with("from ")), module.to_lowercase())]
            }
        }
    }
}

// Small letters, a type, a constant.
fn case(name: &str) -> u8 {
    let is_upper = name.starts_with(char::is_uppercase);
    let has_lower = name.contains(char::is_lowercase);
    match (is_upper, has_lower) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => {
            if name.chars().count() > 1 {
                2
            } else {
                1
            }
        }
    }
}

fn path_key(path: &str, case: impl Fn(&str) -> u8) -> Key {
    let parts = path.split("::").map(|part| {
        let part = part.trim();
        let rank = match part {
            "self" => 0,
            "super" => 1,
            "crate" => 2,
            "*" => 6,
            list if list.starts_with('{') => 7,
            name => 3 + case(name),
        };
        let name = part.split(" as ").next().unwrap_or(part);
        (rank, if rank == 7 { String::new() } else { name.to_owned() })
    });
    // What follows a list is in it.
    let mut key: Key = Vec::new();
    for part in parts {
        let is_list = part.0 == 7;
        key.push(part);
        if is_list {
            break;
        }
    }
    key
}

/// Returns the orders with those first that more of the samples keep.
pub(super) fn preferred(orders: &[Order], samples: &[Vec<Entry<'_>>]) -> Vec<Order> {
    let breaks =
        |order: &Order| samples.iter().filter(|entries| !is_sorted(&keys(entries, *order))).count();
    let mut orders = orders.to_vec();
    orders.sort_by_cached_key(breaks);
    orders
}

/// Returns the place of an entry among others that keep one of the orders; the first order wins. Others
/// that nearly keep one have a place for what fits between two of them.
pub(super) fn slot(entries: &[Entry<'_>], new: &Entry<'_>, orders: &[Order]) -> Option<usize> {
    let sorted = orders.iter().find_map(|&order| {
        let keys = keys(entries, order);
        let new = order.key(new);
        is_sorted(&keys).then(|| keys.partition_point(|key| *key <= new))
    });
    sorted.or_else(|| orders.iter().find_map(|&order| gap(&keys(entries, order), &order.key(new))))
}

fn keys(entries: &[Entry<'_>], order: Order) -> Vec<Key> {
    entries.iter().map(|entry| order.key(entry)).collect()
}

fn is_sorted(keys: &[Key]) -> bool {
    keys.windows(2).all(|pair| pair[0] <= pair[1])
}

fn gap(keys: &[Key], new: &Key) -> Option<usize> {
    let in_order = keys.windows(2).filter(|pair| pair[0] <= pair[1]).count();
    let pairs = keys.len().saturating_sub(1);
    if in_order * 3 < pairs * 2 {
        return None;
    }
    let fits = |at: &usize| {
        at.checked_sub(1).and_then(|before| keys.get(before)).is_none_or(|key| key <= new)
            && keys.get(*at).is_none_or(|key| new < key)
    };
    (0..=keys.len()).find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(language: Language, names: &[&str], name: &str) -> Option<usize> {
        let entries: Vec<Entry<'_>> = names.iter().map(|name| Entry::name(name)).collect();
        slot(&entries, &Entry::name(name), Order::of_names(language))
    }

    #[test]
    fn a_name_joins_the_order_that_is_kept() {
        for (language, names, name, wanted) in [
            (Language::Rust, &["self", "Display"][..], "Debug", Some(1)),
            (Language::Rust, &["max", "Ordering"], "min", Some(1)),
            (Language::Rust, &["Ordering", "max"], "Reverse", Some(1)),
            (Language::Rust, &["fmt", "io::{self, Read}"], "collections::HashMap", Some(0)),
            (Language::Python, &["LIMIT", "Box", "load"], "Any", Some(1)),
            (Language::Python, &["a as z", "c"], "b", Some(1)),
            (Language::Python, &["zeta", "alpha"], "beta", None),
            (Language::Python, &["a", "b", "d", "c", "e"], "bb", Some(2)),
            (Language::TypeScript, &["alpha", "Beta"], "type Alpine", Some(1)),
            (Language::TypeScript, &["b"], "a", Some(0)),
        ] {
            assert_eq!(place(language, names, name), wanted, "{names:?} {name}");
        }
    }

    #[test]
    fn what_the_file_keeps_elsewhere_decides_between_orders() {
        let sample: Vec<Entry<'_>> = ["Alpha", "Zeta", "beta"].map(Entry::name).to_vec();
        let orders = preferred(Order::of_names(Language::Rust), &[sample]);
        assert_eq!(orders.first(), Some(&Order::PathPlain));
        assert_eq!(slot(&[Entry::name("max")], &Entry::name("Max"), &orders), Some(0));
    }
}
