//! `files.*`, as far as a picture needs them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::args::Args;
use super::{Answer, ApiError};
use crate::files::{Stage, StoredFile};
use crate::state::{SlackLocal, lock};
use crate::upload;

/// Characters of a description.
const ALT_CHARACTERS: usize = 1_000;

pub(super) fn upload_url(slack: &SlackLocal, args: &Args) -> Answer {
    let name = args.required("filename")?.to_owned();
    let alt = args.text("alt_txt")?.unwrap_or_default().to_owned();
    let size = args.number("length")?;
    if alt.chars().count() > ALT_CHARACTERS {
        return Err("alt_txt_too_large".into());
    }
    let file = StoredFile {
        id: slack.id("F"),
        title: name.clone(),
        name,
        alt,
        size,
        created: slack.0.clock.now().as_second(),
        ..StoredFile::default()
    };
    let ticket = slack.expect_file(&file)?;
    let base = lock(&slack.0.base_url).clone();
    Ok(json!({"upload_url": upload::address(&base, &ticket), "file_id": file.id}))
}

#[derive(Deserialize)]
struct Named {
    id: String,
    title: Option<String>,
}

pub(super) fn complete(slack: &SlackLocal, args: &Args) -> Answer {
    let files = args.json("files", "invalid_arguments")?;
    let files = files.and_then(|files| serde_json::from_value::<Vec<Named>>(files).ok());
    let files = files.filter(|files| !files.is_empty());
    let files = files.ok_or(ApiError::invalid("files must be objects with an id"))?;
    let mut db = slack.db();
    let mut done = Vec::new();
    for Named { id, title } in files {
        let file = db.read().file(&id)?;
        let file = file.filter(|file| file.stage == Stage::Uploaded);
        let mut file = file.ok_or("file_not_found")?;
        file.title = title.unwrap_or(file.title);
        let looks = slack.0.file_looks;
        file.stage = Stage::Processing { looks };
        done.push(file);
    }
    db.write(|tx| done.iter().try_for_each(|file| tx.put_file(file)))?;
    let shown = |file: &StoredFile| json!({"id": file.id, "title": file.title});
    Ok(json!({"files": done.iter().map(shown).collect::<Vec<_>>()}))
}

pub(super) fn info(slack: &SlackLocal, args: &Args) -> Answer {
    let found = slack.look_at_file(args.required("file")?)?;
    let file = found.ok_or("file_not_found")?;
    Ok(json!({
        "file": shown(slack, &file),
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }))
}

fn shown(slack: &SlackLocal, file: &StoredFile) -> Value {
    let processed = file.stage == Stage::Processed;
    let mimetype = if processed { file.mimetype() } else { "" };
    json!({
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": mimetype,
        "user": slack.seed().bot_user,
        "user_team": slack.seed().team_id,
        "mode": "hosted",
        "file_access": "visible",
        "size": file.size,
        "alt_txt": file.alt,
        "is_external": false,
        "url_private_download": slack.download_address(file),
        "public_url_shared": false,
    })
}
