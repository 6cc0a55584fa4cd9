//! Secrets by name. Names start with the team, then usually the user.

use async_trait::async_trait;
use secrecy::SecretString;
use thiserror::Error;

/// Why a secret couldn't be read or written. Never holds a value.
#[derive(Debug, Error)]
pub enum SecretError {
    /// The other side didn't answer or refused.
    #[error("secrets unavailable: {detail}")]
    Unavailable {
        /// For the log; never a value.
        detail: String,
    },
    /// The name isn't of `A-Za-z0-9/_+=.@-`, 1 to 512 characters.
    #[error("not a secret's name: {name}")]
    Name {
        /// The name.
        name: String,
    },
}

/// Secrets by name.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The value, `None` when there is none.
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError>;
    /// Stores or replaces it.
    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError>;
    /// Removes it at once; removing what isn't there is fine.
    async fn delete(&self, name: &str) -> Result<(), SecretError>;
}

impl SecretError {
    /// Checks a name against Secrets Manager's rule, on both sides alike.
    ///
    /// # Errors
    /// `Name` when it breaks the rule.
    pub fn check_name(name: &str) -> Result<(), Self> {
        let fits = (1..=512).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"/_+=.@-".contains(&b));
        if fits {
            Ok(())
        } else {
            Err(Self::Name { name: name.into() })
        }
    }
}
