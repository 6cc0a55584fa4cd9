//! The offline demo model with the planner's tools, against phrasings written
//! apart from its parser.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

use serde_json::{Value, json};

mod talk;
use talk::{Made, play};

/// One request and what it is to lead to.
struct Case {
    say: String,
    tools: Vec<String>,
    args: Value,
}

/// The cases of a file.
fn cases(file: &str) -> Vec<Case> {
    let all: Vec<Value> = serde_json::from_str(file).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.iter()
        .map(|case| Case {
            say: text(&case["say"]),
            tools: match &case["tool"] {
                Value::Array(tools) => tools.iter().map(text).collect(),
                one => vec![text(one)],
            },
            args: case["args"].clone(),
        })
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace(['\'', '’'], "")
        .split(|c: char| !(c.is_alphanumeric() || "@.-:".contains(c)))
        .map(|word| word.trim_matches(['.', ':', '-']).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The same words, whatever their order, but for those that only say what it is.
fn names(got: &Value, wanted: &Value) -> bool {
    const NOUNS: [&str; 10] = [
        "block", "work", "task", "mail", "email", "the", "my", "about", "meeting", "for",
    ];
    let (got, wanted) = (
        words(got.as_str().unwrap_or_default()),
        words(wanted.as_str().unwrap()),
    );
    wanted.iter().all(|word| got.contains(word))
        && got
            .iter()
            .all(|word| wanted.contains(word) || NOUNS.contains(&word.as_str()))
}

/// Whether the arguments say what was wanted; the names of some were invented by who wrote the file.
fn fits(made: &Made, wanted: &Value) -> bool {
    let got = |name: &str| match name {
        "feedback" => &made.arguments["changes"]["unmet"][0],
        name => made.arguments.get(name).unwrap_or(&Value::Null),
    };
    let wanted = wanted.as_object().unwrap();
    if !wanted.contains_key("feedback") && !got("feedback").is_null() {
        return false;
    }
    wanted.iter().all(|(name, value)| {
        let text = value.as_str().unwrap_or_default().to_lowercase();
        let begins = |name: &str| got(name).as_str().is_some_and(|got| got.starts_with(&text));
        match name.as_str() {
            "block" | "blockId" => names(got("blockId"), value),
            "task" | "taskId" => names(got("taskId"), value),
            "event" | "eventId" => names(got("eventId"), value),
            "email" | "emailId" => names(got("emailId"), value) || names(&made.looked_for, value),
            "from" => got("from") == value || names(&made.looked_for, value),
            "newTime" => got("newTime")
                .as_str()
                .is_some_and(|got| got.ends_with(&text)),
            "date" => got("date") == value || made.looked_at == *value || begins("newTime"),
            "title" => got("title")
                .as_str()
                .is_some_and(|got| got.to_lowercase() == text),
            "feedback" => got("feedback").as_str().is_some_and(|got| {
                let more = words(got).len() - words(&text).len().min(words(got).len());
                got.to_lowercase().contains(&text) && more <= 3
            }),
            _ => got(name) == value,
        }
    })
}

/// How many lead to the right tool, how many of those with the right arguments, and the others.
async fn score(file: &str) -> (usize, usize, usize, String) {
    let (mut tools, mut whole, mut missed) = (0, 0, String::new());
    let cases = cases(file);
    for case in &cases {
        let made = play(&case.say).await;
        let right = matches!(made.as_slice(), [one] if case.tools.contains(&one.tool));
        let fit = right && fits(&made[0], &case.args);
        tools += usize::from(right);
        whole += usize::from(fit);
        if !fit {
            let wanted = json!([case.tools, case.args]);
            missed.push_str(&format!(
                "{}\n   wanted {wanted}\n   got    {made:?}\n",
                case.say
            ));
        }
    }
    (tools, whole, cases.len(), missed)
}

/// Floors, which may only rise. The first file was read while the parser learnt it (at first sight 39 led to
/// their tools, 35 whole). It never learnt the others: the second was written before it was begun (at first
/// sight 5 and 5), the third once it was finished, and run once for these figures.
#[tokio::test]
async fn everyday_requests_lead_to_their_tools() {
    for (file, tools_floor, whole_floor) in [
        (include_str!("data/planner.json"), 140, 140),
        (include_str!("data/planner_system.json"), 40, 40),
        (include_str!("data/planner_unseen.json"), 37, 36),
        (include_str!("data/planner_fresh.json"), 13, 13),
    ] {
        let (tools, whole, total, missed) = score(file).await;
        assert!(
            tools >= tools_floor && whole >= whole_floor,
            "{tools} and {whole} of {total}:\n{missed}"
        );
    }
}

/// What the files don't ask about.
#[tokio::test]
async fn meetings_and_mail_are_asked_for_as_meant() {
    for (say, tool, arguments) in [
        (
            "find an hour with Ana today",
            "calendar_scheduleMeeting",
            json!({"attendees": ["Ana"], "duration": 60}),
        ),
        (
            "book 30 min with Ben and Chloe tomorrow afternoon to discuss pricing",
            "calendar_scheduleMeeting",
            json!({"attendees": ["Ben", "Chloe"], "duration": 30, "title": "Pricing", "preferredTimes":
                ["2026-11-22T13:00", "2026-11-22T14:00", "2026-11-22T15:00", "2026-11-22T16:00", "2026-11-22T16:30"]}),
        ),
        (
            "which messages in my inbox haven't I read yet?",
            "email_viewEmails",
            json!({"status": ["unread"]}),
        ),
        (
            "draft a reply to the mail from Ben about the lease saying I'll sign tomorrow",
            "email_processEmail",
            json!({"emailId": "Ben lease", "action": "draft_reply", "replyText": "I'll sign tomorrow"}),
        ),
        (
            "triage my mail but keep everything from Ana",
            "workflow_fillEmailBlock",
            json!({"changes": {"unmet": ["keep everything from Ana"]}}),
        ),
        (
            "push the deadline of the expense report to Friday",
            "task_updateTask",
            json!({"taskId": "expense report", "dueDate": "2026-11-27"}),
        ),
    ] {
        let made = play(say).await;
        let [one] = made.as_slice() else {
            panic!("{say}: {made:?}")
        };
        assert_eq!(
            (one.tool.as_str(), &one.arguments),
            (tool, &arguments),
            "{say}"
        );
    }
    // Without a time it asks for one.
    assert!(play("move my meeting with Ana to Friday").await.is_empty());
}

/// What only sounds like a request changes nothing.
#[tokio::test]
async fn nothing_is_done_without_being_asked() {
    let files = [
        include_str!("data/planner_unknown.json"),
        include_str!("data/system_unknown.json"),
    ];
    let said = files
        .map(|file| serde_json::from_str::<Vec<String>>(file).unwrap())
        .concat();
    let mut done = String::new();
    for say in &said {
        let made = play(say).await;
        if made.iter().any(Made::changes) {
            done.push_str(&format!("{say}: {made:?}\n"));
        }
    }
    assert!(done.is_empty(), "{done}");
}

/// Verbs that ask for something else here, and questions about what was done.
#[tokio::test]
async fn words_that_only_hold_a_verb_change_nothing() {
    for say in [
        "bring cake to the meeting at 3",
        "drop me a note about the meeting",
        "move on to the next meeting at 3",
        "should I delete the gym block?",
        "Don't delete the gym block",
        "Did you archive the mail from LinkedIn?",
        "if Ana says no, delete the gym block",
        "delete it",
        "show my tasks, delete them",
        "archive everything",
        "can you believe Ben moved the meeting to 3pm",
        "find a day with no meetings",
        "is the report done?",
        "what have I finished",
        "sort my mail by date",
        "nobody told me that the meeting with Ana moved to Friday",
    ] {
        let made = play(say).await;
        assert!(!made.iter().any(Made::changes), "{say}: {made:?}");
    }
}

/// Whatever is typed, it answers, however many clauses there are.
#[tokio::test]
async fn any_words_of_requests_get_an_answer() {
    let all: Vec<String> = cases(include_str!("data/planner.json"))
        .into_iter()
        .map(|case| case.say)
        .collect();
    let words: Vec<&str> = all.iter().flat_map(|say| say.split(' ')).collect();
    let mut random = fastrand::Rng::with_seed(11);
    for length in (0..800).map(|n| if n % 400 == 0 { 200 } else { n % 14 }) {
        let said: Vec<&str> = (0..length)
            .map(|_| words[random.usize(..words.len())])
            .collect();
        play(&said.join(" ")).await;
    }
    play(&"go on, and so on. ".repeat(200)).await;
}
