//! Models on Bedrock, for builds with the AWS SDK.

use alfred_core::ConfigError;
use alfred_core::ports::ModelHost;
use alfred_models::Endpoint;
use std::sync::Arc;

/// The host of the models, if one of them is hosted. The error names the missing region or credentials.
#[cfg(feature = "aws")]
pub async fn models(endpoints: &[Endpoint]) -> Result<Option<Arc<dyn ModelHost>>, ConfigError> {
    use alfred_models::Wire;
    if endpoints.iter().all(|one| one.wire != Wire::Hosted) {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    Ok(Some(Arc::new(alfred_aws::bedrock(&sdk))))
}

/// Without the SDK there is no host.
#[cfg(not(feature = "aws"))]
#[allow(clippy::unused_async, reason = "the other one waits")]
pub async fn models(_: &[Endpoint]) -> Result<Option<Arc<dyn ModelHost>>, ConfigError> {
    Ok(None)
}
