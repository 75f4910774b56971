//! Each rule of the gates, language by language.
