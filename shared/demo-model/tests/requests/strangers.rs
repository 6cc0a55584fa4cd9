//! Whole files of requests, each with the calls that it means.

use std::path::Path;

use crate::Case;

/// The results of the tools that are called first.
const WORLD: [(&str, &str); 5] = [
    ("approval_list", r#"{"success":true,"approvals":[]}"#),
    (
        "email_viewEmails",
        r#"{"success":true,"total":1,"emails":[{"id":"m1","subject":"Offsite","from":"Ben"}]}"#,
    ),
    (
        "task_viewTasks",
        r#"{"success":true,"total":5,"tasks":[{"id":"t1","title":"Quarterly report"},{"id":"t2","title":"Call the bank"},{"id":"t3","title":"Board pack"},{"id":"t4","title":"Tax return"},{"id":"t5","title":"Budget review"}]}"#,
    ),
    ("schedule_viewSchedule", BLOCKS),
    ("schedule_viewWeek", BLOCKS),
];
const BLOCKS: &str = r#"{"success":true,"date":"2026-11-21","blocks":[{"id":"b1","type":"work","title":"Focus","startTime":"10:00","endTime":"11:30"},{"id":"b2","type":"break","title":"Lunch","startTime":"12:00","endTime":"13:00"},{"id":"b3","type":"work","title":"Gym","startTime":"17:00","endTime":"18:00"},{"id":"b4","type":"work","title":"Dentist","startTime":"18:30","endTime":"19:00"}]}"#;

/// What became of the requests of a file.
#[derive(Default)]
struct Outcome {
    served: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

/// Sends each request of a file, and compares the calls with those that it means.
async fn outcome(file: &str) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests");
    let text = std::fs::read_to_string(path.join(file)).unwrap();
    let mut outcome = Outcome::default();
    for (request, meant) in text.lines().filter_map(|line| line.split_once(" => ")) {
        let mut case = Case::default();
        case.given.extend(WORLD);
        case.said(request).await;
        // A look for an open plan may come first.
        let looked = case.calls.len() > 1 && case.calls[0] == "approval_list{}";
        let called = case.calls[usize::from(looked)..].join(" ");
        let is_meant = |meant: &str| meant.to_lowercase() == called.to_lowercase();
        if meant.split(" or ").any(is_meant) {
            outcome.served += 1;
        } else if case.refused {
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
    assert!(
        all >= 300 && wrong * 100 <= all,
        "{}",
        found.wrong.join("\n")
    );
    assert!(found.served * 3 >= all, "{} of {all} served", found.served);
}

#[tokio::test]
async fn requests_of_the_documents_and_other_tests_are_served() {
    let found = outcome("served.txt").await;
    assert_eq!((found.refused, found.wrong), (Vec::new(), Vec::new()));
}
