//! The parts that commands and server share: data folder, store, queue, Slack, model, mail and calendars.

pub mod accounts;
pub mod google;
mod google_sample;
pub mod hosted;
#[cfg(feature = "mail-servers")]
mod imap;
#[cfg(feature = "microsoft")]
mod microsoft;
pub mod model;
#[cfg(feature = "mail-servers")]
mod password_accounts;
pub mod servers;
pub mod sessions;
pub mod slack;
pub mod socket;
pub mod workspace;

use alfred_agent::Ports;
use alfred_agent::store::ports::Hook;
use alfred_core::config::{ALFRED_REPLY_SETTLE, SLACK_API_URL, variable};
use alfred_core::ports::{Accounts, Chat, Clock, Spilling, Store, SystemIds, random_secret};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Config, Progress, TeamId};
use alfred_embedded::{
    DataFolder, DiskFolders, FolderError, SqliteQueue, SqliteStore, SteadyClock,
};
use alfred_google_local::GoogleLocal;
use alfred_models::cost_of;
use alfred_oauth_callback::OauthCallback;
use alfred_schedule::JobEnd;
use alfred_slack::SlackClient;
use alfred_slack_local::SlackLocal;
use alfred_slack_receiver::Receiver;
use alfred_teams::TeamReport;
use alfred_web as web;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::exit::Usage;
use crate::terminal;
use servers::Servers;
use sessions::Sessions;
use workspace::Chosen;

/// How long Slack may take to show a post of an earlier process. That process is dead with its connections,
/// so this is less than the 30 s of a deployment.
const REPLY_SETTLE: Duration = Duration::from_secs(10);
pub const SLACK_PATH: &str = "/slack/events";
/// Folder in the data folder for workers of every program.
pub const OWN_WORKERS: &str = "workers";
/// Path of a page link, before its secret.
const LINK_PATH: &str = "/open/";

pub struct LocalApp {
    pub folder: DataFolder,
    pub queue: SqliteQueue,
    pub sqlite: SqliteStore,
    pub ports: Ports,
    pub receiver: Receiver,
    /// Opens connections of Socket Mode.
    pub socket: Option<Arc<SlackClient>>,
    /// `None` if a real Slack is configured.
    pub slack: Option<SlackLocal>,
    /// Serves the redirect of a consent. `None` if no account can be connected.
    pub callback: Option<OauthCallback>,
    /// `None` without a local Slack, or if a client of the real Google is registered.
    pub google: Option<GoogleLocal>,
    /// Authenticates this account's other processes. Stored in the data folder.
    pub token: String,
    /// Who may use the page.
    pub sessions: Sessions,
    pub url: String,
    pub model: String,
    /// Where mail goes, in one line. `None` if nobody has mail.
    pub mail: Option<String>,
    /// Progress of an audit check.
    pub checking: Progress,
    /// Progress of reading a mailbox.
    looking: Option<Arc<Progress>>,
    /// Cloned by each request of another process while it runs.
    pub questions: Arc<()>,
}

