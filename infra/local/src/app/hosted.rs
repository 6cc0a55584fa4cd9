//! Models on Bedrock, for an `alfred` that is built with the AWS SDK.

use alfred_core::ConfigError;
use alfred_core::ports::ModelHost;
use alfred_services::model::Endpoint;
use std::sync::Arc;

/// What hosts models, if one of these is hosted and the SDK is there.
///
/// # Errors
/// `ConfigError` naming what is missing of the region or the credentials.
#[cfg(feature = "aws")]
pub async fn models(endpoints: &[Endpoint]) -> Result<Option<Arc<dyn ModelHost>>, ConfigError> {
    use alfred_services::model::Wire;
    if endpoints
        .iter()
        .all(|endpoint| endpoint.wire != Wire::Hosted)
    {
        return Ok(None);
    }
    let sdk = alfred_aws::from_env().await?;
    Ok(Some(Arc::new(alfred_aws::bedrock(&sdk))))
}

/// None: the SDK isn't built in.
#[cfg(not(feature = "aws"))]
#[allow(clippy::unused_async, reason = "the other one waits")]
pub async fn models(_: &[Endpoint]) -> Result<Option<Arc<dyn ModelHost>>, ConfigError> {
    Ok(None)
}
