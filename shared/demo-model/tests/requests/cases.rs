//! Conversations, written down with the calls and answers in `cases.txt`.

use alfred_core::ports::Message;

use crate::{Conversation, folder};

/// `INSTA_UPDATE=always` rewrites the file.
#[tokio::test]
async fn messages_are_understood_as_written_down() {
    let path = folder("tests/requests/cases.txt");
    let cases = std::fs::read_to_string(&path).unwrap();
    let (mut case, mut now) = (Conversation::default(), String::new());
    for line in cases.lines().filter(|line| !line.starts_with("  ")) {
        now += &format!("{line}\n");
        let (sign, rest) = line.split_at(line.len().min(1));
        match sign {
            "" => case = Conversation::default(),
            "#" => {}
            "@" => case.given.extend(rest.split_once(' ')),
            "~" => case.messages = vec![Message::user(rest.trim().replace("\\n", "\n"))],
            "+" => now += &written(&mut case, rest.trim()).await,
            _ => {
                case.messages.clear();
                now += &written(&mut case, line).await;
            }
        }
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        std::fs::write(path, &now).unwrap();
    }
    for (now, was) in now.split("\n\n").zip(cases.split("\n\n")) {
        assert_eq!(now.trim_end(), was.trim_end());
    }
}

/// The calls and the answer to a message, one line each.
async fn written(case: &mut Conversation<'_>, text: &str) -> String {
    let reply = case.says(text).await;
    let answer = reply.answer.map(|answer| answer.replace('\n', "\n  "));
    let lines = reply.calls.into_iter().chain(answer);
    lines.map(|line| format!("  {line}\n")).collect()
}
