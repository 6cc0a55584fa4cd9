//! Keys of what is kept of people's own accounts.

use crate::id::MailId;
use crate::ports::{Account, Key, Provider};

/// An account that somebody connected.
pub fn connected(account: &Account, provider: Provider) -> Key {
    let Account { team, user } = account;
    Key::state(format!("{team}#{user}#accounts"), provider.as_str())
}

/// What lets Alfred into an account, encrypted; where it isn't kept elsewhere.
pub fn credential(account: &Account, provider: Provider) -> Key {
    let Account { team, user } = account;
    let range = format!("{}.secret", provider.as_str());
    Key::state(format!("{team}#{user}#accounts"), range)
}

/// Says that somebody doesn't want an account used that their administrator connected for everybody.
pub fn declined(account: &Account, provider: Provider) -> Key {
    let Account { team, user } = account;
    let range = format!("{}.declined", provider.as_str());
    Key::state(format!("{team}#{user}#accounts"), range)
}

/// A link under which somebody may connect an account.
pub fn connecting(account: &Account, nonce: &str) -> Key {
    let Account { team, user } = account;
    Key::state(format!("{team}#{user}#connecting"), nonce)
}

/// How often somebody had a password tried in a day.
pub fn sign_ins(account: &Account) -> Key {
    connecting(account, "sign-ins")
}

/// What is known of somebody's Gmail mailbox.
pub fn gmail_mailbox(account: &Account) -> Key {
    gmail(account, "mailbox".into())
}

/// The envelope of a mail in it.
pub fn gmail_mail(account: &Account, id: &MailId) -> Key {
    gmail(account, format!("mail#{id}"))
}

/// A mail that goes out under the key of this digest, from whichever account.
pub fn mail_sent(account: &Account, digest: &str) -> Key {
    gmail(account, format!("sent#{digest}"))
}

/// A mail that a person's own server is given under the key of this digest.
pub fn smtp_sent(Account { team, user }: &Account, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#smtp"), format!("sent#{digest}"))
}

/// What became of a change of a calendar that was asked for under the key of this digest, where the calendar itself
/// can't keep it.
pub fn calendar_change(Account { team, user }: &Account, digest: &str) -> Key {
    Key::state(
        format!("{team}#{user}#calendar"),
        format!("change#{digest}"),
    )
}

fn gmail(Account { team, user }: &Account, range: String) -> Key {
    Key::state(format!("{team}#{user}#gmail"), range)
}
