use crate::ports::{Account, Key, Provider};

pub fn connected(Account { team, user }: &Account, provider: Provider) -> Key {
    Key::state(format!("{team}#{user}#accounts"), provider.as_str())
}

/// The encrypted credential of an account, if stored in the state table.
pub fn credential(Account { team, user }: &Account, provider: Provider) -> Key {
    let range = format!("{}.secret", provider.as_str());
    Key::state(format!("{team}#{user}#accounts"), range)
}

/// A one-time link to connect an account.
pub fn connecting(Account { team, user }: &Account, nonce: &str) -> Key {
    Key::state(format!("{team}#{user}#connecting"), nonce)
}

/// Counts a person's password attempts per day.
pub fn sign_ins(account: &Account) -> Key {
    connecting(account, "sign-ins")
}

/// A mail being sent, by the digest of its idempotency key; for all providers.
pub fn mail_sent(Account { team, user }: &Account, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#gmail"), format!("sent#{digest}"))
}

/// A mail being sent through a person's own server, by the digest of its idempotency key.
pub fn smtp_sent(Account { team, user }: &Account, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#smtp"), format!("sent#{digest}"))
}

/// The outcome of a calendar change, by the digest of its idempotency key. For calendars that can't
/// store it themselves.
pub fn calendar_change(Account { team, user }: &Account, digest: &str) -> Key {
    let change = format!("change#{digest}");
    Key::state(format!("{team}#{user}#calendar"), change)
}

/// A document or sheet being made at Google, by the digest of its idempotency key.
pub fn file_made(Account { team, user }: &Account, digest: &str) -> Key {
    Key::state(format!("{team}#{user}#drive"), format!("made#{digest}"))
}
