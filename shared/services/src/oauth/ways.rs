//! The differences between providers as data, so the consent code is shared.

use alfred_core::config::{
    GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_REDIRECT_URI, MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET, MICROSOFT_REDIRECT_URI,
};
use alfred_core::ports::{AccountService, Provider};
use std::collections::BTreeSet;

use crate::{google, microsoft};

const GMAIL_MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
const GMAIL_COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
const CALENDAR_EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const CALENDAR_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
/// Files that Alfred made, or that were picked for it.
pub(super) const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
const MAIL_READ_WRITE: &str = "Mail.ReadWrite";
const MAIL_SEND: &str = "Mail.Send";
const CALENDARS_READ_WRITE: &str = "Calendars.ReadWrite";
const MAILBOX_SETTINGS_READ: &str = "MailboxSettings.Read";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentEndpoints {
    pub provider: Provider,
    /// The consent page.
    pub consent: String,
    /// Exchanges codes and refresh tokens.
    pub token: String,
    /// Ends a consent. `None` if the provider has no way.
    pub revoke: Option<String>,
}

impl ConsentEndpoints {
    /// A provider's own, unless the settings name a test server.
    pub fn from_settings(provider: Provider, lookup: impl Fn(&str) -> Option<String>) -> Self {
        match provider {
            Provider::Google => google::Endpoints::from_settings(lookup).into(),
            Provider::Microsoft => microsoft::Endpoints::from_settings(lookup).into(),
            // No consent there: accounts use a password.
            Provider::Servers => Self {
                provider,
                consent: String::new(),
                token: String::new(),
                revoke: None,
            },
        }
    }
}

impl From<google::Endpoints> for ConsentEndpoints {
    fn from(endpoints: google::Endpoints) -> Self {
        Self {
            provider: Provider::Google,
            consent: endpoints.consent,
            token: endpoints.token,
            revoke: Some(endpoints.revoke),
        }
    }
}

impl From<microsoft::Endpoints> for ConsentEndpoints {
    fn from(endpoints: microsoft::Endpoints) -> Self {
        Self {
            provider: Provider::Microsoft,
            consent: endpoints.consent,
            token: endpoints.token,
            revoke: None,
        }
    }
}

pub(super) struct Ways {
    /// Settings of the client: id, secret, redirect URI.
    pub settings: [&'static str; 3],
    scope_of: fn(AccountService) -> &'static [&'static str],
    /// Scopes of every consent: identity and a refresh token.
    always: &'static [&'static str],
    /// Extra query fields of the consent page.
    pub link: &'static [(&'static str, &'static str)],
    /// Prefix that scopes may have in an answer.
    prefix: &'static str,
    /// Whether a consent includes the earlier ones.
    pub adds_up: bool,
    /// Whether the id token says that the address is verified.
    pub verifies_address: bool,
}

/// <https://developers.google.com/identity/protocols/oauth2/web-server>
const GOOGLE: Ways = Ways {
    settings: [GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_REDIRECT_URI],
    scope_of: |service| match service {
        AccountService::Mail => &[GMAIL_MODIFY],
        AccountService::MailSend => &[GMAIL_COMPOSE],
        AccountService::Calendar => &[CALENDAR_EVENTS, CALENDAR_FREEBUSY],
        AccountService::Documents | AccountService::Sheets => &[DRIVE_FILE],
    },
    always: &["openid", "email"],
    // Requests a refresh token with each consent, valid for everything granted so far.
    link: &[
        ("prompt", "consent"),
        ("access_type", "offline"),
        ("include_granted_scopes", "true"),
    ],
    prefix: "",
    adds_up: true,
    verifies_address: true,
};

/// <https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow>
const MICROSOFT: Ways = Ways {
    settings: [
        MICROSOFT_CLIENT_ID,
        MICROSOFT_CLIENT_SECRET,
        MICROSOFT_REDIRECT_URI,
    ],
    scope_of: |service| match service {
        AccountService::Mail => &[MAIL_READ_WRITE],
        // Mail is sent by way of a draft.
        AccountService::MailSend => &[MAIL_SEND, MAIL_READ_WRITE],
        // All-day events depend on the owner's zone, which is a mailbox setting.
        AccountService::Calendar => &[CALENDARS_READ_WRITE, MAILBOX_SETTINGS_READ],
        AccountService::Documents | AccountService::Sheets => &[],
    },
    always: &["openid", "email", "profile", "offline_access", "User.Read"],
    // `prompt=consent` would stop people whose administrator has consented for them.
    link: &[("prompt", "select_account"), ("response_mode", "query")],
    prefix: "https://graph.microsoft.com/",
    adds_up: false,
    verifies_address: false,
};

/// No client can be registered.
const NONE: Ways = Ways {
    settings: [""; 3],
    scope_of: |_| &[],
    always: &[],
    link: &[],
    prefix: "",
    adds_up: false,
    verifies_address: false,
};

impl Ways {
    pub fn of(provider: Provider) -> &'static Self {
        match provider {
            Provider::Google => &GOOGLE,
            Provider::Microsoft => &MICROSOFT,
            Provider::Servers => &NONE,
        }
    }

    /// The scopes of these services, without those of every consent.
    pub fn scopes(&self, services: &[AccountService]) -> BTreeSet<&'static str> {
        let each = services.iter().flat_map(|one| (self.scope_of)(*one));
        each.copied().collect()
    }

    /// The scope parameter of a consent.
    pub fn asked(&self, services: &[AccountService]) -> String {
        let mut scopes = self.scopes(services);
        scopes.extend(self.always);
        scopes.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The services that these scopes grant. The first scope of a service decides.
    pub fn services(&self, granted: &BTreeSet<String>) -> Vec<AccountService> {
        let has = |service: &AccountService| {
            let needed = (self.scope_of)(*service).first();
            needed.is_some_and(|scope| granted.contains(*scope))
        };
        AccountService::ALL.into_iter().filter(has).collect()
    }

    /// Whether `these` include all of `those`. Identity scopes are ignored, since answers may omit them.
    pub fn cover(&self, these: &BTreeSet<String>, those: &BTreeSet<String>) -> bool {
        let mut needed = those
            .iter()
            .filter(|one| !self.always.contains(&one.as_str()));
        needed.all(|one| these.contains(one))
    }

    /// Parses the granted scopes of an answer.
    pub fn granted(&self, scope: &str) -> BTreeSet<String> {
        let each = scope.split_whitespace();
        each.map(|one| one.strip_prefix(self.prefix).unwrap_or(one).to_owned())
            .collect()
    }
}
