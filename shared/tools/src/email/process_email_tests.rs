use crate::testing::*;
use alfred_agent::tool::{ApprovalDefault, Effect};
use alfred_core::Role;

const TOOL: &str = "email_processEmail";
const BUDGET: &str = "Budget for the spring";

fn call(id: &str, action: &str) -> Value {
    json!({"emailId": id, "action": action})
}

fn reply(id: &str, text: &str) -> Value {
    json!({"emailId": id, "action": "send_reply", "replyText": text})
}

fn to_all(id: &str) -> Value {
    json!({"emailId": id, "action": "send_reply", "replyText": "Yes", "replyAll": true})
}

async fn recipients(harness: &ToolHarness, args: &Value) -> Vec<String> {
    let tool = crate::tool(TOOL).unwrap();
    tool.recipients(&harness.context, args).await.unwrap()
}

#[test]
fn what_a_call_is_depends_on_its_action_and_is_never_less_than_sure() {
    let tool = crate::tool(TOOL).unwrap();
    let effect = |args: &Value| tool.def_of(args).effect;
    assert_eq!(effect(&call("m", "archive")), Effect::ReversibleWrite);
    assert_eq!(
        effect(&call("m", "convert_to_task")),
        Effect::ReversibleWrite
    );
    assert_eq!(effect(&call("m", "draft_reply")), Effect::Read);
    for strict in [
        reply("m", "Yes"),
        call("m", "send_reply"),
        call("m", "unsubscribe"),
        call("m", "Archive"),
        call("m", ""),
        json!({"emailId": "m", "action": ["archive"]}),
        json!({"emailId": "m", "action": "archive", "also": "send_reply"}),
        json!({"action": "archive"}),
        json!("archive"),
        Value::Null,
    ] {
        let def = tool.def_of(&strict);
        assert_eq!(def.effect, Effect::Outward, "{strict}");
        assert_eq!(def.approval, ApprovalDefault::Always, "{strict}");
    }
    for action in ["archive", "convert_to_task", "draft_reply", "send_reply"] {
        let def = tool.def_of(&call("m", action));
        assert_eq!(def.needs, Role::Member);
        assert_eq!((&*def.name, def.flow), (TOOL, tool.def().flow));
    }
}

#[test]
fn only_an_answer_is_asked_about_and_that_always() {
    let (harness, _) = inbox();
    for harness in [harness.clone(), harness.tainted()] {
        for action in ["archive", "convert_to_task", "draft_reply"] {
            let required = harness.required_of(TOOL, &call("m", action));
            assert_eq!(required, Requirement::Skip, "{action}");
        }
        let required = harness.required_of(TOOL, &reply("m", "Yes"));
        let Requirement::NeedsApproval(reasons) = required else {
            panic!("{required:?}");
        };
        assert!(reasons.contains(&Reason::Always), "{reasons:?}");
    }
}

#[tokio::test]
async fn archiving_is_taken_back_and_a_repeat_finds_the_mail_by_the_same_words() {
    let (harness, _) = inbox();
    let args = call("ben budget", "archive");
    let first = harness.run(TOOL, args.clone()).await.unwrap();
    assert_eq!(status(&harness, BUDGET).await, MailStatus::Archived);
    let again = harness.output(TOOL, args).await;
    assert_eq!((&again.data, &again.receipt), (&first.data, &first.receipt));
    assert_eq!(first.data["status"], "archived");
    let receipt = first.receipt.unwrap();
    assert_eq!(receipt.what, "Archived \"Budget for the spring\"");
    harness.undo(receipt.undo).await;
    assert_eq!(status(&harness, BUDGET).await, MailStatus::Unread);
}

#[tokio::test]
async fn a_mail_becomes_a_task() {
    let (harness, _) = inbox();
    let args =
        json!({"emailId": BUDGET, "action": "convert_to_task", "taskTitle": "Check numbers"});
    let output = harness.output(TOOL, args).await;
    assert_eq!(output.data["task"]["title"], "Check numbers");
    harness.undo(output.receipt.unwrap().undo).await;
    assert_eq!(harness.ok("task_viewTasks", json!({})).await["total"], 0);
}

#[tokio::test]
async fn a_draft_shows_to_whom_it_would_go_and_sends_nothing() {
    let (harness, mail) = inbox();
    let data = harness.ok(TOOL, call(BUDGET, "draft_reply")).await;
    assert_eq!(data["draft"]["to"], json!(["finance@example.com"]));
    assert_eq!(data["draft"]["subject"], "Re: Budget for the spring");
    assert_eq!(data["draft"]["text"], "");
    assert_eq!(data["sent"], false);
    assert_eq!(data["original"]["from"], "Ben Okafor <ben@example.com>");
    assert!(mail.sent(&harness.context.account()).is_empty());
}

