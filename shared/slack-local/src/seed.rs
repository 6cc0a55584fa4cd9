//! People, channels and secrets that exist from the start. Any field can be overridden.

use alfred_core::ports::random_secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;

use crate::types::{Channel, ChannelKind, Person};

/// Each default has new random secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seed {
    pub team_id: String,
    pub team_name: String,
    /// The part before `.slack.com`.
    pub team_domain: String,
    pub app_id: String,
    pub bot_id: String,
    /// The bot's user among `people`.
    pub bot_user: String,
    /// The bearer token the Web API accepts.
    pub bot_token: String,
    /// The token that opens Socket Mode's connections.
    pub app_token: String,
    pub signing_secret: String,
    /// What the app may do; those of its manifest.
    pub scopes: Vec<String>,
    pub people: Vec<Person>,
    pub channels: Vec<Channel>,
}

/// Ana, an administrator by habit; Lisbon.
pub const ANA: &str = "U0ANA00001";
/// Ben; New York.
pub const BEN: &str = "U0BEN00001";
/// Chiyo; Tokyo.
pub const CHIYO: &str = "U0CHIYO001";
pub const ALFRED: &str = "U0ALFRED01";
/// A public channel with everybody and Alfred.
pub const GENERAL: &str = "C0GENERAL1";
pub const MARKETING: &str = "C0MARKET01";
/// A private channel of Ana, Ben and Alfred.
pub const LEADERS: &str = "G0LEADERS1";
/// A public channel where Alfred isn't a member.
pub const RANDOM: &str = "C0RANDOM01";
/// Ana's direct message with Alfred.
pub const ANA_DM: &str = "D0ANA00001";
/// Ben's direct message with Alfred. Chiyo's is opened by her first message.
pub const BEN_DM: &str = "D0BEN00001";

/// The manifest from which the app was made.
pub(crate) static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../infra/slack-app.yaml")).unwrap_or_default()
});

impl Default for Seed {
    fn default() -> Self {
        let leaders = [ANA, BEN, ALFRED];
        let everyone = [ANA, BEN, CHIYO, ALFRED];
        let people = [
            (ANA, "ana", "Ana Marques", "Europe/Lisbon"),
            (BEN, "ben", "Ben Okafor", "America/New_York"),
            (CHIYO, "chiyo", "Chiyo Tanaka", "Asia/Tokyo"),
            (ALFRED, "alfred", "Alfred", "UTC"),
        ];
        let people = people.map(|(id, username, name, tz)| Person {
            id: id.into(),
            username: username.into(),
            name: name.into(),
            email: match id {
                ALFRED => String::new(),
                _ => format!("{username}@example.com"),
            },
            tz: tz.into(),
            is_bot: id == ALFRED,
            deleted: false,
        });
        let scopes = MANIFEST["oauth_config"]["scopes"]["bot"].clone();
        Self {
            team_id: "T0LOCAL001".into(),
            team_name: "Local".into(),
            team_domain: "local".into(),
            app_id: "A0ALFRED01".into(),
            bot_id: "B0ALFRED01".into(),
            bot_user: ALFRED.into(),
            bot_token: format!("xoxb-{}", random_secret()),
            app_token: format!("xapp-{}", random_secret()),
            signing_secret: random_secret(),
            scopes: serde_json::from_value(scopes).unwrap_or_default(),
            people: people.to_vec(),
            channels: vec![
                channel(GENERAL, "general", ChannelKind::Public, &everyone),
                channel(MARKETING, "marketing", ChannelKind::Public, &everyone),
                channel(RANDOM, "random", ChannelKind::Public, &[ANA, BEN, CHIYO]),
                channel(LEADERS, "leaders", ChannelKind::Private, &leaders),
                channel(ANA_DM, "", ChannelKind::Im, &[ANA, ALFRED]),
                channel(BEN_DM, "", ChannelKind::Im, &[BEN, ALFRED]),
            ],
        }
    }
}

fn channel(id: &str, name: &str, kind: ChannelKind, members: &[&str]) -> Channel {
    Channel {
        id: id.into(),
        name: name.into(),
        kind,
        members: members.iter().map(|&member| member.into()).collect(),
        created: 1_700_000_000,
    }
}
