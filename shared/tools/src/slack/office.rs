use alfred_core::User;
use alfred_core::ports::ChatUser;
use serde_json::json;

use crate::testing::ToolHarness;

/// Asked by Ana. Two people are called Ben; Dora is in Slack only, Rob is a bot.
pub(crate) async fn office() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    for (id, handle, name) in [
        ("U1", "ana", "Ana Marques"),
        ("U2", "ben", "Ben Okafor"),
        ("U3", "bsmith", "Ben Smith"),
        ("U4", "chiyo", "Chiyo Tanaka"),
    ] {
        let named = |user: &mut User| {
            (user.slack_username, user.name) = (handle.into(), name.into());
        };
        harness.register(id, named).await;
    }
    let gone = |user: &mut User| {
        (user.name, user.is_active) = ("Gone Person".into(), false);
    };
    harness.register("U5", gone).await;
    for (id, name, is_person) in [("U7", "Dora Frey", true), ("U8", "Rob Bot", false)] {
        harness.chat.add_user(ChatUser {
            id: id.into(),
            username: id.to_lowercase(),
            name: name.into(),
            email: String::new(),
            timezone: None,
            is_person,
        });
    }
    for (id, name, private, member, members) in [
        ("C1", "general", false, true, &["U1", "U2"][..]),
        ("C2", "random", false, false, &["U1"]),
        ("C3", "leaders", true, true, &["U1", "U2"]),
        ("C4", "secret", true, true, &["U2"]),
    ] {
        let channel = json!({"id": id, "name": name, "is_private": private, "is_member": member});
        let channel = serde_json::from_value(channel).unwrap();
        harness.chat.add_channel(channel, members);
    }
    // The people's rows are older than any call.
    harness.later("2026-11-21T13:00:00Z").since_now()
}
