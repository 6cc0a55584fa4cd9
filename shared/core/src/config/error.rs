use thiserror::Error;

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{name} is not set")]
    Missing { name: &'static str },
    #[error("{name}: {reason}")]
    Invalid { name: &'static str, reason: String },
}

impl ConfigError {
    pub fn invalid(name: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Invalid { name, reason }
    }
}
