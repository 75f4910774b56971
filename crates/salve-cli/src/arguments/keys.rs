//! `salve keys`, as data.
//!
//! In: arguments. Out: one value per command, checked by clap. Never acts on them.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct KeysArguments {
    /// Lists the keys when absent.
    #[command(subcommand)]
    pub(crate) command: Option<KeysCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Makes a key and shows it, this once.
    Add {
        /// What to call it.
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The most tokens it may use in a day (UTC), prompts and answers together.
        #[arg(long, value_name = "COUNT")]
        tokens_per_day: Option<u64>,
        /// The most it may cost in a day (UTC).
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        dollars_per_day: Option<u64>,
        /// The most requests it may make in a minute.
        #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
        requests_per_minute: Option<u32>,
    },
    /// Lists the keys, what they used today, and what they may.
    List,
    /// Revokes a key, at once and for good.
    Revoke {
        /// Its name.
        name: String,
    },
}

// In millionths of a dollar.
fn dollars(text: &str) -> Result<u64, String> {
    let amount: f64 = text.parse().map_err(|_| "use a number such as 2.50".to_owned())?;
    let micro = (amount * 1e6).round();
    if !(0.0..=1e15).contains(&micro) {
        return Err("use an amount from 0 to a billion".to_owned());
    }
    Ok(micro as u64)
}
