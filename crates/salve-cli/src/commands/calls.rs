//! `salve calls`: the calls to models, their outcomes, and those without a known one.
//!
//! In: the ledger. Out: a list or one call with its texts; a decision or a mark where asked. Never
//! shows a secret: none was kept.

use crate::arguments::{
    CallsArguments, CallsCommand, CallsListArguments, Format, ResolveAs, StateChoice,
};
use crate::change::visible;
use crate::commands::gateway_keys::dollars;
use crate::commands::history::ago;
use crate::failure::{CommandResult, Ending, Failure};
use crate::table::{Align, table};
use crate::workspace::now;
use crate::{host, output};
use anstyle::AnsiColor;
use salve_store::{
    Call, CallDetail, CallFilter, CallId, CallState, CallTry, GatewayKey, KeyId, Resolution, Store,
};

/// Runs `salve calls`.
pub(crate) fn run(arguments: &CallsArguments, format: Format) -> CommandResult {
    let Some(command) = &arguments.command else {
        return list(&CallsListArguments::default(), format);
    };
    match command {
        CallsCommand::List(options) => list(options, format),
        CallsCommand::Show { id } => show(CallId(*id), format),
        CallsCommand::Resolve { id, decision } => resolve(CallId(*id), *decision),
        CallsCommand::FalseAlarm { id } => {
            let id = CallId(*id);
            looked(async move |store| Ok(store.mark_false_positive(id).await?))?;
            output::result(&format!("call {id} is marked as a false alarm\n"))?;
            Ok(Ending::Clean)
        }
    }
}

fn looked<T>(act: impl AsyncFnOnce(&Store) -> Result<T, Failure>) -> Result<T, Failure> {
    host::read_store("calls", act)?.ok_or_else(|| {
        Failure::new("no call was made yet").hint("`salve gateway` makes and keeps calls.")
    })
}

fn list(options: &CallsListArguments, format: Format) -> CommandResult {
    let found = host::read_store("calls", async |store| {
        let keys = store.list_keys().await?;
        let filter = filter(options, &keys)?;
        let mut calls = store.calls(&filter).await?;
        // A call that was made again after its worker died went out more than once.
        calls.extend(store.earlier_tries(&filter).await?);
        calls.retain(went_out);
        calls.sort_by_key(|call| std::cmp::Reverse((call.id, call.epoch)));
        calls.truncate(filter.limit as usize);
        Ok((calls, keys))
    })?;
    let (calls, keys) = found.unwrap_or_default();
    match format {
        Format::Human if calls.is_empty() => output::result("no calls\n")?,
        Format::Human => {
            output::result(&drawn(&calls, &keys))?;
            let unknown = calls.iter().filter(|call| call.state == CallState::Unknown).count();
            if unknown > 0 {
                output::story(&format!(
                    "{unknown} unknown: the process that made them is gone, and they may have been charged. \
                     They count as the most they can have taken until `salve calls resolve` or the end of the day.\n"
                ));
            }
        }
        _ => output::values(format, &calls)?,
    }
    Ok(Ending::Clean)
}

// What a worker that died had received may be taken for the answer: then the call that was lost is the
// only one that went out.
fn went_out(call: &Call) -> bool {
    // Rows of earlier versions have the note of the step inside of another one.
    let interrupted = |note: &serde_json::Value| {
        note["interrupted"] == true || note["note"]["interrupted"] == true
    };
    !call.note.as_ref().is_some_and(interrupted)
}

fn filter(options: &CallsListArguments, keys: &[GatewayKey]) -> Result<CallFilter, Failure> {
    let key_id = match &options.key {
        None => None,
        Some(name) => {
            Some(keys.iter().find(|key| key.name == *name).map(|key| key.id).ok_or_else(|| {
                Failure::new(format!("there is no key named `{name}`"))
                    .hint("`salve keys list` shows the keys.")
            })?)
        }
    };
    Ok(CallFilter {
        state: options.state.map(|state| match state {
            StateChoice::Open => CallState::Open,
            StateChoice::Unknown => CallState::Unknown,
            StateChoice::Settled => CallState::Settled,
        }),
        model: options.model.clone(),
        key_id,
        session: options.session.clone(),
        before: options.before.map(CallId),
        limit: options.limit,
        ..CallFilter::default()
    })
}

