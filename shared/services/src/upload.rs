//! A file beside the JSON that tells of it, in one request: `multipart/related` (RFC 2387), as Google's uploads have
//! it (<https://developers.google.com/workspace/gmail/api/guides/uploads#multipart>).

use alfred_core::digest::sha256_hex;
use serde_json::Value;

/// A file that is uploaded.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// Its MIME type.
    pub content_type: &'static str,
    /// All of it.
    pub content: Vec<u8>,
}

impl Upload {
    /// The request's type, and its body. No file holds its own digest, so that none ends its part.
    pub fn with(&self, json: &Value) -> (String, Vec<u8>) {
        let boundary = format!("alfred_{}", &sha256_hex(&self.content)[..40]);
        let kind = self.content_type;
        let mut body = format!(
            "--{boundary}\r\nContent-Type: application/json\r\n\r\n{json}\r\n--{boundary}\r\nContent-Type: {kind}\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(&self.content);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        (format!("multipart/related; boundary={boundary}"), body)
    }
}