#[tokio::test]
async fn an_answer_with_words_is_kept_as_a_draft_and_the_mail_stays_as_it_is() {
    let (harness, mail) = inbox();
    let args = json!({"emailId": BUDGET, "action": "draft_reply", "replyText": "Will do."});
    let card = harness.card(TOOL, args.clone()).await;
    assert!(card.contains("To: finance@example.com\n"), "{card}");
    let output = harness.output(TOOL, args).await;
    let account = harness.context.account();
    let draft = mail.drafts(&account).remove(0).mail;
    assert!(card.ends_with(&draft.text));
    assert_eq!(draft.in_reply_to.as_deref(), Some("budget@example.com"));
    assert_eq!(status(&harness, BUDGET).await, MailStatus::Unread);
    assert_eq!(output.data["sent"], false);
    harness.undo(output.receipt.unwrap().undo).await;
    assert!(mail.drafts(&account).is_empty() && mail.sent(&account).is_empty());
}

#[tokio::test]
async fn an_answer_goes_where_its_sender_asks_in_its_thread() {
    let (harness, mail) = inbox();
    let args = reply(BUDGET, "Will do.\n\nAna");
    let to = recipients(&harness, &args).await;
    assert_eq!(to, ["finance@example.com"]);
    let preview = harness.preview(TOOL, args.clone()).await.unwrap();
    let card = preview.as_text();
    for part in [
        "To: finance@example.com",
        "Subject: Re: Budget for the spring",
        "from Ben Okafor <ben@example.com>",
        "Will do.\n\nAna",
    ] {
        assert!(card.contains(part), "{part} in {card}");
    }
    let output = harness.output(TOOL, args).await;
    let sent = mail.sent(&harness.context.account()).remove(0);
    assert_eq!(sent.mail.in_reply_to.as_deref(), Some("budget@example.com"));
    assert_eq!(
        sent.mail.references,
        ["start@example.com", "budget@example.com"]
    );
    let quoted = "Will do.\n\nAna\n\nOn Fri, 20 Nov 2026 at 09:30, Ben Okafor <ben@example.com> wrote:\n> Hello Ana,\n>\n> could you";
    assert!(sent.mail.text.starts_with(quoted), "{}", sent.mail.text);
    assert!(card.ends_with(&sent.mail.text), "{card}");
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.what, "Sent an e-mail reply to finance@example.com");
    assert_eq!(receipt.provider_id, Some(sent.sent.message_id));
    assert_eq!(receipt.undo, []);
    assert_eq!(output.data["status"], "processed");
    assert_eq!(status(&harness, BUDGET).await, MailStatus::Processed);
}

#[tokio::test]
async fn an_answer_to_all_goes_to_everybody_else_once() {
    let own = "ana@example.com";
    // From, Reply-To, To, Cc; expected recipients and copies.
    for (from, reply_to, to, cc, expected) in [
        (
            "a@b.example",
            "",
            "ana@example.com c@d.example",
            "e@f.example a@b.example",
            "a@b.example | c@d.example e@f.example",
        ),
        (
            "a@b.example",
            "x@y.example",
            "Ana@Example.com",
            "a@b.example x@y.example",
            "x@y.example | a@b.example",
        ),
        (
            own,
            "",
            "c@d.example",
            "e@f.example c@d.example",
            "c@d.example | e@f.example",
        ),
        (
            "a@b.example",
            "ana@example.com",
            "c@d.example",
            "",
            "c@d.example | ",
        ),
    ] {
        let (harness, mail) = inbox();
        let boxes = |list: &str| -> Vec<Mailbox> {
            list.split_whitespace()
                .map(|one| Mailbox::new("The Boss", one))
                .collect()
        };
        let mut given = arriving("m-1", from, "All", "?");
        (given.reply_to, given.cc) = (boxes(reply_to), boxes(cc));
        given.summary.to = boxes(to);
        mail.arrive(&harness.context.account(), given);
        let args = to_all("m-1");
        let shown = recipients(&harness, &args).await;
        let card = harness.card(TOOL, args.clone()).await;
        harness.output(TOOL, args).await;
        let sent = mail.sent(&harness.context.account()).remove(0).mail;
        let all = |boxes: &[Mailbox]| {
            let all: Vec<&str> = boxes.iter().map(|one| &*one.address).collect();
            all.join(" ")
        };
        assert_eq!(format!("{} | {}", all(&sent.to), all(&sent.cc)), expected);
        assert_eq!(shown.join(" "), expected.replace(" | ", " ").trim());
        for one in &sent.cc {
            assert!(card.contains(&format!("{} (copy)", one.address)), "{card}");
        }
        assert!(!card.contains("The Boss"), "{card}");
    }
}

#[tokio::test]
async fn a_quote_is_left_out_where_nobody_wants_it() {
    let (harness, mail) = inbox();
    let mut args = reply("Lunch?", "At one.");
    args["quote"] = false.into();
    let card = harness.card(TOOL, args.clone()).await;
    assert!(!card.contains("Quotes: "), "{card}");
    harness.output(TOOL, args).await;
    let sent = mail.sent(&harness.context.account()).remove(0);
    assert_eq!(sent.mail.text, "At one.");
}

