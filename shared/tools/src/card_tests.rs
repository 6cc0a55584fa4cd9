//! Cards of outward tools, checked against the strict local Slack's rules for blocks. A card names every
//! recipient and hides nothing of what is sent.

use crate::documents::desk::{desk, document};
use crate::testing::*;
use alfred_agent::model::{Approval, Recipient};
use alfred_agent::slack::card;
use alfred_agent::slack::respond::{mrkdwn, unescaped};
use alfred_core::invisible;
use alfred_core::ports::Cell;
use alfred_google_local::drive::File;
use alfred_slack_local::blocks::{self, Surface};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Texts of any length, with Markdown, control and invisible characters.
fn text(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z ]{1,12}",
        "\\PC{1,6}",
        Just("*With:* Ben Okafor\n".to_owned()),
        Just("\n✅ Already approved\n> ```".to_owned()),
        Just("<!channel> <https://x.y|z> & https://x.y/?a=1 :tada:".to_owned()),
        Just("\"\\\t\"".to_owned()),
        "[\u{202E}\u{200B}\u{E0041}\u{FE0F}\u{200D}\u{1B}]{1,5}",
    ];
    let pieces = prop::collection::vec(piece, 1..40);
    (pieces, 1_usize..300).prop_map(move |(pieces, times)| {
        let whole = pieces.concat().repeat(times);
        whole.chars().take(most).collect()
    })
}

/// Addresses, up to about the longest that mail servers accept.
fn addresses(most: usize) -> impl Strategy<Value = Vec<String>> {
    let label = || "[a-z]{1,40}";
    let address = ("[a-z0-9_+-]{1,60}", label(), label(), label())
        .prop_map(|(name, a, b, c)| format!("{name}@{a}.{b}.{c}.example"));
    prop::collection::vec(address, 1..=most)
}

/// Collects the text of all blocks, values and labels, line by line.
fn texts(part: &Value, out: &mut String) {
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| texts(part, out)),
        Value::Object(fields) => {
            if let Some(text) = fields.get("text").and_then(Value::as_str) {
                out.push_str(text);
            }
            fields.values().for_each(|part| texts(part, out));
        }
        _ => {}
    }
}

fn asked(harness: &ToolHarness, preview: Preview, to: &[String], outside: &[String]) -> Approval {
    let mut approval = harness.approval("apr_00000000000000000000000000000001", "");
    approval.preview = preview;
    approval.reasons = vec![Reason::Outward];
    let strangers = to.iter().cloned();
    let strangers = strangers.map(|who| Reason::UnknownRecipient { who });
    approval.reasons.extend(strangers);
    let stranger = |who: &String| Recipient {
        who: who.clone(),
        trusted: false,
    };
    approval.recipients = to.iter().map(stranger).collect();
    approval.outside = outside.to_vec();
    approval
}

/// Checks that the card names each recipient and that Slack accepts it. All sent text must be on it or under
/// "View full".
fn check(approval: &Approval, people: &[String], sent: &[&str]) -> Result<(), TestCaseError> {
    let mut on_card = String::new();
    for post in card::posts(approval) {
        fits(&post.blocks)?;
        texts(&Value::from(post.blocks), &mut on_card);
        prop_assert!(post.text.chars().count() < 1_000);
    }
    let mut in_full = String::new();
    for message in card::full(approval) {
        fits(&message)?;
        texts(&Value::from(message), &mut in_full);
    }
    let (_, decided) = card::resolved(approval, Some(&"x".repeat(5_000)));
    fits(&decided)?;
    for who in people {
        prop_assert!(on_card.contains(who.as_str()), "{who} isn't on the card");
    }
    // Short values are shown on one line, long ones unchanged.
    for said in sent {
        let line = invisible::shown_on_one_line(said);
        let there = in_full.contains(said.trim()) || in_full.contains(&line);
        prop_assert!(there, "{said:?} is hidden in {in_full:?}");
    }
    Ok(())
}

