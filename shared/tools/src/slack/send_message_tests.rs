use crate::testing::*;
use alfred_core::Failure;
use alfred_core::ports::{ChatChannel, ChatError, ChatUser};
use alfred_testkit::When;
use std::time::Duration;

pub(super) const TOOL: &str = "slack_sendMessage";

pub(super) fn message(to: &str, text: &str) -> Value {
    json!({"to": to, "text": text})
}

/// Asked by Ana. Two people are called Ben; Dora is in Slack only, Rob is a bot.
pub(super) async fn office() -> ToolHarness {
    let harness = ToolHarness::at("2026-11-21T12:00:00Z");
    for (id, handle, name) in [
        ("U1", "ana", "Ana Marques"),
        ("U2", "ben", "Ben Okafor"),
        ("U3", "bsmith", "Ben Smith"),
        ("U4", "chiyo", "Chiyo Tanaka"),
    ] {
        harness.person(id, handle, name).await;
    }
    harness
        .register("U5", |user| {
            user.name = "Gone Person".into();
            user.is_active = false;
        })
        .await;
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
    for (id, name, is_private, is_member, members) in [
        ("C1", "general", false, true, &["U1", "U2"][..]),
        ("C2", "random", false, false, &["U1"]),
        ("C3", "leaders", true, true, &["U1", "U2"]),
        ("C4", "secret", true, true, &["U2"]),
    ] {
        let (id, name) = (id.into(), name.to_owned());
        let channel = ChatChannel {
            id,
            name,
            is_private,
            is_member,
        };
        harness.chat.add_channel(channel, members);
    }
    // The people's rows are older than any call.
    harness.later("2026-11-21T13:00:00Z").since_now()
}

pub(super) fn refused(code: &str) -> ChatError {
    ChatError::Refused {
        method: "chat.postMessage",
        code: code.into(),
    }
}

pub(super) fn not_sent() -> ChatError {
    ChatError::NotSent {
        detail: "no route".into(),
    }
}

pub(super) fn unknown() -> ChatError {
    ChatError::Unknown {
        detail: "no answer".into(),
    }
}

#[tokio::test]
async fn a_person_gets_exactly_what_the_owner_was_shown() {
    let harness = office().await;
    let args = message("@ben", "**Late** by 10 & sorry, <!channel> <@U4>");
    let shown = harness.preview(TOOL, args.clone()).await.unwrap();
    assert_eq!(
        shown.as_text(),
        "Send a Slack message\nTo: Ben Okafor (@ben), a direct message\n\n*Late* by 10 & sorry, <!channel> <@U4>"
    );
    let output = harness.output(TOOL, args).await;
    assert_eq!(
        output.action.as_deref(),
        Some("Sent to Ben Okafor: “*Late* by 10 & sorry, <!channel> <@U4>”")
    );
    let posted = harness.chat.posted();
    assert_eq!(posted.len(), 1);
    let sent = &posted[0];
    assert_eq!((sent.channel.as_str(), &sent.thread_ts), ("D2", &None));
    assert_eq!(sent.idempotency_key.as_deref(), Some("run_1:call_1"));
    let said = "*Late* by 10 &amp; sorry, &lt;!channel&gt; &lt;@U4&gt;";
    assert_eq!(sent.text, said);
    assert_eq!(
        sent.blocks,
        [
            json!({"type": "section", "text": {"type": "mrkdwn", "text": said, "verbatim": true}, "expand": true}),
            json!({"type": "context", "elements": [
                {"type": "mrkdwn", "text": "Sent by Alfred for Person U1 (<@U1>)", "verbatim": true},
            ]}),
        ]
    );
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.place, "direct message");
    assert_eq!(receipt.provider_id.as_deref(), Some(sent.ts.as_str()));
    let link = format!(
        "https://slack.com/archives/D2/p{}",
        sent.ts.replace('.', "")
    );
    assert_eq!(receipt.link, Some(link));
    assert_eq!(receipt.at.unwrap().to_string(), "2026-11-21T13:00:00Z");
    assert_eq!(receipt.undo, []);
}