fn drawn(calls: &[Call], keys: &[GatewayKey]) -> String {
    let columns = [
        ("call", Align::Right),
        ("when", Align::Right),
        ("outcome", Align::Left),
        ("why", Align::Left),
        ("model", Align::Left),
        ("in", Align::Right),
        ("out", Align::Right),
        ("cost", Align::Right),
        ("key", Align::Left),
    ];
    let rows: Vec<Vec<String>> = calls
        .iter()
        .map(|call| {
            let about = if call.estimated { "~" } else { "" };
            let count = |count: Option<u64>| {
                count.map_or("-".to_owned(), |count| format!("{about}{count}"))
            };
            let made = u64::try_from(call.reserved_at.0).unwrap_or_default();
            vec![
                call.id.to_string(),
                ago(now().saturating_sub(made)),
                outcome_of(call),
                call.purpose.clone(),
                call.model.clone(),
                count(call.usage.map(|usage| usage.input_tokens)),
                count(call.usage.map(|usage| usage.output_tokens)),
                call.micro_dollars.map_or("-".to_owned(), dollars),
                call.key_id.map_or("-".to_owned(), |id| key_name(id, keys)),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn outcome_of(call: &Call) -> String {
    match (call.state, call.outcome) {
        (CallState::Unknown, _) => "unknown".to_owned(),
        (_, Some(outcome)) => outcome.name().to_owned(),
        (state, None) => state.name().to_owned(),
    }
}

fn key_name(id: KeyId, keys: &[GatewayKey]) -> String {
    keys.iter().find(|key| key.id == id).map_or_else(|| id.to_string(), |key| key.name.clone())
}

fn show(id: CallId, format: Format) -> CommandResult {
    let detail = looked(async move |store| {
        store.call(id).await?.ok_or_else(|| {
            Failure::new(format!("there is no call {id}")).hint("`salve calls list` shows them.")
        })
    })?;
    match format {
        Format::Human => output::result(&story(&detail))?,
        _ => output::value(format, &detail)?,
    }
    Ok(Ending::Clean)
}

fn story(detail: &CallDetail) -> String {
    let call = &detail.call;
    let mut lines: Vec<(&str, String)> = vec![
        ("call", call.id.to_string()),
        ("outcome", outcome_of(call)),
        ("reserved", call.reserved_at.to_string()),
    ];
    let mut add = |name: &'static str, value: Option<String>| {
        if let Some(value) = value {
            lines.push((name, value));
        }
    };
    add("settled", call.settled_at.map(|at| at.to_string()));
    add("why", Some(call.purpose.clone()));
    add("dialect", Some(call.dialect.clone()));
    add("provider", Some(call.provider.clone()));
    add("model", Some(call.model.clone()));
    add("session", call.session.clone());
    add("continues", call.parent.map(|parent| format!("call {parent}")));
    add("worker", Some(call.worker.clone()));
    let about = if call.estimated { " (estimated)" } else { "" };
    add(
        "took",
        call.usage
            .map(|usage| format!("{} in, {} out{about}", usage.input_tokens, usage.output_tokens)),
    );
    add("cost", call.micro_dollars.map(dollars));
    add(
        "held at most",
        Some(format!("{} tokens, {}", call.worst.tokens, dollars(call.worst.micro_dollars))),
    );
    add("ended because", call.finish.clone());
    add("status", call.status.map(|status| status.to_string()));
    add("error", call.error.clone());
    add("cut", call.kind.clone());
    add("language", call.language.clone());
    add("false alarm", call.false_alarm.then(|| "yes".to_owned()));
    add("note", call.note.as_ref().map(ToString::to_string));
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text: String =
        lines.iter().map(|(name, value)| format!("{name:<width$}  {}\n", visible(value))).collect();
    for one in &detail.tries {
        text.push_str(&format!("\n{}\n", visible(&tried(one))));
    }
    let texts = &detail.texts;
    let slots = [
        ("raw", Some(&texts.raw)),
        ("partial", texts.partial.as_ref()),
        ("result", texts.result.as_ref()),
    ];
    for (name, slot) in slots {
        let Some(slot) = slot.filter(|slot| !slot.is_empty()) else { continue };
        let head = AnsiColor::Cyan.on_default();
        text.push_str(&format!("\n{head}{name}{head:#} ({} bytes)\n", slot.len()));
        for line in slot.lines() {
            text.push_str(&format!("  {}\n", visible(line)));
        }
    }
    text
}

fn tried(one: &CallTry) -> String {
    let (worker, counted) = (&one.worker, &one.counted);
    let (tokens, money) = (counted.tokens, dollars(counted.micro_dollars));
    match &one.late {
        None => format!(
            "It was begun before, at {} by {worker}, which died: that call may have been charged, \
             and counts as {tokens} tokens, {money}.",
            one.reserved_at
        ),
        Some(late) => format!(
            "It was begun before, at {} by {worker}, which said so late, at {}: it took {tokens} \
             tokens, {money}.",
            one.reserved_at, late.at
        ),
    }
}

fn resolve(id: CallId, decision: ResolveAs) -> CommandResult {
    let (decision, words) = match decision {
        ResolveAs::NeverMade => (Resolution::NeverMade, "never made; its budget is free again"),
        ResolveAs::Worst => (Resolution::CountWorst, "made; it counts as the most it could take"),
    };
    looked(async move |store| {
        let detail = store.call(id).await?;
        if detail.is_some_and(|detail| detail.call.state == CallState::Open) {
            return Err(Failure::new(format!("call {id} is still being made"))
                .hint("Only a call whose outcome is unknown can be resolved."));
        }
        Ok(store.resolve(id, decision).await?)
    })?;
    output::result(&format!("call {id} counts as {words}\n"))?;
    Ok(Ending::Clean)
}
