//! A picture's way into Slack: an address for it, its bytes, the end of the upload, and the wait
//! until a message may name it (docs.slack.dev/reference/methods/files.getUploadURLExternal).

use alfred_core::FileId;
use alfred_core::ports::{ChatError, FILE_NOT_PROCESSED, Image};
use reqwest::{StatusCode, Url, header};
use serde_json::json;
use std::time::Duration;

use super::outcome::{failed_by_status, refused_by_status};
use super::wire::{FileReply, UploadReply};
use super::{Arguments, SlackClient};

/// The step that isn't a method: the bytes go to an address of their own.
const BYTES: &str = "upload_url";
const INFO: &str = "files.info";
/// Slack takes a file and looks at it later; a message that names it before is refused with
/// `invalid_blocks`. Usually that is a second or two: these pauses are between the looks.
const PAUSES: [Duration; 7] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(2),
    Duration::from_secs(2),
    Duration::from_secs(2),
];

impl SlackClient {
    /// All steps; their waits for rate limits count together.
    pub(super) async fn upload_image(&self, image: &Image) -> Result<FileId, ChatError> {
        let mut waited = Duration::ZERO;
        let length = image.png.len().to_string();
        let form = [
            ("filename", image.name.as_str()),
            ("length", length.as_str()),
            ("alt_txt", image.alt.as_str()),
        ];
        let place: UploadReply = self
            .call(
                "files.getUploadURLExternal",
                &Arguments::Form(&form),
                &mut waited,
            )
            .await?
            .parse()?;
        let address = self.checked_address(&place.upload_url)?;
        self.send_bytes(&address, &image.png, &mut waited).await?;
        // Without a channel: it is the app's own until a message shows it.
        let complete = json!({"files": [{"id": place.file_id, "title": image.name}]});
        self.call(
            "files.completeUploadExternal",
            &Arguments::Json(&complete),
            &mut waited,
        )
        .await?;
        self.processed(place.file_id, &mut waited).await
    }

    /// Where the bytes may go: what is asked for over TLS is not sent without it.
    fn checked_address(&self, address: &str) -> Result<Url, ChatError> {
        let wrong = |what: &str| ChatError::Unknown {
            detail: format!("files.getUploadURLExternal: unexpected answer: {what}"),
        };
        let url = Url::parse(address).map_err(|_| wrong("an upload_url that is no address"))?;
        if self.base_url.starts_with("https://") && url.scheme() != "https" {
            return Err(wrong("an upload_url without TLS"));
        }
        Ok(url)
    }

    /// Sends the bytes; the address itself allows it, and it may be another host's: no token goes there.
    async fn send_bytes(
        &self,
        address: &Url,
        bytes: &[u8],
        waited: &mut Duration,
    ) -> Result<(), ChatError> {
        loop {
            let outcome = self.send_bytes_once(address, bytes).await;
            if let Some(outcome) = self.sit_out(BYTES, outcome, waited).await {
                return outcome;
            }
        }
    }

    async fn send_bytes_once(&self, address: &Url, bytes: &[u8]) -> Result<(), ChatError> {
        let request = self
            .http()?
            .post(address.clone())
            .header(header::CONTENT_TYPE, "image/png")
            .body(bytes.to_vec());
        let (status, retry_after, _) = self.send(request).await?;
        failed_by_status(BYTES, status, retry_after)?;
        match status {
            StatusCode::OK => Ok(()),
            status => Err(refused_by_status(BYTES, status)),
        }
    }

    /// Looks until Slack has processed the file, which its type shows.
    async fn processed(&self, id: FileId, waited: &mut Duration) -> Result<FileId, ChatError> {
        let mut pauses = PAUSES.iter();
        loop {
            let form = [("file", id.as_str())];
            let reply = self.call(INFO, &Arguments::Form(&form), waited).await?;
            if !reply.parse::<FileReply>()?.file.mimetype.is_empty() {
                return Ok(id);
            }
            let Some(pause) = pauses.next() else {
                return Err(ChatError::Refused {
                    method: INFO,
                    code: FILE_NOT_PROCESSED.to_owned(),
                });
            };
            *waited += *pause;
            self.clock.sleep(*pause).await;
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
            assert!(
                matches!(error, ChatError::Unknown { .. }),
                "{wrong}: {error}"
            );
        }
        let local = "http://127.0.0.1:4141/upload/v1/ABC123";
        assert_eq!(address("http://127.0.0.1:4141/api", local).unwrap(), local);
    }
}
