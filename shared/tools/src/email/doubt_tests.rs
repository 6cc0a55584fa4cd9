use crate::testing::*;

/// Returns the phishing signs of a mail.
async fn reasons(from: Mailbox, reply_to: &str, text: &str) -> Vec<String> {
    let (harness, mails) = inbox();
    let register = |id, name: &'static str, email: &'static str| {
        harness.register(id, move |user| {
            (user.name, user.email) = (name.into(), email.into());
        })
    };
    register("U2", "Ben Okafor", "ben@example.com").await;
    let mut mail = arriving("m-1", "", "Hello", text);
    mail.summary.from = from;
    mail.reply_to = match reply_to {
        "" => Vec::new(),
        address => vec![Mailbox::new("", address)],
    };
    mails.arrive(&harness.context.account(), mail);
    let one = json!({"emailId": "m-1"});
    let found = harness.ok("email_categorizeEmail", one).await;
    let reasons = found["reasons"].as_array().unwrap().iter();
    let reasons = reasons.filter_map(|reason| reason.as_str()?.strip_prefix("it looks like "));
    reasons.map(str::to_owned).collect()
}

#[tokio::test]
async fn what_a_mail_pretends_is_said_in_a_sentence() {
    let mut said = Vec::new();
    let hurry = "Please confirm your password within 24 hours.";
    for (name, address, reply_to, text) in [
        ("Ben Okafor", "ben@example.com", "", "Lunch?"),
        (
            "Ben Okafor",
            "ben@mail.example.com.evil.example",
            "",
            "Lunch?",
        ),
        ("ben  OKAFOR", "b@evil.example", "", "Lunch?"),
        ("Ben", "ben@elsewhere.example", "", "Lunch?"),
        ("ben@example.com", "x@evil.example", "", "Lunch?"),
        ("Ann @ Shop", "ann@shop.example", "", "Lunch?"),
        ("Ann", "ann@shop.example", "desk@help.example", "Lunch?"),
        (
            "Ann",
            "ann@shop.example",
            "a@mail.example",
            "Here are our new bank details.",
        ),
        (
            "Ann",
            "ann@shop.example",
            "",
            "Here are our new bank details.",
        ),
        ("Ann", "ann@shop.example", "", hurry),
        ("Ben Okafor", "ben@example.com", "", hurry),
    ] {
        let found = reasons(Mailbox::new(name, address), reply_to, text).await;
        said.push(format!("{name} <{address}>: {}", found.join("; ")));
    }
    assert_snapshot!(said.join("\n"), @"
Ben Okafor <ben@example.com>: 
Ben Okafor <ben@mail.example.com.evil.example>: phishing: it shows the name of somebody who doesn't write from there
ben  OKAFOR <b@evil.example>: phishing: it shows the name of somebody who doesn't write from there
Ben <ben@elsewhere.example>: 
ben@example.com <x@evil.example>: phishing: it shows the name of somebody who doesn't write from there
Ann @ Shop <ann@shop.example>: 
Ann <ann@shop.example>: 
Ann <ann@shop.example>: phishing: it asks for a secret or money, and answers go elsewhere
Ann <ann@shop.example>: 
Ann <ann@shop.example>: phishing: it asks for a secret or money in a hurry
Ben Okafor <ben@example.com>:
");
}

#[tokio::test]
async fn a_task_made_of_such_a_mail_says_so_on_the_card_and_behind_it() {
    let (harness, mails) = inbox();
    let text = "Please confirm your password within 24 hours.";
    let bait = arriving("m-1", "it@evil.example", "Action required", text);
    mails.arrive(&harness.context.account(), bait);
    let create = json!({"emailId": "m-1"});
    let convert = json!({"emailId": "m-1", "action": "convert_to_task"});
    let mut said = Vec::new();
    for (tool, args) in [
        ("email_createTaskFromEmail", create),
        ("email_processEmail", convert),
    ] {
        let card = crate::tool(tool).unwrap();
        let card = card.preview(&harness.context, &args).await.unwrap();
        let done = harness.output(tool, args).await;
        let description = done.data["task"]["description"].as_str().unwrap();
        said.push(format!(
            "{}\n{}\n{description}\n",
            card.as_text(),
            done.receipt.unwrap().what
        ));
        assert!(done.data["warning"].is_string(), "{:?}", done.data);
    }
    assert_eq!(said[0], said[1]);
    assert_snapshot!(said[0], @r#"
Make a task of an e-mail
E-mail: it@evil.example: Action required
⚠️ Careful: This e-mail looks like phishing: it asks for a secret or money in a hurry.
Created task "Confirm your password within 24 hours" (its e-mail looks like phishing)
⚠️ This e-mail looks like phishing: it asks for a secret or money in a hurry.

Please confirm your password within 24 hours.

From: it@evil.example
Subject: Action required
E-mail: m-1
"#);
    for (id, warned) in [("m-1", true), ("Lunch?", false)] {
        let read = harness
            .ok("email_readEmail", json!({ "emailId": id }))
            .await;
        assert_eq!(read["email"]["warning"].is_string(), warned, "{read}");
    }
}
