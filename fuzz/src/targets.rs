//! The list of fuzz targets.
//!
//! In: a name. Out: the property check of that name and the words its mutator may insert. Never
//! keeps state between two inputs.

/// One property check.
pub struct Target {
    /// Its name, which is also the name of its folder of seeds.
    pub name: &'static str,
    /// Panics when a property does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Pieces of text that lead to interesting places.
    pub dictionary: &'static [&'static str],
}

/// Every target.
pub const TARGETS: &[Target] = &[];
