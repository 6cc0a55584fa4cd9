//! Payloads shaped like those of slack-morphism's own tests, then two that its types can't read.

use serde_json::Value;

use crate::common::door;

#[tokio::test]
async fn public_payloads_are_queued_or_dropped_but_never_refused() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/payloads");
    for (name, session, part) in [
        ("message_changed", "", ""),
        ("message_changed_by_bot", "", ""),
        ("agent_session_title_changed", "", ""),
        ("app_context_changed", "", ""),
        ("unknown_event", "", ""),
        ("block_suggestion_view", "", ""),
        ("block_suggestion_message", "", ""),
        ("agent_session_stopped", "C1/17.000100", "stop"),
        ("message_with_nested_metadata", "D1", "plan my day"),
        ("click_of_organisation", "C1/17.000100", "2026-11-21"),
    ] {
        let payload = std::fs::read(format!("{folder}/{name}.json")).unwrap();
        let payload: Value = serde_json::from_slice(&payload).unwrap();
        let door = door();
        let reply = if payload["type"] == "event_callback" {
            door.json(&payload).await
        } else {
            door.interaction(&payload).await
        };
        assert_eq!(reply.status, 200, "{name}");
        let sent = door.sent();
        assert_eq!(sent.len(), usize::from(!session.is_empty()), "{name}");
        for out in sent {
            assert_eq!(out.envelope.session.0, format!("T1/U1/{session}"));
            let queued = serde_json::to_string(&out.envelope.payload).unwrap();
            assert!(queued.contains(part), "{name}: {queued}");
        }
    }
}