impl LocalApp {
    /// `port` of 127.0.0.1 is where this process listens; 0 for none.
    pub async fn open(folder: DataFolder, port: u16, chosen: Chosen<'_>) -> anyhow::Result<Self> {
        let url = format!("http://127.0.0.1:{port}");
        let clock: Arc<dyn Clock> = Arc::new(SteadyClock::of_machine());
        let (sqlite, queue) = database(&folder, &clock).await?;
        let store: Arc<dyn Store> = Arc::new(Spilling::new(sqlite.clone(), sqlite.blobs()));
        let plays_slack = slack::is_local(variable);
        let config = config(&url, plays_slack, variable)?;
        let model = model::open(&clock).await?;
        let (slack, access) = if plays_slack {
            let request_url = format!("{url}{SLACK_PATH}");
            let (slack, access) = slack::local(&folder, &url, request_url, clock.clone()).await?;
            (Some(slack), access)
        } else {
            (None, slack::real(variable, clock.clone())?)
        };
        let chat: Arc<dyn Chat> = Arc::new(access.client);
        let for_views = chat.clone();
        let receiver = Receiver::new(Arc::new(queue.clone()), access.secrets, clock.clone())
            .with_chat(move || for_views.clone());
        let secrets = Arc::new(folder.secrets());
        let web = web::from_settings(variable, secrets, clock.clone(), cost_of);
        let web = web.map_err(Usage::error)?;
        let mut ports = Ports {
            hooks: [Arc::new(TeamReport) as Arc<dyn Hook>, Arc::new(JobEnd)].into(),
            store,
            queue: Arc::new(queue.clone()),
            chat,
            accounts: Accounts::none(),
            web,
            folders: Arc::new(DiskFolders::hiding(folder.path())),
            model: model.clone(),
            clock,
            ids: Arc::new(SystemIds),
            config: Arc::new(config),
            measure: Arc::new(|_| {}),
            draw: alfred_timeline::png,
            live: true,
        };
        let team = match &slack {
            Some(local) => {
                slack::register_seeded(&ports, local).await?;
                Some(TeamId::from(local.seed().team_id.as_str()))
            }
            // The people of a real Slack aren't the sample's.
            None if chosen.folder.is_some() => Some(ports.chat.team().await?),
            None => None,
        };
        let servers = Servers::read(variable, &folder.secrets()).await?;
        let data = folder.path();
        let opened = workspace::open(&ports, team.as_ref(), data, chosen, &servers).await?;
        let opened = opened.map(|opened| {
            ports.accounts = opened.accounts;
            (opened.destination, opened.looking)
        });
        let (mail, looking) = opened.unzip();
        let opened = accounts::open(&ports, &folder, &url, slack.as_ref(), variable).await?;
        ports.accounts = opened.accounts;
        let (callback, google) = (opened.callback, opened.local);
        let (store, clock, ids) = (ports.store.clone(), ports.clock.clone(), ports.ids.clone());
        let sessions = Sessions::new(store, clock, ids, port);
        Ok(Self {
            folder,
            queue,
            sqlite,
            ports,
            receiver,
            socket: access.socket,
            slack,
            callback,
            google,
            token: random_secret(),
            sessions,
            url,
            model: model.name(),
            mail,
            checking: Progress::default(),
            looking,
            questions: Arc::default(),
        })
    }

    pub fn page_link(&self) -> Option<String> {
        let link = || format!("{}{LINK_PATH}{}", self.url, self.sessions.link());
        self.slack.as_ref().map(|_| link())
    }

    /// The progress of long work in words, if there is any.
    pub fn how_far(&self) -> Option<String> {
        let looking = self.looking.as_ref().and_then(|looking| looking.words());
        self.checking.words().or(looking)
    }

    /// Asks a real Slack, which needs a valid token.
    pub async fn team(&self) -> anyhow::Result<TeamId> {
        match &self.slack {
            Some(slack) => Ok(slack.seed().team_id.as_str().into()),
            None => Ok(self.ports.chat.team().await?),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Create it.
    Begun,
    /// Fail and create nothing: a mistyped name would look like an empty record.
    Refused,
}

/// Opens the data folder. If it is in use, the error names its owner.
pub fn open_folder(path: &Path, absent: Absent) -> Result<DataFolder, FolderError> {
    let folder = match absent {
        Absent::Begun => DataFolder::open(path)?,
        Absent::Refused => DataFolder::open_existing(path)?,
    };
    if let Some(mode) = folder.tightened() {
        terminal::complain(&format!(
            "other accounts of this machine could get into {} (mode {mode:o}); now only yours can",
            folder.path().display()
        ));
    }
    Ok(folder)
}

async fn database(
    folder: &DataFolder,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(SqliteStore, SqliteQueue)> {
    let database = folder.database()?;
    let store = SqliteStore::new(database.clone(), clock.clone());
    let queue = SqliteQueue::new(database, clock.clone(), MAX_RECEIVES);
    let released = queue.release_leases().await?;
    if released > 0 {
        tracing::info!(
            queue.released = released,
            "going on with what the last process left"
        );
    }
    Ok((store, queue))
}

/// The settings of the core, with a policy whose tools exist.
pub fn config(
    url: &str,
    plays_slack: bool,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Config> {
    let setting = |name: &str| match name {
        SLACK_API_URL if plays_slack => Some(url.to_owned()),
        name => variable(name),
    };
    let mut config = Config::read(setting).map_err(Usage::error)?;
    let checked = alfred_workers::check_policy(&config.policy, &alfred_tools::catalogue());
    checked.map_err(Usage::error)?;
    if plays_slack {
        // The local Slack's posts end with this process and are visible at once.
        config.reply_settle = Duration::ZERO;
    } else if variable(ALFRED_REPLY_SETTLE).is_none() {
        config.reply_settle = REPLY_SETTLE;
    }
    Ok(config)
}
