//! `Credentials`: what lets Alfred into people's accounts, one secret a person, in Secrets Manager or encrypted in the
//! table. Either is reached by a session tagged with team and user, so that a run can read its own person's alone,
//! whatever its code does.

mod encrypted;
mod managed;
mod session;

pub use encrypted::EncryptedCredentials;
pub use managed::ManagedCredentials;
pub use session::Sessions;

use alfred_core::ports::SecretError;

type Result<T, E = SecretError> = std::result::Result<T, E>;
