//! An installation on one machine.

use alfred_core::config::{
    ALFRED_ADMINS, SLACK_API_URL, SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SLACK_CONFIG_TOKEN, trimmed,
};
use alfred_core::ports::Secrets;
use rustix::fs::{Access, access};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::model::Models;
use super::{Check, Finding, Lookup, disk, secrets, settings, slack};

const OWN_FILE: &str = "It must be JSON, in a file that only you can read.";

pub struct Machine<S> {
    pub environment: BTreeMap<String, String>,
    /// What the readers of settings refuse.
    pub wrong: Vec<String>,
    pub models: Models,
    /// The data folder.
    pub data: PathBuf,
    pub database: PathBuf,
    /// The secrets in it.
    pub secrets: S,
}

impl<S: Secrets + 'static> Machine<S> {
    /// `store` looks at the database, and says what it found or what is wrong.
    pub fn checks(
        self,
        store: impl FnOnce(&Path) -> Result<String, String> + Send + 'static,
    ) -> Vec<Check> {
        let store = move || {
            let refused = access(&self.database, Access::READ_OK | Access::WRITE_OK).err();
            vec![match (store(&self.database), refused) {
                (Err(error), _) => Finding::problem("store", error, ""),
                (Ok(_), Some(error)) if self.database.exists() => {
                    let found = format!("{} can't be written: {error}", self.database.display());
                    Finding::problem("store", found, "Make the file yours to write.")
                }
                (Ok(found), _) => Finding::ok("store", found),
            }]
        };
        let environment = self.environment.clone();
        let lookup: Lookup = Arc::new(move |name| trimmed(environment.get(name)?));
        let clock = self.models.clock.clone();
        let mut checks = vec![
            Check::done("settings", settings::check(&self.environment, self.wrong)),
            Check::new("model", self.models.check()),
        ];
        if let Some(token) = lookup(SLACK_BOT_TOKEN) {
            let admins = lookup(ALFRED_ADMINS).unwrap_or_default();
            let api = lookup(SLACK_API_URL).unwrap_or_else(|| slack::API.into());
            let people = slack::check_people(api.clone(), token.clone().into(), admins);
            let configuration = lookup(SLACK_CONFIG_TOKEN).map(Into::into);
            let events = slack::check_events(api.clone(), token.clone().into(), configuration);
            checks.extend([
                Check::new("people", people),
                Check::new("slack", slack::check(api.clone(), token.into(), clock)),
                Check::new("events", events),
            ]);
            if let Some(token) = lookup(SLACK_APP_TOKEN) {
                let check = slack::check_socket(api, token.into());
                checks.push(Check::new("Socket Mode", check));
            }
        } else if lookup(SLACK_APP_TOKEN).is_none() {
            let found = format!("{SLACK_BOT_TOKEN} isn't set, so a local page plays Slack");
            checks.push(Check::done("slack", vec![Finding::ok("slack", found)]));
        }
        let mut needed = secrets::needed(&lookup);
        needed.retain(|name| lookup(name).is_none());
        let secrets = secrets::check(needed, self.secrets, Ok(BTreeMap::new()), OWN_FILE);
        checks.extend([
            Check::blocking("store", store),
            Check::new("secrets", secrets),
            Check::blocking("disk", move || disk::check(&self.data)),
        ]);
        checks
    }
}
