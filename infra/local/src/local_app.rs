//! Everything Alfred lives in on one machine: the data folder, the store and
//! queue in it, Slack (the local one, or a real one), the model.

use alfred_agent::{Ports, users};
use alfred_core::config::{
    ALFRED_REPLY_SETTLE, SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET,
};
use alfred_core::ports::{
    Accounts, Chat, ChatUser, Clock, Model, Secrets, Spilling, Store, SystemIds, Vault,
    random_secret,
};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Config, Role, TeamId, User};
use alfred_demo_model::DemoModel;
use alfred_embedded::{DataFolder, Durability, SqliteQueue, SqliteStore, SteadyClock};
use alfred_services::model::{self, Selection};
use alfred_services::slack::{DEFAULT_API_URL, SlackClient};
use alfred_slack_local::{Options, Person, Seed, SlackLocal, seed};
use alfred_slack_receiver::{Receiver, SigningSecrets};
use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use crate::exit::Usage;
use crate::page::LINK_PATH;
use crate::sessions::Sessions;
use crate::terminal;
use crate::workspace::{self, Chosen};

/// How long Slack may take to show a post of a predecessor. It is dead, and its connections with it,
/// so less than the 30 s of a deployment whose other functions live on.
const REPLY_SETTLE: Duration = Duration::from_secs(10);
const SLACK_HISTORY: &str = "slack.db";
/// What the local Slack takes from Alfred, and signs with, beside the other secrets of the folder.
const LOCAL_BOT_TOKEN: &str = "alfred/LOCAL_SLACK_BOT_TOKEN";
const LOCAL_SIGNING_SECRET: &str = "alfred/LOCAL_SLACK_SIGNING_SECRET";

pub struct LocalApp {
    pub folder: DataFolder,
    pub queue: SqliteQueue,
    pub sqlite: SqliteStore,
    pub ports: Ports,
    /// The locked digests of the audit.
    pub vault: Arc<dyn Vault>,
    pub receiver: Receiver,
    client: Arc<SlackClient>,
    /// The local Slack; `None` when a real one is configured.
    pub slack: Option<SlackLocal>,
    /// What other processes of this account show; the data folder has it.
    pub token: String,
    /// Who may use the page.
    pub sessions: Sessions,
    /// Where this process listens.
    pub url: String,
    pub model: String,
    /// Where mail goes, in one line; `None` where nobody has any.
    pub mail: Option<String>,
    /// Questions of other processes that are under way.
    pub guests: AtomicUsize,
}

impl LocalApp {
    /// A new link to the page, if there is one.
    pub fn page_link(&self) -> Option<String> {
        let link = || format!("{}{LINK_PATH}{}", self.url, self.sessions.link());
        self.slack.as_ref().map(|_| link())
    }

    /// The workspace. A real Slack is asked, which needs its token to be good.
    pub async fn team(&self) -> anyhow::Result<TeamId> {
        match &self.slack {
            Some(slack) => Ok(slack.seed().team_id.as_str().into()),
            None => Ok(self.client.team().await?),
        }
    }
}

/// The model of the demo says so wherever it answers.
pub use alfred_demo_model::NAME as DEMO;

/// Opens the data folder. The error says who owns it, if somebody does.
pub fn open_folder(path: &Path) -> Result<DataFolder, alfred_embedded::FolderError> {
    let folder = DataFolder::open(path)?;
    if let Some(mode) = folder.tightened() {
        terminal::complain(&format!(
            "other accounts of this machine could get into {} (mode {mode:o}); now only yours can",
            folder.path().display()
        ));
    }
    Ok(folder)
}

