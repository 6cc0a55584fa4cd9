//! The port to store secrets. Names start with the team, usually followed by the user.

use async_trait::async_trait;
use secrecy::SecretString;
use thiserror::Error;

/// Why a secret operation failed. Never contains a secret.
#[derive(Debug, Error)]
pub enum SecretError {
    #[error("secrets unavailable: {detail}")]
    Unavailable {
        /// For the log; never a secret.
        detail: String,
    },
    #[error("secrets refused: {detail}")]
    Denied { detail: String },
    #[error("there is no secret {name}")]
    Missing { name: String },
    /// The name isn't 1 to 512 characters of `A-Za-z0-9/_+=.@-`.
    #[error("not a secret's name: {name}")]
    Name { name: String },
}

#[async_trait]
pub trait Secrets: Send + Sync {
    /// Reads a secret; `None` if there is none.
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError>;
    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError>;
    /// Deletes a secret at once; deleting a missing one succeeds.
    async fn delete(&self, name: &str) -> Result<(), SecretError>;
}

impl SecretError {
    /// Checks a name against the rules of AWS Secrets Manager, on every platform. Fails with `Name` if it
    /// breaks the rules.
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