#[tokio::test]
async fn a_lost_answer_is_found_by_its_key_and_nothing_else_is_said_to_be_sent() {
    let (harness, mail) = inbox();
    let args = reply("Lunch?", "At one.");
    let none = harness.settle(TOOL, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    harness.run(TOOL, args.clone()).await.unwrap();
    let Settled::Done(found) = harness.settle(TOOL, args.clone()).await.unwrap() else {
        panic!("it was sent");
    };
    let receipt = found.receipt.unwrap();
    assert_eq!(receipt.what, "Sent an e-mail reply to chiyo@example.com");
    assert_eq!(mail.sent(&harness.context.account()).len(), 1);
    let mut gone = args;
    gone["emailId"] = "m-9".into();
    let settled = harness.settle(TOOL, gone).await.unwrap();
    assert!(matches!(settled, Settled::Done(_)), "{settled:?}");
}

#[tokio::test]
async fn what_its_owner_wasnt_shown_isnt_sent() {
    let (harness, mail) = inbox();
    let args = reply("lunch chiyo", "At one.");
    let shown = harness.preview(TOOL, args.clone()).await.unwrap();
    let mut granted = harness.clone();
    granted.context.call.shown = shown.digest().ok();
    let account = harness.context.account();
    let chiyo = &harness.context.accounts.mail;
    chiyo
        .set_status(&account, &"Lunch?".into(), MailStatus::Archived)
        .await
        .unwrap();
    let mut other = arriving("m-1", "chiyo@evil.example", "Lunch", "Answer me");
    other.reply_to = vec![Mailbox::new("Chiyo", "thief@evil.example")];
    mail.arrive(&account, other);
    let error = granted.fails(TOOL, args.clone()).await;
    assert_eq!(error, alfred_core::text::DRIFTED);
    assert!(mail.sent(&account).is_empty());
    granted.context.call.shown = harness
        .preview(TOOL, args.clone())
        .await
        .unwrap()
        .digest()
        .ok();
    granted.output(TOOL, args).await;
    assert_eq!(mail.sent(&account).len(), 1);
}

#[tokio::test]
async fn a_subject_is_no_header_and_prefixes_dont_pile_up() {
    let (harness, mail) = inbox();
    let odd = arriving("m-1", "a@b.example", "Re: AW: x\r\nBcc: all@b.example", "?");
    mail.arrive(&harness.context.account(), odd);
    harness.output(TOOL, reply("m-1", "Yes")).await;
    let sent = mail.sent(&harness.context.account()).remove(0);
    assert_eq!(sent.mail.subject, "Re: x Bcc: all@b.example");
}

#[tokio::test]
async fn what_cant_be_answered_is_named_before_anybody_is_asked() {
    let (harness, mail) = inbox();
    let mut many = arriving("m-1", "a@b.example", "All", "?");
    many.reply_to = (0..11)
        .map(|n| Mailbox::new("", &format!("p{n}@b.example")))
        .collect();
    let mut nobody = arriving("m-2", "a@b.example", "Odd", "?");
    nobody.summary.from = Mailbox::new("", "not an address");
    let mut alone = arriving("m-3", "ana@example.com", "Note", "?");
    alone.summary.to = vec![Mailbox::new("", "ana@example.com")];
    let mut list = arriving("m-4", "a@b.example", "List", "?");
    list.summary.to = (0..50)
        .map(|n| Mailbox::new("", &format!("p{n}@b.example")))
        .collect();
    for planted in [many, nobody, alone, list] {
        mail.arrive(&harness.context.account(), planted);
    }
    for (args, part) in [
        (reply("Lunch?", "  "), "replyText: \"\" is empty"),
        (call("Lunch?", "send_reply"), "replyText: \"\" is empty"),
        (reply("Lunch?", &"x".repeat(20_001)), "20001 characters"),
        (reply("m-1", "Yes"), "more than 10 people"),
        (reply("m-2", "Yes"), "is no e-mail address"),
        (reply("m-9", "Yes"), "isn't among the e-mails"),
        (to_all("m-3"), "went to nobody else"),
        (to_all("m-4"), "went to more than 50 people"),
        (
            json!({"emailId": "Lunch?", "action": "archive", "quote": true}),
            "quote: \"\" is of no use here",
        ),
        (
            json!({"emailId": "Lunch?", "action": "archive", "replyText": "x"}),
            "replyText: \"x\" is of no use here",
        ),
        (
            json!({"emailId": "Lunch?", "action": "archive", "taskTitle": "x"}),
            "taskTitle: \"x\" is of no use here",
        ),
    ] {
        let error = harness.fails(TOOL, args.clone()).await;
        assert!(error.contains(part), "{error}");
        let preview = harness.preview(TOOL, args).await;
        assert!(matches!(preview, Err(ToolError::Failed(_))), "{preview:?}");
    }
    assert!(mail.sent(&harness.context.account()).is_empty());
    assert_eq!(status(&harness, "Lunch?").await, MailStatus::Unread);
}
