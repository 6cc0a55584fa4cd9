//! What the command line prints of other people's words.

use std::path::Path;

use crate::commands::{folder, said, said_json};
use crate::process::{alfred, run, stderr, stdout};

/// A title for the window, red, a link, and what a terminal takes for the same in one byte.
const NASTY: &str = "Add a task: call \u{1b}]0;owned\u{7}\u{1b}[31mBen\u{9b}2J \u{1b}]8;;http://evil.example\u{1b}\\here\u{202e}";

fn acts(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c) || c == '\u{202e}'
}

/// Runs it on a terminal of its own.
async fn on_a_terminal(data: &Path, arguments: &[&str]) -> String {
    let plain = alfred(data, arguments);
    let plain = plain.as_std();
    let mut command = tokio::process::Command::new("python3");
    command
        .args([
            "-c",
            "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
        ])
        .arg(plain.get_program())
        .args(plain.get_args())
        .kill_on_drop(true);
    let output = run(&mut command).await;
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).replace("\r\n", "\n")
}

#[tokio::test]
async fn nothing_that_others_wrote_acts_on_a_terminal() {
    let data = folder();
    let asked = said(data.path(), &["ask", NASTY]).await;
    assert!(!asked.contains(acts), "{asked:?}");
    let id = asked
        .trim_end()
        .rsplit(' ')
        .next()
        .unwrap()
        .trim_end_matches(')');
    for arguments in [
        &["trace", id][..],
        &["audit", "list"],
        &["approvals", "list"],
        &["ask", "show my tasks"],
    ] {
        let text = said(data.path(), arguments).await;
        assert!(!text.contains(acts), "{arguments:?}: {text:?}");
    }
    let traced = said(data.path(), &["trace", id]).await;
    assert!(
        traced.contains("�]0;owned��[31mBen"),
        "shown, not left out: {traced}"
    );
    let on_a_terminal = on_a_terminal(data.path(), &["ask", "show my tasks"]).await;
    let ours = on_a_terminal
        .replacen("\u{1b}[2m", "", 1)
        .replacen("\u{1b}[0m", "", 1);
    assert_ne!(ours, on_a_terminal, "the last line is dim");
    assert!(!ours.contains(acts), "{ours:?}");
    let refused = run(&mut alfred(data.path(), &["trace", "run_\u{1b}[31m"])).await;
    assert!(!stderr(&refused).contains(acts), "{:?}", stderr(&refused));
}

#[tokio::test]
async fn json_has_every_character_and_none_that_acts() {
    let data = folder();
    let asked = said(data.path(), &["ask", NASTY]).await;
    let id = asked
        .trim_end()
        .rsplit(' ')
        .next()
        .unwrap()
        .trim_end_matches(')');
    let text = said(data.path(), &["--json", "trace", id]).await;
    assert!(!text.contains(acts), "{text:?}");
    let whole = said_json(data.path(), &["--json", "trace", id]).await;
    assert_eq!(whole["run"]["input"]["task_prompt"], NASTY, "{whole}");
}
