//! Mail, calendars and documents on one machine: folders of files. Without `--workspace` the local Slack's people get
//! the sample, laid into the data folder once.

use alfred_agent::{Ports, users};
use alfred_core::config::{ALFRED_SMTP_PASSWORD, ALFRED_SMTP_URL};
use alfred_core::ports::{Account, Accounts, Clock, Mailbox, Secrets};
use alfred_core::{Progress, TeamId, User};
use alfred_workspace::{Identity, Sample, Smtp, Workspace};
use anyhow::Context;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exit::Usage;

/// The sample's folder within the data folder.
pub const SAMPLE: &str = "workspace";
/// The secret with the mail server's password.
const PASSWORD: &str = "alfred/ALFRED_SMTP_PASSWORD";

/// Whose folders there are.
pub struct Chosen<'a> {
    /// `--workspace`.
    pub folder: Option<&'a Path>,
    /// `--user`: whose it is when it is one person's.
    pub user: &'a str,
}

/// People's mail, calendars and documents.
pub struct Opened {
    pub accounts: Accounts,
    /// Where mail goes, in one line.
    pub destination: String,
    /// How far a look through a mailbox is.
    pub looking: Arc<Progress>,
}

/// What people's mail, calendars and documents are; nothing where nobody has any.
pub async fn open(
    ports: &Ports,
    team: Option<&TeamId>,
    data: &Path,
    chosen: Chosen<'_>,
    smtp: Option<Smtp>,
) -> anyhow::Result<Option<Opened>> {
    let Some(team) = team else {
        return Ok(None);
    };
    let destination = destination(smtp.as_ref(), chosen.folder.is_some());
    let (root, smtp) = match chosen.folder {
        Some(own) => (own.to_owned(), smtp),
        None => (sample(data, &*ports.clock)?, None),
    };
    let workspace = Arc::new(folders(ports, team, &root, chosen.user, smtp).await?);
    Ok(Some(Opened {
        destination,
        looking: workspace.progress(),
        accounts: Accounts {
            mail: workspace.clone(),
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

/// The folders of everybody who is registered and has a folder here: within it, by handle, address or
/// id, or all of it, when it holds `mail`, `calendar.ics` or
/// `documents` itself.
async fn folders(
    ports: &Ports,
    team: &TeamId,
    folder: &Path,
    user: &str,
    smtp: Option<Smtp>,
) -> anyhow::Result<Workspace> {
    if !folder.is_dir() {
        let wrong = format!("--workspace: there is no folder {}", folder.display());
        return Err(Usage::error(wrong));
    }
    let one = ["mail", "calendar.ics", "calendar", "documents"];
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
    let mut workspace = Workspace::new(people, ports.clock.clone());
    if let Some(smtp) = smtp {
        workspace = workspace.with_smtp(smtp);
    }
    Ok(workspace)
}

/// The server that takes mail, if one is configured. Its password is read from the environment, else from
/// the data folder's secrets.
pub async fn smtp(
    variable: impl Fn(&str) -> Option<String>,
    secrets: &dyn Secrets,
) -> anyhow::Result<Option<Smtp>> {
    let Some(url) = variable(ALFRED_SMTP_URL) else {
        return Ok(None);
    };
    let password = match variable(ALFRED_SMTP_PASSWORD) {
        Some(password) => Some(password.into()),
        None => secrets.get(PASSWORD).await?,
    };
    let smtp = Smtp::read(&url, password).map_err(Usage::error)?;
    Ok(Some(smtp))
}

/// Where mail goes, in one line: without user and password.
fn destination(smtp: Option<&Smtp>, own_folder: bool) -> String {
    match (smtp, own_folder) {
        (Some(smtp), true) => format!("Mail goes out through {smtp}; mail/sent keeps a copy."),
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
        calendar: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_embedded::{DataFolder, FolderError};

    async fn line(url: Option<&str>, kept: Option<&str>) -> Result<String, String> {
        let data = std::env::temp_dir().join(format!("alfred-{}", hex::encode(uuid())));
        let folder = DataFolder::open(&data).map_err(|error: FolderError| error.to_string())?;
        let secrets = folder.secrets();
        if let Some(kept) = kept {
            secrets.put(PASSWORD, &kept.into()).await.unwrap();
        }
        let url = url.map(str::to_owned);
        let variable = move |name: &str| url.clone().filter(|_| name == ALFRED_SMTP_URL);
        let read = smtp(variable, &secrets).await;
        std::fs::remove_dir_all(&data).unwrap();
        match read {
            Ok(smtp) => Ok(destination(smtp.as_ref(), true)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn uuid() -> [u8; 16] {
        use alfred_core::ports::{Ids, SystemIds};
        *SystemIds.uuid().as_bytes()
    }

    #[tokio::test]
    async fn the_start_says_where_mail_goes_and_no_secret() {
        let none = line(None, None).await.unwrap();
        assert!(none.contains("ALFRED_SMTP_URL"), "{none}");
        let url = "smtps://ana%40example.com@mail.example.com";
        let through = line(Some(url), Some("hush")).await.unwrap();
        assert!(through.contains("mail.example.com:465 (TLS)"), "{through}");
        assert!(!through.contains("ana") && !through.contains("hush"));
        let missing = line(Some(url), None).await.unwrap_err();
        assert!(missing.contains("ALFRED_SMTP_PASSWORD"), "{missing}");
    }
}
