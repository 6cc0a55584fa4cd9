//! The connection to Slack: the local one or a real one.

use alfred_agent::Ports;
use alfred_agent::store::users;
use alfred_core::config::{SLACK_API_URL, SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET};
use alfred_core::ports::{ChatUser, Clock, Secrets, SystemIds, random_secret};
use alfred_core::{Config, ConfigError, Role, TeamId, User};
use alfred_embedded::DataFolder;
use alfred_slack::{DEFAULT_API_URL, SlackClient};
use alfred_slack_local::{Options, Person, Seed, SlackLocal, seed};
use alfred_slack_receiver::SigningSecrets;
use anyhow::Context;
use secrecy::ExposeSecret;
use std::sync::Arc;

const HISTORY: &str = "slack.db";
/// Secrets of the folder that Alfred and the local Slack share.
const LOCAL_BOT_TOKEN: &str = "alfred/LOCAL_SLACK_BOT_TOKEN";
const LOCAL_SIGNING_SECRET: &str = "alfred/LOCAL_SLACK_SIGNING_SECRET";

/// The client, and the secrets that verify Slack's requests.
pub struct Access {
    pub client: SlackClient,
    pub secrets: SigningSecrets,
    /// The client with the app-level token, if messages come over Socket Mode.
    pub socket: Option<Arc<SlackClient>>,
}

/// Whether the local Slack plays Slack.
pub fn is_local(variable: impl Fn(&str) -> Option<String>) -> bool {
    [SLACK_BOT_TOKEN, SLACK_APP_TOKEN].map(variable) == [None, None]
}

/// Opens the local Slack at `url`. It sends events to `request_url`.
pub async fn local(
    folder: &DataFolder,
    url: &str,
    request_url: String,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<(SlackLocal, Access)> {
    let secrets = folder.secrets();
    let seed = Seed {
        bot_token: kept_secret(&secrets, LOCAL_BOT_TOKEN).await?,
        signing_secret: kept_secret(&secrets, LOCAL_SIGNING_SECRET).await?,
        ..Seed::default()
    };
    let access = Access {
        client: SlackClient::new(
            &format!("{url}/api"),
            seed.bot_token.clone().into(),
            clock.clone(),
        ),
        secrets: SigningSecrets::new(&seed.signing_secret, None)?,
        socket: None,
    };
    let options = Options {
        seed,
        path: Some(folder.path().join(HISTORY)),
        request_url: Some(request_url),
        ..Options::default()
    };
    let slack = SlackLocal::open(options, clock, Arc::new(SystemIds))?;
    slack.set_base_url(url);
    Ok((slack, access))
}

pub fn real(
    variable: impl Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Access> {
    let app_token = variable(SLACK_APP_TOKEN);
    let token = Config::required(&variable, SLACK_BOT_TOKEN)
        .with_context(|| format!("{SLACK_APP_TOKEN} is set, so {SLACK_BOT_TOKEN} must be too"))?;
    let api = variable(SLACK_API_URL).unwrap_or_else(|| DEFAULT_API_URL.into());
    let secrets = match &app_token {
        None => SigningSecrets::read(&variable).with_context(|| {
            format!(
                "{SLACK_BOT_TOKEN} is set, so {SLACK_SIGNING_SECRET} must be too, or {SLACK_APP_TOKEN}"
            )
        })?,
        Some(token) if !token.starts_with("xapp-") => {
            let reason = "no app-level token, which begins with xapp-";
            return Err(ConfigError::invalid(SLACK_APP_TOKEN, reason).into());
        }
        // Nobody knows this one, so nothing is accepted over HTTP.
        Some(_) => SigningSecrets::new(&random_secret(), None)?,
    };
    let client = |token: String| SlackClient::new(&api, token.into(), clock.clone());
    Ok(Access {
        client: client(token),
        secrets,
        socket: app_token.map(client).map(Arc::new),
    })
}

/// A secret of the data folder, generated at its first use.
pub async fn kept_secret(secrets: &dyn Secrets, name: &str) -> anyhow::Result<String> {
    if let Some(known) = secrets.get(name).await? {
        return Ok(known.expose_secret().to_owned());
    }
    let made = random_secret();
    secrets.put(name, &made.clone().into()).await?;
    Ok(made)
}

/// Registers the local Slack's people in a new folder: Ana as administrator, Chiyo as guest. Nobody who was
/// forgotten is registered again.
pub async fn register_seeded(ports: &Ports, slack: &SlackLocal) -> anyhow::Result<()> {
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
