//! What people read about connecting their own accounts.

use crate::ports::{AccountService, Connection, Provider};

use super::NAME;

/// What an account gives, as people call it.
pub fn account_service(service: AccountService) -> &'static str {
    match service {
        AccountService::Mail => "reading and sorting mail",
        AccountService::MailSend => "sending mail",
        AccountService::Calendar => "calendar",
        AccountService::Documents => "documents",
        AccountService::Sheets => "sheets",
    }
}

/// Several of them; documents and sheets are granted as one.
fn account_services(services: &[AccountService]) -> String {
    let words: Vec<&str> = services.iter().map(|one| account_service(*one)).collect();
    words.join(", ")
}

/// An account that a tool needs and nobody connected.
pub fn account_not_connected(service: AccountService) -> String {
    let (account, none) = match service {
        AccountService::Mail | AccountService::MailSend => ("e-mail account", "one"),
        AccountService::Calendar => ("calendar", "one"),
        AccountService::Documents => ("documents", "them"),
        AccountService::Sheets => ("sheets", "them"),
    };
    format!("That needs your {account}, and you haven't connected {none} yet.")
}

/// An account whose provider takes Alfred's access no more.
pub fn account_expired(service: AccountService) -> String {
    let what = account_service(service);
    format!("My access to your account ({what}) has ended; please connect it again.")
}

/// An account that was connected without what a tool needs.
pub fn account_not_granted(service: AccountService) -> String {
    let what = account_service(service);
    format!(
        "Your account is connected, but without {what}; please connect it again and allow that."
    )
}

/// On the button that connects an account.
pub fn connect_button(provider: Provider) -> String {
    format!("Connect {}", provider.shown())
}

/// On the button that opens the files of an account.
pub fn pick_button(provider: Provider) -> String {
    format!("Choose files in {}", provider.shown())
}

/// Before the button that leads to the provider's files.
pub fn pick_link(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "This opens {provider}, where you choose the documents and sheets that {NAME} may read and change. The link is yours alone; it works once, for ten minutes."
    )
}

/// In the browser: files were chosen.
pub fn files_picked(provider: Provider, number: usize) -> String {
    let provider = provider.shown();
    match number {
        0 => format!("No file of {provider} was chosen, so nothing changed."),
        1 => format!(
            "{NAME} can work with that file of your {provider} account now. Ask again in Slack."
        ),
        many => format!(
            "{NAME} can work with those {many} files of your {provider} account now. Ask again in Slack."
        ),
    }
}

/// Before the button that leads to the provider.
pub fn connect_link(provider: Provider) -> String {
    if provider == Provider::Servers {
        return format!(
            "This opens {NAME}'s own page, where you name your mail account and an app password for it. The link is yours alone; it works for ten minutes."
        );
    }
    let provider = provider.shown();
    format!(
        "This opens {provider}, where you choose what {NAME} may do. The link is yours alone; it works once, for ten minutes."
    )
}

/// A deployment without a client of that provider.
pub fn provider_not_set_up(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "{provider} accounts can't be connected here yet; please ask an administrator to set that up."
    )
}

/// Nothing to consent to.
pub fn by_administrator(provider: Provider) -> String {
    let shown = provider.shown();
    format!(
        "Your administrator has connected {shown} for everybody here, so there is nothing to allow or choose. `disconnect {}` ends it for you.",
        provider.as_str()
    )
}

/// Something didn't answer, and nothing changed.
pub fn connect_not_now() -> String {
    "That didn't work just now, and nothing changed. Please try again in a minute.".into()
}

/// How accounts are connected by commands.
pub fn connect_usage() -> String {
    let services = Provider::Google.services();
    let services: Vec<&str> = services.iter().map(|one| one.as_str()).collect();
    format!(
        "Write `connect google`, `connect microsoft` or `connect mail` (any other mail, by password), or name what it is for: `connect google {}`. `choose files` opens more of your documents, `disconnect google` ends it, `accounts` shows what is connected.",
        services.join(" ")
    )
}

