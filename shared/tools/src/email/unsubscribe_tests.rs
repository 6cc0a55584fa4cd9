use crate::testing::*;

const TOOL: &str = "email_processEmail";
const LIST: &str = "Ten tables we liked";

fn leave(id: &str) -> Value {
    json!({"emailId": id, "action": "unsubscribe"})
}

#[tokio::test]
async fn a_list_is_left_as_it_asks_for_it_once_its_owner_has_seen_where_that_goes() {
    let (harness, mail) = inbox();
    let Requirement::NeedsApproval(reasons) = harness.required_of(TOOL, &leave(LIST)) else {
        panic!("it is asked");
    };
    assert!(reasons.contains(&Reason::Always), "{reasons:?}");
    assert_snapshot!(harness.card(TOOL, leave(LIST)).await, @"
Ask to leave a mailing list
To: leave@kestrel.example
List: Kestrel Weekly <news@kestrel.example>: Ten tables we liked
Subject: Leave the list

u=7
Thanks
");
    let none = harness.settle(TOOL, leave(LIST)).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    let output = harness.output(TOOL, leave(LIST)).await;
    let receipt = output.receipt.unwrap();
    assert_eq!(
        receipt.what,
        "Asked leave@kestrel.example to take you off its list"
    );
    assert_eq!(receipt.undo, []);
    assert_eq!(output.data["action"], "unsubscribe");
    assert_eq!(status(&harness, LIST).await, MailStatus::Unread);
    for id in [LIST, "m-9"] {
        let settled = harness.settle(TOOL, leave(id)).await.unwrap();
        assert!(matches!(settled, Settled::Done(_)), "{settled:?}");
    }
    let sent = mail.sent(&harness.context.account());
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].mail.text, "u=7\nThanks");
}

#[tokio::test]
async fn a_list_that_asks_for_nothing_gets_the_usual_word_and_others_arent_written_to() {
    let (harness, mail) = inbox();
    let account = harness.context.account();
    let mut plain = arriving("m-1", "news@l.example", "News", "Tables");
    plain.unsubscribe = Some(Unsubscribe {
        to: Mailbox::new("", "off@l.example"),
        subject: String::new(),
        text: String::new(),
    });
    mail.arrive(&account, plain);
    harness.output(TOOL, leave("m-1")).await;
    let sent = mail.sent(&account).remove(0).mail;
    assert_eq!([&*sent.subject, &*sent.text], ["unsubscribe"; 2]);
    let mut with_text = leave("m-1");
    with_text["replyText"] = "x".into();
    for (args, part) in [
        (leave("Lunch?"), "names no address to leave its list by"),
        (with_text, "replyText: \"x\" is of no use here"),
    ] {
        let error = harness.fails(TOOL, args).await;
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(mail.sent(&account).len(), 1);
}
