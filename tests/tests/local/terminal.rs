//! What the command line prints of other people's words.

use crate::cli::{Cli, ends};

/// A title for the window, red, a link, and what a terminal takes for the same in one byte.
const NASTY: &str = "Add a task: call \u{1b}]0;owned\u{7}\u{1b}[31mBen\u{9b}2J \u{1b}]8;;http://evil.example\u{1b}\\here\u{202e}";

fn acts(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c) || c == '\u{202e}'
}

/// Asks for the nasty task; gives what was said of it, and the run's id.
async fn asked(cli: &Cli) -> (String, String) {
    let asked = cli.said(&format!("ask '{NASTY}'")).await;
    let last = asked.trim_end().rsplit(' ').next().unwrap();
    let id = last.trim_end_matches(')').to_owned();
    (asked, id)
}

/// What it prints on a terminal of its own.
async fn on_a_terminal(cli: &Cli, line: &str) -> String {
    let plain = cli.command(line);
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
    ends(0, &mut command).await.replace("\r\n", "\n")
}

#[tokio::test]
async fn nothing_that_others_wrote_acts_on_a_terminal() {
    let cli = Cli::new();
    let (said, id) = asked(&cli).await;
    assert!(!said.contains(acts), "{said:?}");
    let trace = format!("trace {id}");
    let tasks = "ask 'show my tasks'";
    for line in [&trace, "audit list", "approvals list", tasks] {
        let text = cli.said(line).await;
        assert!(!text.contains(acts), "{line}: {text:?}");
    }
    let traced = cli.said(&trace).await;
    let shown = traced.contains("�]0;owned��[31mBen");
    assert!(shown, "shown, not left out: {traced}");
    let on_a_terminal = on_a_terminal(&cli, tasks).await;
    let ours = on_a_terminal
        .replacen("\u{1b}[2m", "", 1)
        .replacen("\u{1b}[0m", "", 1);
    assert_ne!(ours, on_a_terminal, "the last line is dim");
    assert!(!ours.contains(acts), "{ours:?}");
    let refused = cli.ends(1, "trace run_\u{1b}[31m").await;
    assert!(!refused.contains(acts), "{refused:?}");
}

#[tokio::test]
async fn json_has_every_character_and_none_that_acts() {
    let cli = Cli::new();
    let (_, id) = asked(&cli).await;
    let trace = format!("--json trace {id}");
    let text = cli.said(&trace).await;
    assert!(!text.contains(acts), "{text:?}");
    let whole = cli.said_json(&trace).await;
    assert_eq!(whole["run"]["input"]["task_prompt"], NASTY, "{whole}");
}