/// What somebody connected.
pub fn connections(all: &[Connection]) -> String {
    if all.is_empty() {
        return "You haven't connected an account.".into();
    }
    let line = |one: &Connection| {
        let (provider, email) = (one.provider.shown(), &one.email);
        match one.ended {
            true => format!("{provider}: {email}. My access has ended; please connect it again."),
            false => {
                let services = one.services.iter().copied();
                let (used, unused): (Vec<_>, Vec<_>) =
                    services.partition(|service| one.used_for(*service, all));
                let mut line = match used.is_empty() {
                    true => format!("{provider}: {email}."),
                    false => format!("{provider}: {email}, for {}.", account_services(&used)),
                };
                if !unused.is_empty() {
                    let unused = account_services(&unused);
                    line.push_str(&format!(
                        " Another account is used for {unused}: I take the one you connected last."
                    ));
                }
                line
            }
        }
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// An account that was connected, and what of it wasn't granted.
pub fn account_connected(connection: &Connection, missing: &[AccountService]) -> String {
    let (provider, email) = (connection.provider.shown(), &connection.email);
    let granted = account_services(&connection.services);
    let mut words = match connection.services.is_empty() {
        true => format!("Your {provider} account {email} is connected, but nothing was allowed."),
        false => format!("Your {provider} account {email} is connected, for {granted}."),
    };
    if !missing.is_empty() {
        let missing = account_services(missing);
        words.push_str(&format!(" You didn't allow: {missing}. All else works."));
    }
    words
}

/// An account that was disconnected.
pub fn account_disconnected(connection: &Connection) -> String {
    let (provider, email) = (connection.provider.shown(), &connection.email);
    if connection.delegated {
        return format!(
            "{NAME} doesn't use your {provider} account {email} any more, and has deleted what it kept of your mails. Your administrator's key could still open it."
        );
    }
    if connection.provider == Provider::Microsoft {
        return format!(
            "{NAME} can't get into your {provider} account {email} any more: the access was deleted here. Microsoft has no way for me to end it there too; you can remove {NAME} on https://myapps.microsoft.com, or for a personal account on https://account.live.com/consent/Manage."
        );
    }
    if connection.provider == Provider::Servers {
        return format!(
            "{NAME} can't get into your {provider} account {email} any more: the password was deleted here. Please end it there too, if it was one for {NAME} alone."
        );
    }
    format!(
        "{NAME} can't get into your {provider} account {email} any more: the access was ended there and deleted here."
    )
}

/// Nothing to disconnect.
pub fn nothing_connected(provider: Provider) -> String {
    format!("No {} account of yours is connected.", provider.shown())
}

/// Asks in the browser whose Alfred gets the access: a link may have been passed on.
pub fn connect_whose(provider: Provider, name: &str) -> String {
    let provider = provider.shown();
    format!(
        "The {provider} account that you just chose will be connected to {NAME} for {name}. Go on only if that is you."
    )
}

/// In the browser: the person said no.
pub fn connect_declined() -> String {
    "Nothing was connected.".into()
}

/// In the browser: the person's organisation lets nobody consent for themselves.
pub fn connect_needs_administrator(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "Nothing was connected: your organisation wants an administrator to allow {NAME} at {provider} first. Please ask yours to approve it, then try again."
    )
}

/// In the browser: a link that isn't of this Alfred.
pub fn connect_forged() -> String {
    format!(
        "This link isn't one of {NAME}'s. Please ask for a new one in Slack: `/alfred connect`."
    )
}

/// In the browser: a link that is too old.
pub fn connect_late() -> String {
    "This link is older than ten minutes. Please ask for a new one in Slack: `/alfred connect`."
        .into()
}

/// In the browser: a link that was used.
pub fn connect_used() -> String {
    "This link was used before; each works once. `/alfred accounts` in Slack shows what is connected.".into()
}

/// In the browser: the provider gave too little, or takes back what it gave.
pub fn connect_incomplete(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "{provider} gave no lasting access, so nothing was connected. Please ask for a new link in Slack: `/alfred connect`."
    )
}

/// In the browser: another account of theirs is connected.
pub fn connect_another(provider: Provider, email: &str) -> String {
    let provider = provider.as_str();
    format!(
        "{email} is connected already, and stays so. To change accounts, write `/alfred disconnect {provider}` in Slack first."
    )
}

/// In the browser: what is connected allows more.
pub fn connect_narrower(provider: Provider) -> String {
    let provider = provider.as_str();
    format!(
        "What is connected already allows more than this, so it stays as it is. To allow less, write `/alfred disconnect {provider}` in Slack first."
    )
}

/// In the browser: the account is another registered person's.
pub fn connect_somebody_elses(email: &str, name: &str) -> String {
    format!(
        "{email} is somebody else's here, and this link would give {name} access to it. Nothing was connected."
    )
}