#[tokio::test]
async fn every_way_to_name_somebody() {
    let harness = office().await;
    for (to, address) in [
        ("@ben", "D2"),
        ("@BSmith", "D3"),
        ("ben okafor", "D2"),
        ("@Ben Okafor", "D2"),
        ("bsmith", "D3"),
        ("Chiyo", "D4"),
        ("U2@example.com", "D2"),
        ("<mailto:u2@example.com|u2@example.com>", "D2"),
        ("U3", "D3"),
        ("@U3", "D3"),
        ("<@U3>", "D3"),
        ("<@U3|bsmith>", "D3"),
        // Not registered, but an id is unambiguous.
        ("U7", "D7"),
        ("#general", "C1"),
        ("#General", "C1"),
        ("C1", "C1"),
        ("<#C1|anything>", "C1"),
        ("#leaders", "C3"),
        (" C3 ", "C3"),
    ] {
        let data = harness.ok(TOOL, message(to, "hi")).await;
        assert_eq!(data["channel"], address, "{to}: {data}");
    }
}

#[tokio::test]
async fn nobody_is_guessed() {
    let harness = office().await;
    for (to, part) in [
        ("Ben", "is not clear, two match: @ben (U2), @bsmith (U3)."),
        ("Bob", "is nobody Alfred knows"),
        ("Chi", "is nobody Alfred knows"),
        ("@chi", "is nobody Alfred knows"),
        ("Dora Frey", "is nobody Alfred knows"),
        ("Gone Person", "is nobody Alfred knows"),
        ("ben@elsewhere.example", "is nobody Alfred knows"),
        ("U9", "is nobody Alfred knows"),
        ("<@U9>", "is nobody Alfred knows"),
        ("<@>", "is nobody Alfred knows"),
        ("D2", "is nobody Alfred knows"),
        ("general", "is nobody Alfred knows"),
        ("U8", "is a bot"),
        ("#random", "is a channel Alfred isn't in"),
        ("#nowhere", "is no channel"),
        ("C9", "is no channel"),
        // A private channel of others looks like no channel.
        ("#secret", "is no channel"),
        ("C4", "is no channel"),
        ("", "is empty"),
        ("@", "is empty"),
        ("#", "is empty"),
    ] {
        let args = message(to, "hi");
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.starts_with(&format!("to: \"{to}\" ")), "{error}");
        assert!(error.contains(part), "{error}");
        let unseen = harness.preview(TOOL, args).await.unwrap_err();
        assert_eq!(unseen.to_string(), error);
    }
    // An exact match doesn't hide a partial one.
    harness.person("U6", "okafor", "Ben Okafor Junior").await;
    assert_snapshot!(harness.fails(TOOL, message("Ben Okafor", "hi")).await, @r#"to: "Ben Okafor" is not clear, two match: @ben (U2), @okafor (U6). Give the id."#);
    assert_eq!(harness.chat.posted(), []);
}

#[tokio::test]
async fn a_text_is_whole_or_refused() {
    let harness = office().await;
    let long = "word ".repeat(2_399) + "final";
    harness.ok(TOOL, message("@ben", &long)).await;
    let sent = harness.chat.posted().remove(0);
    let parts = sent
        .blocks
        .iter()
        .filter_map(|b| b["text"]["text"].as_str());
    let whole: Vec<&str> = parts.collect();
    assert_eq!((whole.len(), whole.join(" ")), (5, long));
    for (text, part) in [
        (" ".to_owned(), "says nothing"),
        ("x".repeat(12_001), "has 12001 characters, at most 12000"),
        // Slack counts the five characters of "&amp;".
        ("&".repeat(4_000), "is too long for one Slack message"),
    ] {
        let args = message("@ben", &text);
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.starts_with("text: "), "{error}");
        assert!(error.contains(part), "{error}");
        assert!(harness.preview(TOOL, args).await.is_err());
    }
    assert_eq!(harness.chat.posted().len(), 1);
}

