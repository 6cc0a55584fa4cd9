//! Slack's v0 request signature (docs.slack.dev/authentication/verifying-requests-from-slack).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// `X-Slack-Signature` of this body at this time (seconds since 1970).
pub fn signature(secret: &str, timestamp: i64, body: &[u8]) -> String {
    // HMAC pads or hashes keys of any length, so this can't fail; an empty signature would be refused.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(format!("v0:{timestamp}:").as_bytes());
    mac.update(body);
    format!("v0={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_of_slacks_documentation() {
        let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow\
                    &channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner\
                    &command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com\
                    %2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN\
                    &trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
        let secret = "8f742231b10e8888abcd99yyyzzz85a5";
        let signed = super::signature(secret, 1_531_420_618, body.as_bytes());
        let expected = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
        assert_eq!(signed, expected);
    }
}
