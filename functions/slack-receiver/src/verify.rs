//! Slack's request signature, version 0: HMAC-SHA256 over `v0:TIMESTAMP:BODY` with the raw body
//! (<https://docs.slack.dev/authentication/verifying-requests-from-slack>).

use alfred_core::config::{
    Config, ConfigError, SLACK_SIGNING_SECRET, SLACK_SIGNING_SECRET_PREVIOUS,
};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use thiserror::Error;

use crate::RawRequest;

/// Also the limit for future timestamps.
pub const WINDOW_SECONDS: u64 = 300;

const SIGNATURE: &str = "x-slack-signature";
const TIMESTAMP: &str = "x-slack-request-timestamp";

/// Two secrets during a rotation. Holds only the keyed states, not the text of a secret.
#[derive(Clone)]
pub struct SigningSecrets {
    current: Hmac<Sha256>,
    previous: Option<Hmac<Sha256>>,
}

/// For the log only; the sender sees a 401.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    #[error("no single {0} header")]
    Header(&'static str),
    #[error("the timestamp is no number")]
    Timestamp,
    #[error("Slack signed it {seconds} s before this machine's time: is its clock right?")]
    Stale {
        /// Age in seconds. Negative for a future timestamp.
        seconds: i64,
    },
    #[error("the signature doesn't match")]
    Mismatch,
}

impl SigningSecrets {
    /// An empty current secret is an error: it would accept anybody's signature.
    pub fn new(current: &str, previous: Option<&str>) -> Result<Self, ConfigError> {
        let name = SLACK_SIGNING_SECRET;
        let current = keyed(current).ok_or(ConfigError::Missing { name })?;
        let previous = previous.and_then(keyed);
        Ok(Self { current, previous })
    }

    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let current = Config::required(&lookup, SLACK_SIGNING_SECRET)?;
        Self::new(&current, lookup(SLACK_SIGNING_SECRET_PREVIOUS).as_deref())
    }

    /// The timestamp may be of any age; see `fresh`.
    pub fn signed_at(&self, request: &RawRequest) -> Result<Timestamp, SignatureError> {
        let header = |name| request.header(name).ok_or(SignatureError::Header(name));
        let (timestamp, signature) = (header(TIMESTAMP)?, header(SIGNATURE)?);
        if timestamp.is_empty() || !timestamp.bytes().all(|b| b.is_ascii_digit()) {
            return Err(SignatureError::Timestamp);
        }
        let sent: i64 = timestamp.parse().map_err(|_| SignatureError::Timestamp)?;
        let sent = Timestamp::from_second(sent).map_err(|_| SignatureError::Timestamp)?;
        let mut expected = [0_u8; 32];
        let digits = signature.strip_prefix("v0=");
        let digits = digits.ok_or(SignatureError::Mismatch)?;
        hex::decode_to_slice(digits, &mut expected).map_err(|_| SignatureError::Mismatch)?;
        // Both are always computed, so the timing doesn't reveal which one is current.
        let signed_with = |key: &_| matches(key, timestamp, &request.body, &expected);
        let current = signed_with(&self.current);
        let previous = self.previous.as_ref().is_some_and(signed_with);
        if current | previous {
            Ok(sent)
        } else {
            Err(SignatureError::Mismatch)
        }
    }
}

pub fn fresh(signed_at: Timestamp, now: Timestamp) -> Result<(), SignatureError> {
    let seconds = now.as_second() - signed_at.as_second();
    if seconds.unsigned_abs() > WINDOW_SECONDS {
        return Err(SignatureError::Stale { seconds });
    }
    Ok(())
}

fn keyed(secret: &str) -> Option<Hmac<Sha256>> {
    if secret.is_empty() {
        return None;
    }
    Hmac::new_from_slice(secret.as_bytes()).ok()
}

fn matches(key: &Hmac<Sha256>, timestamp: &str, body: &[u8], expected: &[u8; 32]) -> bool {
    let mut mac = key.clone();
    mac.update(b"v0:");
    mac.update(timestamp.as_bytes());
    mac.update(b":");
    mac.update(body);
    // Constant-time comparison.
    mac.verify_slice(expected).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of Slack's documentation.
    const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
    const AT: &str = "1531420618";
    const GOOD: &str = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
    const BODY: &str = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";

    fn check(
        secrets: &SigningSecrets,
        timestamp: &str,
        signature: &str,
        shift: i64,
    ) -> Result<(), SignatureError> {
        let request = RawRequest::new([(SIGNATURE, signature), (TIMESTAMP, timestamp)], BODY);
        let now = Timestamp::from_second(AT.parse::<i64>().unwrap() + shift).unwrap();
        fresh(secrets.signed_at(&request)?, now)
    }

    #[test]
    fn the_documented_example_verifies_within_five_minutes_only() {
        let secrets = SigningSecrets::new(SECRET, None).unwrap();
        for shift in [-300, 0, 300] {
            assert_eq!(check(&secrets, AT, GOOD, shift), Ok(()), "{shift}");
        }
        for shift in [-301, 301, 100_000] {
            let stale = SignatureError::Stale { seconds: shift };
            assert_eq!(check(&secrets, AT, GOOD, shift), Err(stale));
        }
    }

    #[test]
    fn a_rotated_secret_is_accepted_beside_the_new_one() {
        let rotated = SigningSecrets::new("the-new-one", Some(SECRET)).unwrap();
        assert_eq!(check(&rotated, AT, GOOD, 0), Ok(()));
        let retired = SigningSecrets::new("the-new-one", Some("")).unwrap();
        assert_eq!(check(&retired, AT, GOOD, 0), Err(SignatureError::Mismatch));
    }

    #[test]
    fn odd_headers_are_refused() {
        let secrets = SigningSecrets::new(SECRET, None).unwrap();
        let upper = format!("v0={}", GOOD[3..].to_uppercase());
        let wrong = ["", "v0=", "v1=00", "v0=zz", &GOOD[3..], &GOOD[..66]];
        for signature in wrong.into_iter().chain([&*GOOD.replace('a', "b")]) {
            let refused = check(&secrets, AT, signature, 0);
            assert_eq!(refused, Err(SignatureError::Mismatch), "{signature}");
        }
        assert_eq!(check(&secrets, AT, &upper, 0), Ok(()));
        let odd = "|-1|+1531420618|1531420618.0| 1531420618|99999999999999999999";
        for timestamp in odd.split('|') {
            let refused = check(&secrets, timestamp, GOOD, 0);
            assert_eq!(refused, Err(SignatureError::Timestamp), "{timestamp}");
        }
    }

    #[test]
    fn a_missing_or_doubled_header_is_refused() {
        let secrets = SigningSecrets::new(SECRET, None).unwrap();
        let mut headers = vec![(TIMESTAMP, AT)];
        for _ in 0..2 {
            let request = RawRequest::new(headers.clone(), BODY);
            let refused = secrets.signed_at(&request);
            assert_eq!(refused, Err(SignatureError::Header(SIGNATURE)));
            headers.extend([(SIGNATURE, GOOD), ("X-Slack-Signature", GOOD)]);
        }
    }

    #[test]
    fn an_empty_secret_is_no_secret() {
        assert!(SigningSecrets::new("", Some(SECRET)).is_err());
        assert!(SigningSecrets::read(|_| None).is_err());
        let only = |name: &str| (name == SLACK_SIGNING_SECRET).then(|| "s".to_owned());
        assert!(SigningSecrets::read(only).is_ok());
    }
}
