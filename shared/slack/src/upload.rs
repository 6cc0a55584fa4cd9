//! Uploads a picture: gets a URL, sends the bytes, completes, and waits until a message may reference it
//! (docs.slack.dev/reference/methods/files.getUploadURLExternal).

use alfred_core::FileId;
use alfred_core::ports::{ChatError, FILE_NOT_PROCESSED, Image};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use slack_morphism::api::*;
use std::time::Duration;

use super::answers::text;
use super::calls::{Calls, MAX_REPLY_BYTES, unknown};
use super::{Result, SlackClient};

const PLACE: &str = "files.getUploadURLExternal";
const COMPLETE: &str = "files.completeUploadExternal";
/// Name of the step that isn't an API method.
const BYTES: &str = "upload_url";
const INFO: &str = "files.info";
/// Milliseconds between checks. Slack processes a file for a second or two; a message that references it
/// earlier fails with `invalid_blocks`.
const PAUSES: [u64; 7] = [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000];

impl SlackClient {
    /// All steps share one limit for waiting on rate limits.
    pub(super) async fn upload_image(&self, image: &Image) -> Result<FileId> {
        let mut calls = self.calls();
        let request =
            SlackApiFilesGetUploadUrlExternalRequest::new(image.name.clone(), image.png.len())
                .with_alt_txt(image.alt.clone());
        let place = calls.read(PLACE, &request).await?;
        let address = &self.checked_address(&text(PLACE, &place, "/upload_url")?)?;
        let id = FileId::from(text(PLACE, &place, "/file_id")?);
        // The URL is the credential and may be another host's, so no token is sent.
        let send = |http: &Client| {
            let post = http.post(address.clone()).body(image.png.clone());
            post.header(CONTENT_TYPE, "image/png")
        };
        calls.transfer(BYTES, MAX_REPLY_BYTES, send).await?;
        // Without a channel the file is private to the app until a message shows it.
        let file = SlackApiFilesComplete::new(id.as_str().into()).with_title(image.name.clone());
        let complete = SlackApiFilesCompleteUploadExternalRequest::new(vec![file]);
        calls.write(COMPLETE, &complete).await?;
        calls.processed(id).await
    }

    /// Refuses an upload URL without TLS if the API uses TLS.
    fn checked_address(&self, address: &str) -> Result<Url> {
        let wrong = |what: &str| unknown(PLACE, format!("unexpected answer: {what}"));
        let url = Url::parse(address).map_err(|_| wrong("an upload_url that is no address"))?;
        if self.base_url.starts_with("https://") && url.scheme() != "https" {
            return Err(wrong("an upload_url without TLS"));
        }
        Ok(url)
    }
}

impl Calls<'_> {
    /// Waits until Slack has processed the file and so knows its type.
    async fn processed(&mut self, id: FileId) -> Result<FileId> {
        let mut pauses = PAUSES.into_iter();
        let look = SlackApiFilesInfoRequest::new(id.as_str().into());
        loop {
            let seen = self.read(INFO, &look).await?;
            text(INFO, &seen, "/file/id")?;
            let kind = seen["file"]["mimetype"].as_str();
            if kind.is_some_and(|kind| !kind.is_empty()) {
                return Ok(id);
            }
            let Some(pause) = pauses.next().map(Duration::from_millis) else {
                return Err(ChatError::Refused {
                    method: INFO,
                    code: FILE_NOT_PROCESSED.to_owned(),
                });
            };
            self.retries.pause(&*self.client.clock, pause).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::ports::SystemClock;
    use std::sync::Arc;

    #[test]
    fn a_picture_never_leaves_tls() {
        let address = |base: &str, upload: &str| {
            let client = SlackClient::new(base, "xoxb-1".into(), Arc::new(SystemClock));
            client.checked_address(upload).map(|url| url.to_string())
        };
        let slack = "https://slack.com/api";
        let other_host = "https://files.slack.com/upload/v1/ABC123";
        assert_eq!(address(slack, other_host).unwrap(), other_host);
        for wrong in ["http://files.slack.com/upload/v1/ABC123", "upload/v1/x", ""] {
            let error = address(slack, wrong).unwrap_err();
            let is_unknown = matches!(error, ChatError::Unknown { .. });
            assert!(is_unknown, "{wrong}: {error}");
        }
        let local = "http://127.0.0.1:4141/upload/v1/ABC123";
        assert_eq!(address("http://127.0.0.1:4141/api", local).unwrap(), local);
    }
}
