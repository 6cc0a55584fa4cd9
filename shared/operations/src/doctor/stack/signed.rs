//! Signed GET requests to services without an SDK here: Lambda, and what object_store doesn't know of S3.

use alfred_aws::SdkConfig;
use alfred_http::{LazyClient, up_to, with_causes};
use aws_credential_types::provider::ProvideCredentials;
use object_store::aws::{AwsAuthorizer, AwsCredential};
use object_store::client::HttpRequestBody;
use std::error::Error;

const MAX_ANSWER_BYTES: usize = 256 * 1024;

pub struct Answer {
    pub status: u16,
    /// Of an error, such as `AccessDenied`; otherwise empty.
    pub code: String,
    pub body: String,
}

/// The address of a service: the emulator's, or that of the region.
pub fn address(sdk: &SdkConfig, host: &str) -> String {
    match sdk.endpoint_url() {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => {
            let region = sdk.region().map_or("us-east-1", |region| region.as_ref());
            let ending = if region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://{host}.{region}.amazonaws.com{ending}")
        }
    }
}

pub async fn get(sdk: &SdkConfig, service: &str, url: &str) -> Result<Answer, String> {
    let answer = signed(sdk, service, url).await;
    answer.map_err(|error| with_causes(&*error))
}

async fn signed(
    sdk: &SdkConfig,
    service: &str,
    url: &str,
) -> Result<Answer, Box<dyn Error + Send + Sync>> {
    let provider = sdk.credentials_provider();
    let provider = provider.ok_or("there are no credentials")?;
    let found = provider.provide_credentials().await?;
    let credential = AwsCredential {
        key_id: found.access_key_id().to_owned(),
        secret_key: found.secret_access_key().to_owned(),
        token: found.session_token().map(str::to_owned),
    };
    let region = sdk.region().map_or("us-east-1", |region| region.as_ref());
    let mut request = http::Request::get(url).body(HttpRequestBody::empty())?;
    AwsAuthorizer::new(&credential, service, region).try_authorize(&mut request, None)?;
    let http = LazyClient::default();
    let headers = request.headers().clone();
    let request = http.get(url, |builder| builder)?.get(url).headers(headers);
    let response = request.send().await.map_err(reqwest::Error::without_url)?;
    let status = response.status().as_u16();
    let header = response.headers().get("x-amzn-errortype");
    let header = header.and_then(|code| code.to_str().ok());
    let header = header.map(str::to_owned);
    let (body, _) = up_to(response, MAX_ANSWER_BYTES).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    let code = header.or_else(|| code_in(&body)).unwrap_or_default();
    let code = code.split(':').next().unwrap_or_default().to_owned();
    Ok(Answer { status, code, body })
}

/// In the XML of S3, or in JSON.
fn code_in(body: &str) -> Option<String> {
    if let Some((_, code)) = body.split_once("<Code>") {
        return code.split('<').next().map(str::to_owned);
    }
    let error: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(error["__type"].as_str()?.to_owned())
}
