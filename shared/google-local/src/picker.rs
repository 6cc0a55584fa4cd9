//! Picking files for an app while consenting (<https://developers.google.com/workspace/drive/picker/guides/desktop-mobile-picker>):
//! `trigger_onepick` shows somebody their files. The chosen ones are open to the app.

use alfred_core::html::escaped;

use crate::account::Account;
use crate::consent::Wish;
use crate::scope::DRIVE_FILE;

/// The field of the page for each chosen file.
pub(crate) const PICKED: &str = "picked";

fn picks(wish: &Wish<'_>) -> bool {
    wish.field("trigger_onepick") == "true"
}

/// Files are picked with `drive.file` alone, and with a consent of its own.
pub(crate) fn check(wish: &Wish<'_>, scopes: &[&str]) -> Result<(), String> {
    let alone = scopes == [DRIVE_FILE]
        && wish.field("prompt") == "consent"
        && wish.field("include_granted_scopes") != "true";
    if picks(wish) && !alone {
        return Err("Error 400: invalid_request (files are picked with drive.file alone)".into());
    }
    Ok(())
}

/// Opens the chosen files of an account to the app. Returns their ids.
pub(crate) fn opened(wish: &Wish<'_>, account: Option<&mut Account>) -> Option<String> {
    let account = account.filter(|_| picks(wish))?;
    let mut ids = wish.all(PICKED);
    ids.retain(|id| account.drive.file(id).is_some_and(|file| !file.trashed));
    for id in &ids {
        if let Some(file) = account.drive.file(id) {
            file.open = true;
        }
    }
    Some(ids.join(","))
}

/// The files to choose from.
pub(crate) fn shown<'a>(wish: &Wish<'_>, accounts: impl Iterator<Item = &'a Account>) -> String {
    let mut form = String::new();
    for account in accounts.filter(|_| picks(wish)) {
        let email = escaped(&account.email);
        form += &format!("<fieldset><legend>Files of {email}</legend>");
        for (id, file) in account.drive.files().filter(|(_, file)| !file.trashed) {
            let (id, name) = (escaped(id), escaped(&file.name));
            form += &format!(
                "<label><input type=\"checkbox\" name=\"{PICKED}\" value=\"{id}\"> {name}</label>"
            );
        }
        form += "</fieldset>";
    }
    form
}
