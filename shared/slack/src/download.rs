//! Downloads a file: reads its URL, then its bytes with the token (docs.slack.dev/reference/objects/file-object).

use alfred_core::FileId;
use alfred_core::ports::{ChatError, FILE_ELSEWHERE, FILE_TOO_LARGE};
use reqwest::{Client, Url};
use secrecy::ExposeSecret;
use slack_morphism::api::SlackApiFilesInfoRequest;

use super::answers::text;
use super::{Result, SlackClient};

const INFO: &str = "files.info";
/// Name of the step that isn't an API method.
const BYTES: &str = "url_private_download";
/// Slack's file host. The token is sent to no other.
const HOST: &str = "files.slack.com";

impl SlackClient {
    /// Both steps share one limit for waiting on rate limits.
    pub(super) async fn download_file(&self, id: &FileId, most: u64) -> Result<Vec<u8>> {
        let refused = |code: &str| ChatError::Refused {
            method: INFO,
            code: code.to_owned(),
        };
        let mut calls = self.calls();
        let look = SlackApiFilesInfoRequest::new(id.as_str().into());
        let seen = calls.read(INFO, &look).await?;
        text(INFO, &seen, "/file/id")?;
        let file = &seen["file"];
        if file["size"].as_u64() > Some(most) {
            return Err(refused(FILE_TOO_LARGE));
        }
        // Files that are only linked are external.
        let address = file["url_private_download"].as_str();
        let address = address.filter(|_| file["is_external"] != true);
        let address = address.and_then(|address| self.address_of_slack(address));
        let address = &address.ok_or_else(|| refused(FILE_ELSEWHERE))?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let token = &self.token(BYTES).await?;
        // Without permission Slack redirects to a sign-in page, which is refused.
        let get = |http: &Client| http.get(address.clone()).bearer_auth(token.expose_secret());
        let bytes = calls.transfer(BYTES, most, get).await?;
        bytes.ok_or_else(|| refused(FILE_TOO_LARGE))
    }

    /// Accepts URLs on Slack's file host, or on the API's origin (for test servers).
    fn address_of_slack(&self, address: &str) -> Option<Url> {
        let (address, api) = (Url::parse(address).ok()?, Url::parse(&self.base_url).ok()?);
        let files = address.scheme() == "https"
            && address.host_str() == Some(HOST)
            && address.port().is_none();
        (files || address.origin() == api.origin()).then_some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::ports::SystemClock;
    use std::sync::Arc;

    #[test]
    fn the_token_goes_to_slack_alone() {
        let goes = |base: &str, address: &str| {
            let client = SlackClient::new(base, "xoxb-1".into(), Arc::new(SystemClock));
            client.address_of_slack(address).is_some()
        };
        let (slack, local) = ("https://slack.com/api", "http://127.0.0.1:4141/api");
        assert!(goes(slack, "https://files.slack.com/T1-F1/a.png"));
        assert!(goes(local, "http://127.0.0.1:4141/T1-F1/a.png"));
        let wrong = "http://files.slack.com/T1-F1/a.png https://files.slack.com:8443/a.png \
            https://files.slack.com.example.com/a.png https://files.slack.com@example.com/a.png \
            https://docs.google.com/document/d/1 http://127.0.0.1:4142/a.png a.png";
        for wrong in wrong.split(' ').chain([""]) {
            assert!(!goes(slack, wrong), "{wrong}");
            let local_wrong = wrong.trim_start_matches("https://files");
            assert!(!goes(local, local_wrong), "{wrong}");
        }
    }
}
