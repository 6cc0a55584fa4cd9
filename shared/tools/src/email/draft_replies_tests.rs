use crate::testing::*;
use alfred_agent::tool::{ApprovalDefault, Effect};

const TOOL: &str = "email_draftReplies";

fn answers(to: &[(&str, &str)]) -> Value {
    let one = |(id, text): &(&str, &str)| json!({"emailId": id, "text": text});
    json!({"drafts": to.iter().map(one).collect::<Vec<_>>()})
}

#[tokio::test]
async fn each_mail_gets_its_draft_once_and_what_cant_be_answered_is_named() {
    let (harness, mail) = inbox();
    let account = harness.context.account();
    let mut doubtful = arriving("bank", "desk@bank.example", "Your account", "Sign in.");
    doubtful.disguised_link = true;
    mail.arrive(&account, doubtful);
    let args = answers(&[
        ("Budget for the spring", "Will do.\n\nAna"),
        ("nowhere", "Hello"),
        ("bank", "Yes"),
        ("Ten tables we liked", " "),
        ("Lunch?", "At noon."),
    ]);
    let first = harness.output(TOOL, args.clone()).await;
    let again = harness.output(TOOL, args).await;
    assert_eq!((&again.data, &again.receipt), (&first.data, &first.receipt));
    let drafts = mail.drafts(&account);
    let to: Vec<_> = drafts.iter().map(|one| &*one.mail.to[0].address).collect();
    assert_eq!(to, ["finance@example.com", "chiyo@example.com"]);
    assert!(drafts[0].mail.text.starts_with("Will do.\n\nAna\n\nOn "));
    assert_eq!(drafts[1].mail.subject, "Re: Lunch?");
    assert!(mail.sent(&account).is_empty());
    assert_eq!(
        each(&first.data["problems"], "emailId"),
        ["nowhere", "bank", "Ten tables we liked"]
    );
    let reasons = each(&first.data["problems"], "reason");
    assert!(reasons[1].starts_with("I kept no draft: this e-mail looks like phishing"));
    assert_eq!(reasons[2], "There is no text for this draft.");
    assert_eq!(
        first.receipt.unwrap().what,
        "Kept 2 drafts to finance@example.com; chiyo@example.com"
    );
}

#[tokio::test]
async fn what_was_kept_is_taken_back_unless_its_owner_went_on_with_it() {
    let (harness, mail) = inbox();
    let account = harness.context.account();
    let both = answers(&[("Budget for the spring", "Yes."), ("Lunch?", "At noon.")]);
    let undo = harness.output(TOOL, both).await.receipt.unwrap().undo;
    mail.edit_draft(&account, "draft-1", "Yes, all of it.");
    let given = harness.undo(undo.clone()).await;
    assert_eq!(given["deleted"], 1);
    assert_eq!(
        each(&given["problems"], "reason"),
        ["You have edited this draft since, so it stays."]
    );
    let left = mail.drafts(&account);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].mail.text, "Yes, all of it.");
    let error = harness
        .fails("email_discardDrafts", undo[0].arguments.clone())
        .await;
    assert_eq!(error, "You have edited this draft since, so it stays.");
}

#[tokio::test]
async fn drafts_reach_nobody_and_are_kept_unasked_even_behind_others_words() {
    let (harness, _) = inbox();
    let args = answers(&[("Lunch?", "At noon.")]);
    let one = json!({"emailId": "Lunch?", "action": "draft_reply", "replyText": "At noon."});
    let new = json!({"to": ["ben@example.com"], "subject": "S", "text": "T", "asDraft": true});
    for (name, args) in [
        (TOOL, &args),
        ("email_processEmail", &one),
        ("email_sendEmail", &new),
    ] {
        let tool = crate::tool(name).unwrap();
        let def = tool.def_of(args);
        assert_eq!(def.effect, Effect::ReversibleWrite, "{name}");
        assert_eq!(def.approval, ApprovalDefault::Free, "{name}");
        let to = tool.recipients(&harness.context, args).await.unwrap();
        assert!(to.is_empty(), "{name}");
        for harness in [harness.clone(), harness.tainted()] {
            assert_eq!(harness.required_of(name, args), Requirement::Skip, "{name}");
        }
    }
    let discard = crate::tool("email_discardDrafts").unwrap();
    assert_eq!(discard.def().effect, Effect::Destructive);
}

#[tokio::test]
async fn more_than_can_be_looked_through_is_refused() {
    let (harness, mail) = inbox();
    for (args, part) in [
        (answers(&[]), "1 to 10 answers"),
        (answers(&[("m", "T"); 11]), "1 to 10 answers"),
        (answers(&[("m", "T"), (" m", "U")]), "answered twice"),
    ] {
        let error = harness.fails(TOOL, args).await;
        assert!(error.contains(part), "{error}");
    }
    assert!(mail.drafts(&harness.context.account()).is_empty());
}
