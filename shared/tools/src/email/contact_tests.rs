use crate::testing::*;
use alfred_core::ports::MailMessage;

const TOOL: &str = "email_sendEmail";

fn to(named: &str) -> Value {
    json!({"to": [named], "subject": "Tables", "text": "Five."})
}

fn mail_of(id: &str, from: (&str, &str), to: (&str, &str)) -> MailMessage {
    let mut mail = arriving(id, from.1, "Plans", "Hello");
    mail.summary.from = Mailbox::new(from.0, from.1);
    mail.summary.to = vec![Mailbox::new(to.0, to.1)];
    mail
}

const ANA: (&str, &str) = ("Ana Marques", "ana@example.com");

/// Ana has written to one Petra; two other Petras have written to Ana.
fn harness() -> (ToolHarness, Arc<MemoryMail>) {
    let (harness, mail) = inbox();
    let account = harness.context.account();
    for (id, from) in [
        ("p1", ("Petra Novák", "petra@evil.example")),
        ("p2", ("Milan Hora", "milan@harbour.example")),
        ("p3", ("Ota One", "ota@one.example")),
        ("p4", ("Ota Two", "ota@two.example")),
    ] {
        mail.arrive(&account, mail_of(id, from, ANA));
    }
    let mut list = mail_of("p5", ("News of Milan", "milan@news.example"), ANA);
    list.summary.automated = true;
    mail.arrive(&account, list);
    let sent = mail_of("s1", ANA, ("", "petra.novak@mill.example"));
    mail.sent_elsewhere(&account, sent);
    (harness, mail)
}

#[tokio::test]
async fn whom_the_person_wrote_to_comes_before_whoever_writes_under_that_name() {
    let (harness, mail) = harness();
    assert_snapshot!(harness.card(TOOL, to("petra novák")).await, @r"
Send an e-mail
To: petra.novak@mill.example
Subject: Tables
⚠️ From your mail: petra.novak@mill.example: you wrote there on 2026-11-21

Five.
");
    assert_snapshot!(harness.card(TOOL, to("Milan")).await, @r"
Send an e-mail
To: Milan Hora <milan@harbour.example>
Subject: Tables
⚠️ From your mail: milan@harbour.example: they wrote to you on 2026-11-21 under that name; I found no mail of yours to them

Five.
");
    harness.output(TOOL, to("Petra")).await;
    let sent = mail.sent(&harness.context.account()).remove(0).mail;
    assert_eq!(sent.to[0].address, "petra.novak@mill.example");
}

#[tokio::test]
async fn nobody_vouches_for_an_address_that_a_name_came_to_mean() {
    let (harness, _) = harness();
    let tool = crate::tool(TOOL).unwrap();
    let args = to("Petra");
    let to = tool.recipients(&harness.context, &args).await.unwrap();
    assert_eq!(to, ["petra.novak@mill.example"]);
}

#[tokio::test]
async fn two_of_a_name_are_listed_by_address_with_a_button_each() {
    let (harness, _) = harness();
    let error = harness.run(TOOL, to("Ota")).await.unwrap_err();
    let ToolError::Failed(why) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        why.message,
        "to: \"Ota\" is not clear, 2 people of the mailbox match: ota@two.example (last on 2026-11-21), ota@one.example (last on 2026-11-21). Give the address."
    );
    assert_eq!(why.options.len(), 2, "{:?}", why.options);
    assert!(
        why.options
            .contains(&"Ota One <ota@one.example>".to_owned())
    );
}

#[tokio::test]
async fn who_borrows_a_name_or_has_none_of_it_is_nobody() {
    let (harness, mail) = harness();
    harness
        .register("U2", |user| user.name = "Ben Okafor".into())
        .await;
    harness
        .register("U3", |user| user.name = "Zed".into())
        .await;
    let account = harness.context.account();
    let borrowed = [
        ("b1", ("Ben Okafor", "office@evil.example")),
        ("b2", ("Ines ines@mill.example", "other@evil.example")),
    ];
    for (id, from) in borrowed {
        mail.arrive(&account, mail_of(id, from, ANA));
    }
    for name in [
        "Office Okafor",
        "Ines",
        "Petr",
        "news",
        "hora milanova",
        "-",
    ] {
        let error = harness.fails(TOOL, to(name)).await;
        assert!(error.contains("is nobody Alfred knows"), "{name}: {error}");
    }
    // A registered person isn't searched for in the mailbox.
    let card = harness.card(TOOL, to("Zed")).await;
    assert!(card.contains("To: Zed <u3@example.com>"), "{card}");
}
