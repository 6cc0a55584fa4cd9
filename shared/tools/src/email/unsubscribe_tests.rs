use crate::testing::*;
use alfred_core::ports::{OneClick, PageError, Pages, Web, WebPage};
use std::sync::Mutex;

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

const PAGE: &str = "https://l.example/off?u=7";

/// A list's page with a fixed answer, which records its requests.
struct ListPage(Result<(), PageError>, Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Pages for ListPage {
    async fn fetch(&self, _: &str) -> Result<WebPage, PageError> {
        panic!("nothing is read");
    }

    async fn leave_list(&self, url: &str) -> Result<(), PageError> {
        self.1.lock().unwrap().push(url.to_owned());
        self.0.clone()
    }
}

fn listed(
    signed: bool,
    answer: Result<(), PageError>,
) -> (ToolHarness, Arc<MemoryMail>, Arc<ListPage>) {
    let (mut harness, mail) = inbox();
    let page = Arc::new(ListPage(answer, Mutex::default()));
    harness.context.web = Web {
        pages: page.clone(),
        ..Web::none()
    };
    let mut news = arriving("m-1", "news@l.example", "News", "Tables");
    let (url, host) = (PAGE.into(), "l.example".into());
    news.one_click = Some(OneClick { url, host, signed });
    mail.arrive(&harness.context.account(), news);
    (harness, mail, page)
}

#[tokio::test]
async fn a_list_with_a_page_that_its_sender_signed_is_left_by_one_request() {
    let (harness, mail, page) = listed(true, Ok(()));
    let asked = harness.required_of(TOOL, &leave("m-1"));
    assert!(matches!(asked, Requirement::NeedsApproval(_)), "{asked:?}");
    assert_snapshot!(harness.card(TOOL, leave("m-1")).await, @"
Ask to leave a mailing list
List: news@l.example: News
Address: https://l.example/off?u=7
How: one request to l.example; nothing on the page is read
");
    let output = harness.output(TOOL, leave("m-1")).await;
    assert_eq!(
        output.receipt.unwrap().what,
        "Asked l.example to take you off its list"
    );
    assert_eq!(*page.1.lock().unwrap(), [PAGE]);
    assert!(mail.sent(&harness.context.account()).is_empty());
    // The result of a page request can't be checked. For a deleted mail, the way to unsubscribe is unknown.
    for id in ["m-1", "m-9"] {
        let settled = harness.settle(TOOL, leave(id)).await.unwrap();
        assert!(matches!(settled, Settled::Unknown), "{settled:?}");
    }
}

#[tokio::test]
async fn a_page_that_doesnt_confirm_it_is_told_and_one_without_an_answer_is_unknown() {
    let detail = || "reset by 10.0.0.1".to_owned();
    let mut said = Vec::new();
    for why in [
        PageError::Inward,
        PageError::Status(500),
        PageError::NotFound,
        PageError::TooManyRedirects,
        PageError::NoSuchHost,
        PageError::Down { detail: detail() },
        PageError::NotSetUp,
    ] {
        let (harness, ..) = listed(true, Err(why));
        said.push(harness.fails(TOOL, leave("m-1")).await);
    }
    said.dedup();
    assert_snapshot!(said.join("\n"), @"
The page of this list lies in a private network, so I don't open it.
The page of this list didn't confirm that you are off it. The link in the mail may do it.
I can't reach the page of this list at the moment. Nothing was asked of it.
I can't open the pages of lists here. Use the link in the mail.
");
    let (harness, ..) = listed(true, Err(PageError::Unanswered { detail: detail() }));
    let error = harness.run(TOOL, leave("m-1")).await.unwrap_err();
    assert!(matches!(error, ToolError::Unknown(_)), "{error:?}");
}

#[tokio::test]
async fn a_page_that_nobody_vouches_for_is_not_asked() {
    let (harness, mail, page) = listed(false, Ok(()));
    assert_snapshot!(harness.fails(TOOL, leave("m-1")).await, @r#"emailId: "m-1" names a page to leave its list by, and nothing shows that its sender means it. Use the link in it, if you trust it."#);
    assert!(page.1.lock().unwrap().is_empty() && mail.sent(&harness.context.account()).is_empty());
}
