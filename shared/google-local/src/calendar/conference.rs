//! Conferences that are made with an event (<https://developers.google.com/workspace/calendar/api/guides/create-events#conferencing>).

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::event::Event;
use crate::error::ApiError;
use crate::exchange::Asked;

/// Makes the conference that is asked for; the same request of the same person makes the same one.
pub(super) fn made(event: &mut Event, asked: &Asked, email: &str) -> Result<(), ApiError> {
    match asked.query("conferenceDataVersion") {
        None | Some("0") => {
            // Without the version such data is ignored.
            if event.hangout_link.is_none() {
                event.rest.remove("conferenceData");
            }
            return Ok(());
        }
        Some("1") => {}
        Some(_) => {
            return Err(ApiError::invalid(
                "Invalid value for: conferenceDataVersion",
            ));
        }
    }
    let Some(data) = event.rest.get_mut("conferenceData") else {
        event.hangout_link = None;
        return Ok(());
    };
    let Some(request) = data["createRequest"]["requestId"].as_str() else {
        return Err(ApiError::new(400, "invalid", "Invalid conference data."));
    };
    let digest = Sha256::digest(format!("{email} {request}"));
    let letters: String = digest
        .iter()
        .take(10)
        .map(|byte| char::from(b'a' + byte % 26))
        .collect();
    let id = format!("{}-{}-{}", &letters[..3], &letters[3..7], &letters[7..]);
    let link = format!("https://meet.google.com/{id}");
    data["createRequest"]["status"] = json!({"statusCode": "success"});
    data["conferenceId"] = Value::String(id);
    data["entryPoints"] = json!([{"entryPointType": "video", "uri": link}]);
    event.hangout_link = Some(link);
    Ok(())
}