#[tokio::test]
async fn an_answer_goes_into_its_thread() {
    let harness = office().await;
    let mut args = message("#general", "hi");
    args["threadTs"] = "1732190400.000100".into();
    assert_snapshot!(harness.card(TOOL, args.clone()).await, @"
Send a Slack message
To: #general, a public channel
In the thread of: 2024-11-21 12:00:00

hi
");
    harness.ok(TOOL, args.clone()).await;
    let sent = harness.chat.posted().remove(0);
    assert_eq!(sent.thread_ts.as_deref(), Some("1732190400.000100"));
    for bad in ["", "now", "1732190400", "1732190400.", "17321.x"] {
        args["threadTs"] = bad.into();
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.starts_with("threadTs: "), "{error}");
    }
}

#[tokio::test]
async fn the_gate_is_told_whom_the_model_named() {
    let harness = office().await;
    let tool = crate::tool(TOOL).unwrap();
    let args = message("Ben ", "hi");
    let named = tool.recipients(&harness.context, &args).await;
    assert_eq!(named.unwrap(), ["Ben "]);
}

#[tokio::test]
async fn the_card_drifts_when_the_name_comes_to_mean_somebody_else() {
    let harness = office().await;
    let args = message("@dan", "hi");
    let dan = |user: &mut alfred_core::User| {
        user.slack_username = "dan".into();
        user.name = "Dan".into();
    };
    harness.register("U10", dan).await;
    let before = harness.preview(TOOL, args.clone()).await.unwrap();
    harness
        .change("U10", |user| user.slack_username = "daniel".into())
        .await;
    harness.register("U11", dan).await;
    // The same name and handle, but another person.
    let after = harness.preview(TOOL, args).await.unwrap();
    assert_ne!(after, before);
}

#[tokio::test]
async fn every_failure_says_whether_something_happened() {
    let harness = office().await;
    let limited = || ChatError::RateLimited {
        retry_after: Duration::from_secs(40),
    };
    for (call, error) in [
        ("chat.post", not_sent()),
        ("chat.post", limited()),
        ("chat.channels", limited()),
        // A read without an answer changed nothing.
        ("chat.channels", unknown()),
    ] {
        let pause = matches!(error, ChatError::RateLimited { .. });
        harness.faults.fail_next(call, When::Before, error);
        let stopped = harness.run(TOOL, message("#general", "hi")).await;
        let Err(ToolError::Stop(Failure::Retry { after, .. })) = stopped else {
            panic!("{stopped:?}");
        };
        assert_eq!(after, pause.then_some(Duration::from_secs(40)));
    }
    harness
        .faults
        .fail_next("chat.post", When::Before, unknown());
    let lost = harness.run(TOOL, message("#general", "hi")).await;
    assert!(matches!(lost, Err(ToolError::Unknown(_))), "{lost:?}");
    for (code, part) in [
        (
            "not_in_channel",
            "not sent: Alfred isn't in that conversation",
        ),
        ("is_archived", "archived"),
        ("thread_not_found", "thread"),
        ("restricted_action_read_only_channel", "settings"),
        ("missing_scope", "lacks a permission"),
        ("a_new_code", "Slack wouldn't take it"),
    ] {
        harness
            .faults
            .fail_next("chat.post", When::Before, refused(code));
        let error = harness.fails(TOOL, message("#general", "hi")).await;
        assert!(error.contains(part), "{error}");
        assert!(!error.contains(code), "{error}");
    }
    harness
        .faults
        .fail_next("chat.user", When::Before, refused("missing_scope"));
    assert_snapshot!(harness.fails(TOOL, message("U7", "hi")).await, @"Alfred lacks a permission in Slack; an administrator has to give it.");
    assert_eq!(harness.chat.posted(), []);
}
