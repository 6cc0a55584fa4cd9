//! Mail and calendars on one machine: folders of files. Without `--workspace` the local Slack's people get
//! the sample, laid into the data folder once.

use alfred_agent::{Ports, users};
use alfred_core::ports::{Account, Accounts, Clock, Mailbox};
use alfred_core::{TeamId, User};
use alfred_workspace::{Identity, Sample, Workspace};
use anyhow::Context;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exit::Usage;

/// The sample's folder within the data folder.
const SAMPLE: &str = "workspace";

/// Whose folders there are.
pub struct Chosen<'a> {
    /// `--workspace`.
    pub folder: Option<&'a Path>,
    /// `--user`: whose it is when it is one person's.
    pub user: &'a str,
}

/// The sample in this data folder.
pub fn sample(data: &Path, clock: &dyn Clock) -> anyhow::Result<PathBuf> {
    let folder = data.join(SAMPLE);
    let today = clock.now().to_zoned(TimeZone::UTC).date();
    let laid = Sample::lay(&folder, today);
    let laid = laid.with_context(|| format!("the sample workspace, {}", folder.display()))?;
    if laid {
        tracing::info!(folder = %folder.display(), "laid down a sample workspace");
    }
    Ok(folder)
}

/// The accounts of everybody who is registered and has a folder here: within it, by handle, address or
/// id, or all of it, when it holds `mail` or `calendar.ics` itself.
pub async fn accounts(
    ports: &Ports,
    team: &TeamId,
    folder: &Path,
    user: &str,
) -> anyhow::Result<Accounts> {
    if !folder.is_dir() {
        let wrong = format!("--workspace: there is no folder {}", folder.display());
        return Err(Usage::error(wrong));
    }
    let one = ["mail", "calendar.ics", "calendar"];
    let is_one = one.iter().any(|name| folder.join(name).exists());
    let registered = users::list(&*ports.store, team).await?;
    let mut people = Vec::new();
    for user_row in registered.into_iter().map(|stored| stored.user) {
        let root = match is_one {
            true => named(&user_row, user).then(|| folder.to_owned()),
            false => own_folder(folder, &user_row),
        };
        people.extend(root.map(|root| (identity(team, &user_row), root)));
    }
    if people.is_empty() {
        tracing::warn!(
            folder = %folder.display(),
            "the workspace is nobody's: --user says whose it is, or name its folders after registered people"
        );
    }
    let workspace = Arc::new(Workspace::new(people, ports.clock.clone()));
    Ok(Accounts {
        mail: workspace.clone(),
        calendar: workspace,
    })
}

fn named(user: &User, wanted: &str) -> bool {
    let names = [
        user.slack_user_id.as_str(),
        &user.slack_username,
        &user.email,
        &user.name,
    ];
    let wanted = wanted.trim_start_matches('@');
    names.iter().any(|name| name.eq_ignore_ascii_case(wanted))
}

/// A folder's name is taken from the folder, never from a person's profile.
fn own_folder(folder: &Path, user: &User) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    folders.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        path.is_dir() && name.is_some_and(|name| named(user, name))
    })
}

fn identity(team: &TeamId, user: &User) -> Identity {
    Identity {
        account: Account {
            team: team.clone(),
            user: user.slack_user_id.clone(),
        },
        mailbox: Mailbox::new(user.name.clone(), &user.email),
        // Registration lets in only zones that are known.
        zone: TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC),
    }
}
