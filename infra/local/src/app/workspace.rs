//! Mail, calendars and documents in local folders. Without `--workspace` the local Slack's people get the
//! sample, created once in the data folder.

use alfred_agent::Ports;
use alfred_agent::store::users;
use alfred_core::config::{ALFRED_CALDAV_URL, ALFRED_IMAP_URL, ALFRED_SMTP_URL};
use alfred_core::ports::{Account, Accounts, Clock, Mailbox};
use alfred_core::{Progress, TeamId, User};
use alfred_workspace::{Identity, Sample, Smtp, Workspace};
use anyhow::Context;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::servers::Servers;
use crate::exit::Usage;

pub const SAMPLE: &str = "workspace";

pub struct Chosen<'a> {
    /// `--workspace`.
    pub folder: Option<&'a Path>,
    /// `--user`: the owner, if the folder is one person's.
    pub user: &'a str,
}

pub struct Opened {
    pub accounts: Accounts,
    /// Where mail goes, in one line.
    pub destination: String,
    /// Progress of reading a mailbox.
    pub looking: Arc<Progress>,
}

/// `None` if nobody has mail, calendars or documents.
pub async fn open(
    ports: &Ports,
    team: Option<&TeamId>,
    data: &Path,
    chosen: Chosen<'_>,
    servers: &Servers,
) -> anyhow::Result<Option<Opened>> {
    let Some(team) = team else {
        return Ok(None);
    };
    let destination = destination(servers.smtp.as_ref(), chosen.folder.is_some());
    let (root, smtp) = match chosen.folder {
        Some(own) => (own.to_owned(), servers.smtp.clone()),
        None if servers.have_owner() => {
            let wrong = format!(
                "{ALFRED_IMAP_URL} and {ALFRED_CALDAV_URL} go with --workspace: documents lie there, and the sample's people aren't real"
            );
            return Err(Usage::error(wrong));
        }
        None => (sample(data, &*ports.clock)?, None),
    };
    let mut people = people(ports, team, &root, chosen.user).await?;
    let own = if servers.have_owner() {
        Some(connected(&mut people, chosen.user, servers)?)
    } else {
        None
    };
    let people = people.into_iter().map(|(_, who, root)| (who, root));
    let mut workspace = Workspace::new(people, ports.clock.clone());
    if let Some(smtp) = smtp {
        workspace = workspace.with_smtp(smtp);
    }
    let workspace = Arc::new(workspace);
    Ok(Some(Opened {
        destination,
        looking: workspace.progress(),
        accounts: Accounts {
            mail: match own {
                #[cfg(feature = "mail-servers")]
                Some(who) => servers.mail(ports, &who, workspace.clone()),
                _ => workspace.clone(),
            },
            calendar: workspace.clone(),
            documents: workspace.clone(),
            sheets: workspace,
            ..Accounts::none()
        },
    }))
}

fn sample(data: &Path, clock: &dyn Clock) -> anyhow::Result<PathBuf> {
    let folder = data.join(SAMPLE);
    let today = clock.now().to_zoned(TimeZone::UTC).date();
    let laid = Sample::lay(&folder, today);
    let laid = laid.with_context(|| format!("the sample workspace, {}", folder.display()))?;
    if laid {
        tracing::info!(folder = %folder.display(), "laid down a sample workspace");
    }
    Ok(folder)
}

/// Registered people with their folders: a subfolder named by handle, address or id. The folder itself is
/// `user`'s if it contains `mail`, `calendar.ics` or `documents`.
async fn people(
    ports: &Ports,
    team: &TeamId,
    folder: &Path,
    user: &str,
) -> anyhow::Result<Vec<(User, Identity, PathBuf)>> {
    if !folder.is_dir() {
        let wrong = format!("--workspace: there is no folder {}", folder.display());
        return Err(Usage::error(wrong));
    }
    let one = ["mail", "calendar.ics", "calendar", "documents"];
    let is_one = one.iter().any(|name| folder.join(name).exists());
    let registered = users::list(&*ports.store, team).await?;
    let mut people = Vec::new();
    for user_row in registered.into_iter().map(|stored| stored.user) {
        let root = if is_one {
            named(&user_row, user).then(|| folder.to_owned())
        } else {
            own_folder(folder, &user_row)
        };
        if let Some(root) = root {
            let who = identity(team, &user_row);
            people.push((user_row, who, root));
        }
    }
    if people.is_empty() {
        tracing::warn!(
            folder = %folder.display(),
            "no registered person owns this workspace: name its owner with --user, or name its folders after registered people"
        );
    }
    Ok(people)
}

fn connected(
    people: &mut [(User, Identity, PathBuf)],
    user: &str,
    servers: &Servers,
) -> anyhow::Result<Identity> {
    let mut own = people.iter_mut().filter(|(row, ..)| named(row, user));
    let Some((_, who, _)) = own.next() else {
        let wrong = format!(
            "{ALFRED_IMAP_URL} and {ALFRED_CALDAV_URL} need an owner: --user names the person, who needs a folder in --workspace"
        );
        return Err(Usage::error(wrong));
    };
    who.calendar = servers.caldav.clone();
    Ok(who.clone())
}

/// Where mail goes, in one line, without user and password.
pub(super) fn destination(smtp: Option<&Smtp>, own_folder: bool) -> String {
    match (smtp, own_folder) {
        (Some(smtp), true) => {
            format!("Mail goes out through {}; mail/sent keeps a copy.", smtp.server)
        }
        (Some(_), false) => {
            "Mail stays in the sample's mail/sent: its people aren't real. --workspace takes your own.".into()
        }
        (None, _) => format!(
            "Mail stays in the workspace's mail/sent; {ALFRED_SMTP_URL} names a server to send it."
        ),
    }
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

/// The path comes from the directory listing, never from a person's profile.
fn own_folder(folder: &Path, user: &User) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    folders.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        path.is_dir() && name.is_some_and(|name| named(user, name))
    })
}

fn identity(team: &TeamId, person: &User) -> Identity {
    Identity {
        account: Account::of(team, &person.slack_user_id),
        mailbox: Mailbox::new(person.name.clone(), &person.email),
        // Registration only accepts known zones.
        zone: TimeZone::get(&person.timezone).unwrap_or(TimeZone::UTC),
        calendar: None,
    }
}
