//! `files.*`, as far as a picture needs them.

use serde_json::{Value, json};

use super::args::Args;
use super::{Answer, ApiError};
use crate::files::{FILE_BYTES, Stage, StoredFile};
use crate::state::{SlackLocal, lock};
use crate::upload;

/// Characters of a description.
const ALT_CHARACTERS: usize = 1_000;
/// Arguments that share a file at once, or make a snippet of it.
const NOT_SERVED: [&str; 6] = [
    "channel_id",
    "channels",
    "thread_ts",
    "initial_comment",
    "blocks",
    "snippet_type",
];

fn only_served(args: &Args) -> Result<(), ApiError> {
    match NOT_SERVED.iter().find(|name| args.has(name)) {
        None => Ok(()),
        Some(name) => {
            let why = format!("{name} isn't served by the local Slack");
            Err(ApiError::invalid(why))
        }
    }
}

pub(super) fn upload_url(slack: &SlackLocal, args: &Args) -> Answer {
    only_served(args)?;
    let name = args.required("filename")?.to_owned();
    let alt = args.text("alt_txt")?.unwrap_or_default().to_owned();
    let size = args.number("length")?;
    match size {
        // Slack's own words: typically when the length is 0.
        0 => return Err("missing_argument".into()),
        size if size > FILE_BYTES => return Err("file_upload_size_restricted".into()),
        _ => {}
    }
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
        stage: Stage::Waiting,
        picture: None,
        media_type: String::new(),
    };
    let ticket = slack.expect_file(&file)?;
    let base = lock(&slack.0.base_url).clone();
    Ok(json!({"upload_url": upload::address(&base, &ticket), "file_id": file.id}))
}

pub(super) fn complete(slack: &SlackLocal, args: &Args) -> Answer {
    only_served(args)?;
    let files = args.json("files", "invalid_arguments")?;
    let named = named(files.as_ref())?;
    let looks = slack.0.file_looks;
    let mut done = Vec::new();
    let mut refused = None;
    slack.db().write(|tx| {
        for (id, title) in &named {
            let file = tx.file(id)?;
            let Some(mut file) = file.filter(|file| file.stage == Stage::Uploaded) else {
                refused = Some("file_not_found");
                break;
            };
            if let Some(title) = title {
                title.clone_into(&mut file.title);
            }
            file.stage = Stage::Processing { looks };
            done.push(file);
        }
        if refused.is_some() {
            return Ok(());
        }
        done.iter().try_for_each(|file| tx.put_file(file))
    })?;
    if let Some(code) = refused {
        return Err(code.into());
    }
    let shown: Vec<Value> = done
        .iter()
        .map(|file| json!({"id": file.id, "title": file.title}))
        .collect();
    Ok(json!({"files": shown}))
}

fn named(files: Option<&Value>) -> Result<Vec<(String, Option<String>)>, ApiError> {
    let wrong = |what| ApiError::invalid(format!("[ERROR] {what} [json-pointer:/files]"));
    let files = files.and_then(Value::as_array);
    let files = files.ok_or_else(|| wrong("missing required field: files"))?;
    if files.is_empty() {
        return Err(wrong("must provide at least 1 items"));
    }
    let one = |file: &Value| {
        let id = file["id"].as_str()?.to_owned();
        match &file["title"] {
            Value::Null => Some((id, None)),
            Value::String(title) => Some((id, Some(title.clone()))),
            _ => None,
        }
    };
    let named: Option<Vec<_>> = files.iter().map(one).collect();
    named.ok_or_else(|| wrong("must be objects with an id"))
}

pub(super) fn info(slack: &SlackLocal, args: &Args) -> Answer {
    let found = slack.look_at_file(args.required("file")?)?;
    let file = found.ok_or(ApiError::from("file_not_found"))?;
    Ok(json!({
        "file": shown(slack, &file),
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }))
}

fn shown(slack: &SlackLocal, file: &StoredFile) -> Value {
    let processed = file.stage == Stage::Processed;
    let (filetype, pretty) = match file.picture {
        _ if !processed => ("", ""),
        Some(_) => ("png", "PNG"),
        None => ("binary", "Binary"),
    };
    let mimetype = if processed { file.mimetype() } else { "" };
    let mut out = json!({
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": mimetype,
        "filetype": filetype,
        "pretty_type": pretty,
        "user": slack.seed().bot_user,
        "user_team": slack.seed().team_id,
        "mode": "hosted",
        "file_access": "visible",
        "size": file.size,
        "alt_txt": file.alt,
        "is_external": false,
        "url_private_download": slack.download_address(file),
        "public_url_shared": false,
    });
    if let Some(picture) = file.picture.filter(|_| processed) {
        out["original_w"] = picture.width.into();
        out["original_h"] = picture.height.into();
    }
    out
}
