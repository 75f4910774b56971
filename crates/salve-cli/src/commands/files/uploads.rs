//! `salve files --uploads` and its like: what providers keep of a session's files.
//!
//! In: a session and what is to be done. Out: the records after it. Uploads, deletions and rehydrations ask the
//! provider; a list and a new time do not. Never uploads what may not be loaded into a prompt.

use crate::arguments::{FilesArguments, Format, UploadArguments};
use crate::commands::sessions::find;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::output;
use crate::settings::Settings;
use crate::table::{Align, table};
use salve_engine::jobs::WhichModel;
use salve_engine::session::{
    FileTtl, SkippedFile, UploadDesk, UploadFault, UploadPlace, UploadSettings, local_file,
    needs_rehydration, upload_document,
};
use salve_model::Chosen;
use salve_store::{SessionRecord, UploadRecord, UploadState};
use salve_tree::Root;
use salve_types::Timestamp;
use serde_json::{Value, json};
use std::path::Path;

/// Does what the arguments say about uploads; nothing where they say nothing.
pub(super) fn run(arguments: &FilesArguments, format: Format) -> Option<CommandResult> {
    let UploadArguments { uploads, upload, rehydrate, delete_upload, ttl, clean_up } =
        &arguments.uploads;
    let is_asked = *uploads || *rehydrate || *clean_up || upload.is_some() || ttl.is_some();
    if !is_asked && delete_upload.is_none() {
        return None;
    }
    let act = async |open: &OpenJobs<'_>| {
        let session = find(open.store(), &arguments.place, arguments.id.as_deref()).await?;
        act(open, &session, &arguments.uploads, format).await
    };
    Some(job_place::with(&arguments.store, "files", act))
}

async fn act(
    open: &OpenJobs<'_>,
    session: &SessionRecord,
    arguments: &UploadArguments,
    format: Format,
) -> CommandResult {
    let settings = Settings::load_for(Some(Path::new(&session.workspace)))?;
    let settings = settings.chat.value.upload_settings();
    let desk = open.upload_desk()?;
    let counted = |name: &str, count: usize| output::story(&format!("{name} {count} upload(s)\n"));
    let mut ending = Ending::Clean;
    if let Some(path) = &arguments.upload {
        upload(open, &desk, session, path, &settings).await?;
    } else if let Some(named) = &arguments.delete_upload {
        let record = named_upload(open, session, named).await?;
        desk.delete_file(&record).await.map_err(|error| fault(&error))?;
        counted("deleted", 1);
    } else if let Some(hours) = arguments.ttl {
        let ttl = FileTtl::from_hours(hours).ok_or_else(|| {
            Failure::new(format!("`--ttl {hours}` is no time"))
                .hint("Hours are 0 (until another session), a positive number, or -1 (for ever).")
        })?;
        let count = desk.set_file_ttl(&session.id, ttl).await.map_err(|error| fault(&error))?;
        counted("set the time of", usize::try_from(count).unwrap_or(usize::MAX));
    } else if arguments.clean_up {
        let done = desk.clean_up(None).await.map_err(|error| fault(&error))?;
        counted("deleted", done.deleted.len());
        for (record, why) in &done.failed {
            output::story(&format!("{}: {why}\n", record.path));
            ending = Ending::Findings;
        }
    } else if arguments.rehydrate {
        ending = rehydrate(open, &desk, session, &settings).await?;
    }
    let records = open.store().uploads(&session.id).await?;
    show(&records, desk.now(), format)?;
    Ok(ending)
}

