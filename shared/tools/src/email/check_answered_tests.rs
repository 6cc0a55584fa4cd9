use crate::testing::*;

const TOOL: &str = "email_checkAnswered";

async fn state(harness: &ToolHarness, id: &str) -> Value {
    harness.ok(TOOL, json!({"emailId": id})).await
}

/// Ana has sent a mail to Ben. Returns its id and `Message-ID` too.
async fn written() -> (ToolHarness, Arc<MemoryMail>, String, String) {
    let (harness, mail) = inbox();
    let args = json!({"to": ["ben@example.com"], "subject": "Tables", "text": "Five?"});
    let data = harness.ok("email_sendEmail", args).await;
    let text = |field: &str| data[field].as_str().unwrap().to_owned();
    let (id, message) = (text("emailId"), text("messageId"));
    (harness, mail, id, message)
}

#[tokio::test]
async fn only_what_answers_it_is_an_answer_and_the_first_one_counts() {
    let (harness, mail, id, message) = written().await;
    let account = harness.context.account();
    let unanswered = state(&harness, &id).await;
    assert_eq!(unanswered["state"], "notAnswered");
    assert_eq!(unanswered["to"], json!(["ben@example.com"]));
    assert_eq!(
        (&unanswered["subject"], &unanswered["sentAt"]),
        (&json!("Tables"), &json!("2026-11-21T12:00:00Z"))
    );
    let arrive = |id: &str, from: &str, subject: &str, hour: i64, refers: &[&str], automated| {
        let mut answer = arriving(id, from, subject, "Six.");
        answer.summary.received_at += jiff::SignedDuration::from_hours(hour);
        answer.summary.automated = automated;
        answer.summary.status = MailStatus::Archived;
        let own = format!("{id}@example.com");
        answer.message_id = Some(own.clone());
        answer.references = refers.iter().map(|&id| id.into()).chain([own]).collect();
        mail.arrive(&account, answer);
    };
    arrive(
        "holiday",
        "ben@example.com",
        "Re: Tables",
        5,
        &[&message],
        true,
    );
    arrive(
        "other",
        "ben@example.com",
        "Re: Tables",
        5,
        &["elsewhere@example.com"],
        false,
    );
    arrive("new", "ben@example.com", "Tables", 5, &[], false);
    arrive(
        "eve",
        "eve@evil.example",
        "Re: Tables",
        5,
        &[&message],
        false,
    );
    arrive(
        "before",
        "ben@example.com",
        "Re: Tables",
        3,
        &[&message],
        false,
    );
    assert_eq!(state(&harness, &id).await["state"], "notAnswered");
    arrive("second", "ben@example.com", "AW: Tables", 7, &[], false);
    arrive("first", "ben@example.com", "Sechs", 6, &[&message], false);
    let answered = state(&harness, &id).await;
    assert_eq!(answered["state"], "answered");
    assert_eq!(
        (&answered["emailId"], &answered["by"]),
        (&json!("first"), &json!("ben@example.com"))
    );
    assert_eq!(answered["at"], "2026-11-21T14:00:00Z");
}

#[tokio::test]
async fn a_mail_that_is_gone_is_gone_and_one_of_others_is_refused() {
    let (harness, mail, id, _) = written().await;
    mail.delete(&harness.context.account(), &id);
    assert_eq!(state(&harness, &id).await["state"], "gone");
    for (id, part) in [("Lunch?", "is no e-mail you sent"), (" ", "is empty")] {
        let error = harness.fails(TOOL, json!({"emailId": id})).await;
        assert!(error.contains(part), "{error}");
    }
}