fn fits(message: &[Value]) -> Result<(), TestCaseError> {
    let checked = blocks::check(message, Surface::Message);
    prop_assert!(checked.is_ok(), "{:?}", checked.unwrap_err());
    let size = blocks::size(message);
    prop_assert!(size <= blocks::BLOCKS_CHARACTERS, "{size} characters");
    Ok(())
}

fn now<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(work)
}

fn modified() -> jiff::Timestamp {
    "2026-11-19T08:00:00Z".parse().unwrap()
}

/// Google writes the same text with other Markdown marks.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// Removes invisible characters from arguments, as a run does with a model's.
fn made(mut arguments: Value) -> Value {
    invisible::remove_from(&mut arguments);
    arguments
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_message(said in text(12_000), to in prop::sample::select(vec!["U2", "#general"])) {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        let args = made(json!({"to": to, "text": said}));
        let shown = now(async {
            harness.register("U2", |_| ()).await;
            let general = json!({"id": "C1", "name": "general", "is_member": true});
            harness.chat.add_channel(serde_json::from_value(general).unwrap(), &[]);
            harness.preview("slack_sendMessage", args.clone()).await
        });
        // A call that can't be sent never gets a card.
        prop_assume!(shown.is_ok());
        let approval = asked(&harness, shown.unwrap(), &[to.to_owned()], &[]);
        let leaves = unescaped(&mrkdwn::from_markdown(args["text"].as_str().unwrap()));
        check(&approval, &[to.to_owned()], &[&leaves])?;
    }

    #[test]
    fn an_answer(said in text(20_000), subject in text(400), to in addresses(10)) {
        let (harness, mails) = inbox();
        let mut mail = arriving("m9", "sender@elsewhere.example", &subject, "Hi");
        mail.reply_to = to.iter().map(|one| Mailbox::new("*Ben*", one)).collect();
        mails.arrive(&harness.context.account(), mail);
        let args = made(json!({"emailId": "m9", "action": "send_reply", "replyText": said}));
        let sent = now(async {
            let preview = harness.preview("email_processEmail", args.clone()).await.ok()?;
            let mut harness = harness.clone();
            harness.context.call.shown = preview.digest().ok();
            harness.run("email_processEmail", args).await.ok()?;
            let sent = mails.sent(&harness.context.account()).pop()?;
            Some((preview, sent))
        });
        prop_assume!(sent.is_some());
        let (preview, sent) = sent.unwrap();
        let approval = asked(&harness, preview, &[], &to);
        let people: Vec<String> = sent.mail.to.iter().map(|one| one.address.clone()).collect();
        prop_assert_eq!(people.len(), to.iter().collect::<BTreeSet<_>>().len());
        check(&approval, &people, &[&sent.mail.subject, &sent.mail.text])?;
    }

    #[test]
    fn an_invitation(title in text(200), said in text(2_000), to in addresses(20)) {
        let args = made(json!({"attendees": to, "title": title, "description": said}));
        let (harness, _) = now(office(Vec::new(), Vec::new()));
        let shown = now(harness.preview("calendar_scheduleMeeting", args.clone()));
        prop_assume!(shown.is_ok());
        let approval = asked(&harness, shown.unwrap(), &[], &to);
        let said = ["title", "description"].map(|name| args[name].as_str().unwrap());
        check(&approval, &to, &said)?;
    }

    #[test]
    fn a_move(title in text(400), why in text(2_000), to in addresses(400)) {
        let people: Vec<&str> = to.iter().map(String::as_str).collect();
        let event = own("e1", &title, span("2026-11-23T10:00", "2026-11-23T11:00"), &people);
        let args = made(json!({"eventId": "e1", "newTime": "14:00", "reason": why}));
        let (harness, _) = now(office(vec![event], Vec::new()));
        let shown = now(harness.preview("calendar_rescheduleMeeting", args.clone()));
        prop_assume!(shown.is_ok());
        let preview = shown.unwrap();
        match preview.check() {
            Ok(()) => {
                let approval = asked(&harness, preview, &[], &to);
                check(&approval, &to, &[args["reason"].as_str().unwrap()])?;
            }
            Err(words) => prop_assert!(words.contains("isn't asked"), "{words}"),
        }
    }

    #[test]
    fn words_in_a_document(said in text(12_000)) {
        let args = made(json!({"documentId": "d1", "text": said}));
        let (harness, shown, written) = now(async {
            let notes = document("*To:* Ben", modified(), "");
            let harness = desk(vec![("d1".into(), notes)]).await;
            let shown = harness.preview("docs_appendToDocument", args.clone()).await;
            let done = harness.run("docs_appendToDocument", args.clone()).await;
            assert_eq!(done.is_ok(), shown.is_ok());
            let (account, port) = (harness.context.account(), &harness.context.accounts.documents);
            let read = port.read(&account, &"d1".into()).await.unwrap().unwrap();
            (harness, shown, read.text)
        });
        prop_assume!(shown.is_ok());
        let said = args["text"].as_str().unwrap();
        prop_assert_eq!(letters(&written), letters(said));
        check(&asked(&harness, shown.unwrap(), &[], &[]), &[], &[said])?;
    }

    #[test]
    fn a_cell(said in text(2_000)) {
        let args = made(json!({"sheetId": "s1", "range": "B2", "values": [[said]]}));
        let (harness, shown) = now(async {
            let rows = vec![vec![Cell::Number(640.0); 2]; 3];
            let budget = File::sheet("Offsite budget", modified(), [("Costs", rows)]);
            let harness = desk(vec![("s1".into(), budget)]).await;
            let shown = harness.preview("sheets_updateCells", args.clone()).await;
            (harness, shown)
        });
        prop_assume!(shown.is_ok());
        let typed = Cell::typed(args["values"][0][0].as_str().unwrap()).to_string();
        check(&asked(&harness, shown.unwrap(), &[], &[]), &[], &[&typed])?;
    }

    #[test]
    fn a_tool_that_says_nothing_better(values in prop::collection::vec(text(5_000), 1..20), to in addresses(40)) {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        let named = |(at, value): (usize, String)| (format!("value{at}"), value);
        let args = made(values.into_iter().enumerate().map(named).collect());
        let preview = Preview::of_arguments("document_share", &args);
        let approval = asked(&harness, preview, &to, &[]);
        let sent: Vec<&str> = args.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str()).collect();
        check(&approval, &to, &sent)?;
    }
}

