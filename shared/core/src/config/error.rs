use thiserror::Error;

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{name} is not set")]
    Missing { name: &'static str },
    #[error("{name}: {reason}")]
    Invalid { name: &'static str, reason: String },
}
