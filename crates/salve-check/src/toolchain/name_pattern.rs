//! File names with `*`.
//!
//! In: a pattern and a name. Out: whether they match. `*` stands for any characters, also none;
//! everything else for itself. Never looks at folders.

/// Returns whether `name` is of the form `pattern`.
pub(super) fn name_matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = left.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    left.ends_with(last)
}

/// Returns the last part of a path with `/`.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns everything before the last part of a path with `/`; empty at the top.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything_and_the_rest_for_itself() {
        for (pattern, name, expected) in [
            ("Cargo.toml", "Cargo.toml", true),
            ("Cargo.toml", "xCargo.toml", false),
            ("*.py", "a.py", true),
            ("*.py", "a.pyc", false),
            ("test_*.py", "test_.py", true),
            ("test_*.py", "test.py", false),
            ("eslint.config.*", "eslint.config.mjs", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*a*b*", "xxaxxb", true),
            ("*a*b*", "xxbxxa", false),
            ("*", "", true),
            ("é*", "éa", true),
        ] {
            assert_eq!(name_matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
