//! Picking files for an app while consenting (<https://developers.google.com/workspace/drive/picker/guides/desktop-mobile-picker>):
//! `trigger_onepick` shows somebody their files; those that they choose are open to the app.

use alfred_core::html::escaped;
use std::fmt::Write;

use crate::account::Account;
use crate::consent::Wish;
use crate::drive::File;
use crate::scope::DRIVE_FILE;

/// The field of the page for each file that was chosen.
pub(crate) const PICKED: &str = "picked";

fn picks(wish: &Wish<'_>) -> bool {
    wish.field("trigger_onepick") == "true"
}

/// Files are picked with `drive.file` alone, and with a consent of its own.
pub(crate) fn check(wish: &Wish<'_>, scopes: &[&str]) -> Result<(), String> {
    let alone = scopes == [DRIVE_FILE]
        && wish.field("prompt").contains("consent")
        && wish.field("include_granted_scopes") != "true";
    match picks(wish) && !alone {
        true => Err("Error 400: invalid_request (files are picked with drive.file alone)".into()),
        false => Ok(()),
    }
}

fn fits(wish: &Wish<'_>, file: &File) -> bool {
    let types = wish.field("mimetypes");
    let mut wanted = types.split(',');
    !file.trashed && (types.is_empty() || wanted.any(|one| one == file.mime_type()))
}

/// Opens what was chosen of an account's files; their ids, as they go back to the app.
pub(crate) fn opened(wish: &Wish<'_>, account: Option<&mut Account>) -> Option<String> {
    let (true, Some(account)) = (picks(wish), account) else {
        return None;
    };
    let several = wish.field("allow_multiple") == "true";
    let chosen = wish.asked.iter().filter(|(name, _)| name == PICKED);
    let mut ids = Vec::new();
    for (_, id) in chosen.take(if several { usize::MAX } else { 1 }) {
        if let Some(file) = account.drive.file(id).filter(|file| fits(wish, file)) {
            file.open = true;
            ids.push(id.as_str());
        }
    }
    Some(ids.join(","))
}

/// The files to choose from; nothing where none are picked.
pub(crate) fn shown<'a>(wish: &Wish<'_>, accounts: impl Iterator<Item = &'a Account>) -> String {
    let mut form = String::new();
    for account in accounts.filter(|_| picks(wish)) {
        let email = escaped(&account.email);
        let _ = write!(form, "<fieldset><legend>Files of {email}</legend>");
        for (id, file) in account.drive.files().filter(|(_, file)| fits(wish, file)) {
            let (id, name) = (escaped(id), escaped(&file.name));
            let _ = write!(
                form,
                "<label><input type=\"checkbox\" name=\"{PICKED}\" value=\"{id}\"> {name}</label>"
            );
        }
        form.push_str("</fieldset>");
    }
    form
}
