//! Whole files of requests, each with the calls that it means.

use crate::{Conversation, Reply, folder};

/// The results of the tools that are called first.
const WORLD: [(&str, &str); 2] = [
    ("approval_list", r#"{"success":true,"approvals":[]}"#),
    (
        "email_viewEmails",
        r#"{"success":true,"total":1,"emails":[{"id":"m1","subject":"Offsite","from":"Ben"}]}"#,
    ),
];

async fn reply(request: &str) -> Reply {
    let mut conversation = Conversation::default();
    conversation.given.extend(WORLD);
    conversation.says(request).await
}

/// The calls without the look for an open plan that may come first.
fn calls(reply: &Reply) -> &[String] {
    let looked = reply.calls.len() > 1 && reply.calls[0] == "approval_list{}";
    &reply.calls[usize::from(looked)..]
}

/// How many requests of a file were served, and which were refused or answered wrongly.
#[derive(Default)]
struct Outcome {
    served: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

/// Sends each request of a file, and compares the calls with those that it means.
async fn outcome(file: &str) -> Outcome {
    let path = folder("tests/requests").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut outcome = Outcome::default();
    for (request, meant) in text.lines().filter_map(|line| line.split_once(" => ")) {
        let reply = reply(request).await;
        let called = calls(&reply).join(" ");
        let is_meant = |meant: &str| meant.to_lowercase() == called.to_lowercase();
        if meant.split(" or ").any(is_meant) {
            outcome.served += 1;
        } else if reply.refused {
            outcome.refused.push(request.to_owned());
        } else {
            let wrong = format!("{request}\n  meant {meant}\n  did {called}");
            outcome.wrong.push(wrong);
        }
    }
    outcome
}

/// `--nocapture` shows the figures.
#[tokio::test]
async fn at_most_one_in_a_hundred_requests_is_misunderstood() {
    let found = outcome("strangers.txt").await;
    let (refused, wrong) = (found.refused.len(), found.wrong.len());
    println!("{} served, {refused} refused, {wrong} wrong", found.served);
    let all = found.served + refused + wrong;
    let listed = found.wrong.join("\n");
    assert!(all >= 300 && wrong * 100 <= all, "{listed}");
    assert!(found.served * 3 >= all, "{} of {all} served", found.served);
}

#[tokio::test]
async fn requests_of_the_documents_and_other_tests_are_served() {
    let found = outcome("served.txt").await;
    assert_eq!((found.refused, found.wrong), (Vec::new(), Vec::new()));
}

/// Examples are what help and refusals offer.
#[tokio::test]
async fn every_example_is_understood_by_its_tool() {
    let mut examples = 0;
    for entry in std::fs::read_dir(folder("patterns")).unwrap() {
        let path = entry.unwrap().path();
        let tool = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let lines = std::fs::read_to_string(&path).unwrap();
        for text in lines.lines().filter_map(|line| line.strip_prefix("? ")) {
            let reply = reply(text).await;
            let last = reply.calls.last().unwrap_or_else(|| panic!("{text}"));
            // Without an open plan or free time nothing comes after the look.
            let looks = ["approval_list{", "schedule_findGaps{"];
            let looked = looks.iter().any(|look| last.starts_with(look));
            assert!(looked || last.starts_with(&tool), "{text}: {last}");
            examples += 1;
        }
    }
    assert!(examples >= 50, "{examples} examples");
}

/// A word that changes a request is never passed over: the request is refused, or its calls change.
#[tokio::test]
async fn no_word_that_changes_a_request_is_passed_over() {
    let changes = [
        "unless", "if", "not", "every", "weekly", "and", "cc", "unread", "after",
    ];
    let served = std::fs::read_to_string(folder("tests/requests/served.txt")).unwrap();
    for (request, _) in served.lines().filter_map(|line| line.split_once(" => ")) {
        let plain = reply(request).await;
        let words: Vec<&str> = request.split(' ').collect();
        for at in 0..=words.len() {
            // A third of them at each place. "And" may join what belongs to one request.
            for change in changes.iter().skip(at % 3).step_by(3) {
                let changed = [&words[..at], &[change], &words[at..]].concat().join(" ");
                let joins = *change == "and" && at > 0 && words[at - 1].ends_with(',');
                let reply = reply(&changed).await;
                let same = calls(&reply) == calls(&plain);
                assert!(reply.refused || joins || !same, "{changed}");
            }
        }
    }
}