/// Furnishes the app. `port` of 127.0.0.1 is where this process listens; 0 for nowhere.
pub async fn furnish(
    folder: DataFolder,
    port: u16,
    chosen: Chosen<'_>,
) -> anyhow::Result<LocalApp> {
    let url = format!("http://127.0.0.1:{port}");
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let clock: Arc<dyn Clock> = Arc::new(SteadyClock::of_machine());
    let database = folder.database(Durability::Full)?;
    let sqlite = SqliteStore::new(database.clone(), clock.clone());
    let queue = SqliteQueue::new(database, clock.clone(), MAX_RECEIVES);
    let released = queue.release_leases().await?;
    if released > 0 {
        tracing::info!(
            queue.released = released,
            "going on with what the last process left"
        );
    }
    let store: Arc<dyn Store> = Arc::new(Spilling::new(sqlite.clone(), folder.blobs()));
    let plays_slack = variable(SLACK_BOT_TOKEN).is_none();
    let setting = |name: &str| match name {
        SLACK_API_URL if plays_slack => Some(url.clone()),
        name => variable(name),
    };
    let mut config = Config::read(setting).map_err(Usage::error)?;
    let checked = alfred_workers::check_policy(&config.policy, &alfred_tools::catalogue());
    checked.map_err(Usage::error)?;
    if variable(ALFRED_REPLY_SETTLE).is_none() {
        config.reply_settle = REPLY_SETTLE;
    }
    let model: Arc<dyn Model> = match Selection::read(variable).map_err(Usage::error)? {
        Selection::Demo => Arc::new(DemoModel::new()?),
        Selection::Endpoints(endpoints) => model::from_endpoints(endpoints, clock.clone())?,
    };
    let slack = match plays_slack {
        true => Some(local_slack(&folder, &url, clock.clone()).await?),
        false => None,
    };
    let (chat, secrets) = match &slack {
        Some(local) => {
            // Its posts die with this process, and its history is read as it is written.
            config.reply_settle = Duration::ZERO;
            let seed = local.seed();
            let api = format!("{url}/api");
            (
                SlackClient::new(&api, seed.bot_token.clone().into(), clock.clone()),
                SigningSecrets::new(&seed.signing_secret, None)?,
            )
        }
        None => {
            let token: SecretString = Config::required(variable, SLACK_BOT_TOKEN)?.into();
            let api = variable(SLACK_API_URL).unwrap_or_else(|| DEFAULT_API_URL.into());
            let secrets = SigningSecrets::read(variable).with_context(|| {
                format!("{SLACK_BOT_TOKEN} is set, so {SLACK_SIGNING_SECRET} must be too")
            })?;
            (SlackClient::new(&api, token, clock.clone()), secrets)
        }
    };
    let client = Arc::new(chat);
    let chat: Arc<dyn Chat> = client.clone();
    let for_views = chat.clone();
    let receiver = Receiver::new(Arc::new(queue.clone()), secrets, clock.clone())
        .with_chat(move || for_views.clone());
    let mut ports = Ports {
        store,
        queue: Arc::new(queue.clone()),
        chat,
        accounts: Accounts::none(),
        model: model.clone(),
        clock,
        ids: Arc::new(SystemIds),
        config: Arc::new(config),
        measure: Arc::new(()),
    };
    if let Some(local) = &slack {
        register_seeded(&ports, local).await?;
    }
    let team = match &slack {
        Some(local) => Some(TeamId::from(local.seed().team_id.as_str())),
        // A real Slack's people aren't the sample's.
        None if chosen.folder.is_some() => Some(client.team().await?),
        None => None,
    };
    let smtp = workspace::smtp(variable, &folder.secrets()).await?;
    let mail = workspace::destination(smtp.as_ref(), chosen.folder.is_some());
    let smtp = smtp.filter(|_| chosen.folder.is_some());
    let has_mail = team.is_some();
    if let Some(team) = team {
        let root = match chosen.folder {
            Some(own) => own.to_owned(),
            None => workspace::sample(folder.path(), &*ports.clock)?,
        };
        ports.accounts = workspace::accounts(&ports, &team, &root, chosen.user, smtp).await?;
    }
    let sessions = Sessions::new(
        ports.store.clone(),
        ports.clock.clone(),
        ports.ids.clone(),
        port,
    );
    Ok(LocalApp {
        vault: Arc::new(folder.vault()),
        folder,
        queue,
        sqlite,
        ports,
        receiver,
        client,
        slack,
        token: random_secret(),
        sessions,
        url,
        model: model.name(),
        mail: has_mail.then_some(mail),
        guests: AtomicUsize::new(0),
    })
}

async fn local_slack(
    folder: &DataFolder,
    url: &str,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<SlackLocal> {
    let secrets = folder.secrets();
    let options = Options {
        seed: Seed {
            bot_token: kept_secret(&secrets, LOCAL_BOT_TOKEN).await?,
            signing_secret: kept_secret(&secrets, LOCAL_SIGNING_SECRET).await?,
            ..Seed::default()
        },
        path: Some(folder.path().join(SLACK_HISTORY)),
        request_urls: Some(alfred_slack_local::RequestUrls::all(format!(
            "{url}{}",
            crate::local_api::SLACK_PATH
        ))),
        ..Options::default()
    };
    let slack = SlackLocal::open(options, clock, Arc::new(SystemIds))?;
    slack.set_base_url(url);
    Ok(slack)
}

/// A secret of this data folder, made at its first start.
async fn kept_secret(secrets: &dyn Secrets, name: &str) -> anyhow::Result<String> {
    if let Some(known) = secrets.get(name).await? {
        return Ok(known.expose_secret().to_owned());
    }
    let made = random_secret();
    secrets.put(name, &made.clone().into()).await?;
    Ok(made)
}

/// The local Slack's people are registered in a new folder: Ana administers, Chiyo is a guest.
/// Whoever was forgotten since stays so.
async fn register_seeded(ports: &Ports, slack: &SlackLocal) -> anyhow::Result<()> {
    let team = TeamId::from(slack.seed().team_id.as_str());
    if !users::list(&*ports.store, &team).await?.is_empty() {
        return Ok(());
    }
    for person in slack.people()?.into_iter().filter(|person| !person.is_bot) {
        let role = match person.id.as_str() {
            seed::ANA => Role::Admin,
            seed::CHIYO => Role::Guest,
            _ => Role::Member,
        };
        let person = chat_user(person);
        let zone = &ports.config.default_timezone;
        let user = User::register(person, role, zone, ports.clock.now());
        users::put(&*ports.store, &*ports.ids, &team, &user, None).await?;
    }
    Ok(())
}

/// A person of the local Slack, as `users.info` shows them.
pub fn chat_user(person: Person) -> ChatUser {
    ChatUser {
        id: person.id.into(),
        username: person.username,
        name: person.name,
        email: person.email,
        timezone: Some(person.tz),
        is_person: !person.is_bot,
    }
}
