//! A file and its JSON metadata in one `multipart/related` request (RFC 2387,
//! <https://developers.google.com/workspace/gmail/api/guides/uploads#multipart>).

use alfred_core::digest::sha256_hex;
use serde_json::Value;

#[derive(Clone, Debug)]
pub struct Upload {
    pub content_type: &'static str,
    pub content: Vec<u8>,
}

impl Upload {
    /// The content type and body of the request. No file contains its own digest, so the boundary can't occur in it.
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