#[test]
fn strangers_come_first_and_are_counted() {
    let long = "long".repeat(40);
    let colleague = |n: usize| format!("colleague{n}.{long}@example.com");
    let mut all: Vec<String> = (0..18).map(colleague).collect();
    all.push("mallory@evil.example".to_owned());
    let people: Vec<&str> = all.iter().map(String::as_str).collect();
    let span = span("2026-11-23T10:00", "2026-11-23T11:00");
    let event = own("e1", "Review", span, &people);
    let (harness, _) = now(office(vec![event], Vec::new()));
    let args = json!({"eventId": "e1", "newTime": "14:00"});
    let shown = now(harness.preview("calendar_rescheduleMeeting", args));
    let outside = ["mallory@evil.example".to_owned()];
    let approval = asked(&harness, shown.unwrap(), &[], &outside);
    let mut said = String::new();
    for post in card::posts(&approval) {
        texts(&Value::from(post.blocks), &mut said);
    }
    let count = "19 people, 1 outside your workspace";
    assert!(said.contains(count), "{said}");
    let at = |who: &String| said.find(who.as_str()).unwrap();
    assert!(all.iter().all(|who| at(&outside[0]) <= at(who)));
    let marked = format!("{} ⚠️ not known to your workspace", outside[0]);
    assert!(said.contains(&marked), "{said}");
}