async fn upload(
    open: &OpenJobs<'_>,
    desk: &UploadDesk,
    session: &SessionRecord,
    path: &str,
    settings: &UploadSettings,
) -> Result<(), Failure> {
    let Chosen { provider, name, capability, .. } =
        open.choose(&WhichModel::default()).map_err(Failure::new)?;
    if !capability.agentic {
        return Err(Failure::new(format!("`{provider}/{name}` cannot search in files by itself"))
            .hint(
                "Name a model in `[roles]` that can, or say `agentic = true` in a `[[model]]`.",
            ));
    }
    let root = Root::open(Path::new(&session.workspace))?;
    let file = local_file(&root, path, settings.max_bytes).map_err(|skipped| refused(&skipped))?;
    let workspace = session.workspace.clone();
    let place = UploadPlace { session: session.id.clone(), workspace, provider };
    let before = open.store().uploads(&session.id).await?;
    let before = before.iter().rev().find(|record| {
        record.path == file.path && record.provider == place.provider && record.file_id.is_some()
    });
    let ttl = settings.effective_ttl();
    let record = match before {
        Some(before) => desk.rehydrate_file(before, &file, ttl).await,
        None => desk.upload_file(&place, &file, ttl).await,
    };
    let id = record.map_err(|error| fault(&error))?.file_id.unwrap_or_default();
    output::story(&format!("{path} is {id} at {}\n", place.provider));
    Ok(())
}

async fn rehydrate(
    open: &OpenJobs<'_>,
    desk: &UploadDesk,
    session: &SessionRecord,
    settings: &UploadSettings,
) -> Result<Ending, Failure> {
    let (root, ttl) = (Root::open(Path::new(&session.workspace))?, settings.effective_ttl());
    let records = open.store().uploads(&session.id).await?;
    let mut ending = Ending::Clean;
    for (at, record) in records.iter().enumerate() {
        let is_newest = !records.iter().skip(at + 1).any(|later| later.path == record.path);
        if !is_newest {
            continue;
        }
        let file = match local_file(&root, &record.path, settings.max_bytes) {
            Ok(file) => file,
            Err(skipped) => {
                output::story(&refused(&skipped).render());
                ending = Ending::Findings;
                continue;
            }
        };
        let new = desk.rehydrate_file(record, &file, ttl).await.map_err(|error| fault(&error))?;
        let what = if new.key == record.key { "is there" } else { "was uploaded again" };
        output::story(&format!("{} {what}\n", record.path));
    }
    Ok(ending)
}

async fn named_upload(
    open: &OpenJobs<'_>,
    session: &SessionRecord,
    named: &str,
) -> Result<UploadRecord, Failure> {
    let records = open.store().uploads(&session.id).await?;
    let is_named = |record: &UploadRecord| {
        let is_meant = record.path == named || record.file_id.as_deref() == Some(named);
        is_meant && record.state != UploadState::Deleted
    };
    records.into_iter().rev().find(is_named).ok_or_else(|| {
        Failure::new(format!("the session has no upload `{named}`"))
            .hint("`salve files --uploads` lists them.")
    })
}

fn refused(skipped: &SkippedFile) -> Failure {
    let code = json!(skipped.code);
    let code = code.as_str().or_else(|| code["omitted"].as_str()).unwrap_or_default().to_owned();
    Failure::new(format!("`{}` is not uploaded: {code}, {} bytes", skipped.path, skipped.size))
}

fn fault(fault: &UploadFault) -> Failure {
    Failure::new(fault.to_string())
}

fn show(records: &[UploadRecord], now: Timestamp, format: Format) -> Result<(), Failure> {
    let document = |record: &UploadRecord| {
        let mut document = upload_document(record);
        document["needsRehydration"] = Value::Bool(needs_rehydration(record, now));
        document
    };
    match format {
        Format::Human if records.is_empty() => output::result("no uploads\n"),
        Format::Human => {
            let columns = [
                ("file", Align::Left),
                ("id", Align::Left),
                ("provider", Align::Left),
                ("bytes", Align::Right),
                ("state", Align::Left),
                ("until", Align::Left),
            ];
            let row = |record: &UploadRecord| {
                let over = needs_rehydration(record, now) && record.state == UploadState::Live;
                vec![
                    record.path.clone(),
                    record.file_id.clone().unwrap_or_else(|| "-".to_owned()),
                    record.provider.clone(),
                    record.size.to_string(),
                    if over { "over".to_owned() } else { record.state.name().to_owned() },
                    record.expires_at.map_or_else(|| "-".to_owned(), |end| end.to_string()),
                ]
            };
            output::result(&table(&columns, &records.iter().map(row).collect::<Vec<_>>()))
        }
        _ => output::values(format, &records.iter().map(document).collect::<Vec<Value>>()),
    }
}
