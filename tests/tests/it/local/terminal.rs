//! The command line on a terminal, in a pipe, and with a closed output.

use alfred_testkit::{LIMIT, within};
use insta::assert_snapshot;
use std::fs;
use std::io::pipe;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::local::cli::{Cli, ends, folder, steady};
use crate::local::process::{Serving, run, stderr, stdout};

/// Sets the window title, the colour and a link, also with 8-bit control characters.
const NASTY: &str = "Add a task: call \u{1b}]0;owned\u{7}\u{1b}[31mBen\u{9b}2J \u{1b}]8;;http://evil.example\u{1b}\\here\u{202e}";

fn acts(c: char) -> bool {
    c.is_control() && !"\n\t".contains(c) || c == '\u{202e}'
}

/// Asks for the nasty task. Returns the answer and the run's id.
async fn asked(cli: &Cli) -> (String, String) {
    let asked = cli.said(&format!("ask '{NASTY}'")).await;
    let last = asked.trim_end().rsplit(' ').next().unwrap();
    let id = last.trim_end_matches(')').to_owned();
    (asked, id)
}

/// Runs the command on a pseudo-terminal. Returns stdout and stderr combined.
async fn on_a_terminal(cli: &Cli, line: &str) -> String {
    let plain = cli.command(line);
    let plain = plain.as_std();
    let mut command = Command::new("python3");
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
    let mut ours = on_a_terminal(&cli, tasks).await;
    for code in ["\u{1b}[1m", "\u{1b}[22m", "\u{1b}[2m", "\u{1b}[0m"] {
        assert_eq!(ours.matches(code).count(), 1, "{code:?} in {ours:?}");
        ours = ours.replace(code, "");
    }
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

#[tokio::test]
async fn an_answer_that_nobody_gets_fails() {
    let cli = Cli::new();
    let full = || {
        Stdio::from(
            fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
    };
    let closed = || Stdio::from(pipe().unwrap().1);
    let mut said = String::new();
    for line in [
        "--help",
        "tools",
        "ask 'What time is it in Tokyo?'",
        "ask 'tell Ben that lunch is at noon'",
    ] {
        for stdout in [full(), closed()] {
            let child = cli
                .command(line)
                .stdout(stdout)
                .stderr(Stdio::piped())
                .spawn();
            let ended = child.unwrap().wait_with_output();
            let output = within(LIMIT, line, ended).await.unwrap();
            assert_eq!(output.status.code(), Some(1), "{line}");
            said += &format!("$ alfred {line}\n{}", stderr(&output));
        }
        // It doesn't crash if stderr fails too.
        let mut silenced = cli.command(line);
        silenced.stdout(full()).stderr(full());
        let status = within(LIMIT, line, silenced.status()).await.unwrap();
        assert_eq!(status.code(), Some(1), "{line}");
    }
    assert_snapshot!(said, @"
    $ alfred --help
    alfred: the answer can't be written: No space left on device (os error 28)
    $ alfred --help
    $ alfred tools
    alfred: the answer can't be written: No space left on device (os error 28)
    $ alfred tools
    $ alfred ask 'What time is it in Tokyo?'
    alfred: the answer can't be written: No space left on device (os error 28)
    $ alfred ask 'What time is it in Tokyo?'
    $ alfred ask 'tell Ben that lunch is at noon'
    alfred: the answer can't be written: No space left on device (os error 28)
    $ alfred ask 'tell Ben that lunch is at noon'
    ");
}

#[tokio::test]
async fn who_only_looks_makes_no_folder_and_changes_none() {
    let cli = Cli::new();
    let mut said = String::new();
    for line in [
        "audit verify",
        "audit list",
        "approvals list",
        "approvals approve apr_1",
        "users list",
        "users forget U0BEN00001 --yes",
        "trace run_1",
    ] {
        said += &cli.ends(2, line).await;
    }
    cli.ends(1, "page").await;
    assert_eq!(fs::read_dir(cli.data()).unwrap().count(), 0);
    let missing = cli.data().join("TYPO");
    said += &Cli::on(&missing).ends(2, "audit verify").await;
    assert!(!missing.exists());
    let same = "alfred: nothing is stored in FOLDER; --data names another folder, and `alfred ask` or `alfred serve` begins one there\n";
    let folder = cli.data().to_str().unwrap();
    let said = said.replace(missing.to_str().unwrap(), "FOLDER");
    assert_eq!(said.replace(folder, "FOLDER"), same.repeat(8));
}

#[tokio::test]
async fn colours_are_for_a_terminal() {
    let cli = Cli::new();
    let mut logged = cli.command("ask 'Add a task: call Ben'");
    let output = run(logged.env("RUST_LOG", "info")).await;
    let (answer, log) = (stdout(&output), stderr(&output));
    assert!(log.contains("INFO"), "{log}");
    assert!(
        !log.contains('\u{1b}') && !answer.contains('\u{1b}'),
        "{answer}\n{log}"
    );
    assert_snapshot!(steady(&answer), @r#"
    Added to your tasks: Call Ben (medium priority, 30 min).

    ✓ Created task "Call Ben" (your backlog)

    (demo:offline answered, by parsing; set OPENAI_API_KEY or ALFRED_MODEL for a real model)

    run run_1  (alfred trace run_1)
    "#);
}

#[tokio::test]
async fn a_look_through_a_large_mailbox_says_how_far_it_is() {
    const MAILS: u32 = 6_000;
    let (cli, own) = (Cli::new(), folder());
    lay_mails(&own.path().join("mail/inbox"), MAILS);
    let line = format!("ask 'triage my mail' --workspace {}", own.path().display());
    says_how_far(&on_a_terminal(&cli, &line).await, MAILS);
    let piped = cli.said(&line).await;
    assert!(!piped.contains("Looking"), "{piped}");
    // The same with a serving process, which looks through the mail again.
    let serve = cli.command(&format!(
        "serve --port 0 --workspace {}",
        own.path().display()
    ));
    let serving = Serving::start(serve, cli.data()).await;
    says_how_far(&on_a_terminal(&cli, "ask 'triage my mail'").await, MAILS);
    serving.kill().await;
}

/// Checks that a line showed progress and was cleared.
fn says_how_far(shown: &str, mails: u32) {
    let lines: Vec<&str> = shown.split("\r\u{1b}[K").collect();
    let first = lines.get(1).copied().unwrap_or_default();
    assert!(
        first.starts_with("Looking through the mail: ") && first.ends_with(" %"),
        "{shown}"
    );
    let last = lines.last().unwrap();
    assert!(last.contains(&format!("newest 100 of {mails}")), "{last}");
    assert!(!last.contains("Looking"), "{last}");
}

fn lay_mails(inbox: &Path, count: u32) {
    fs::create_dir_all(inbox).unwrap();
    let head = "From: Ben <ben@example.com>\r\nTo: Ana <ana@example.com>\r\nDate: Mon, 01 Jun 2026 09:00:00 +0000\r\n";
    for number in 0..count {
        let mail = format!(
            "{head}Subject: Offsite {number}\r\n\r\n{}\r\n",
            "Which rooms do you want? ".repeat(100)
        );
        fs::write(inbox.join(format!("{number}.eml")), mail).unwrap();
    }
}

#[tokio::test]
async fn what_asks_to_end_is_an_end_as_good_as_any() {
    let cli = Cli::new();
    for signal in ["TERM", "INT"] {
        let mut command = cli.command("serve --port 0");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut said = String::new();
        while !said.contains("Stop with Ctrl-C.") {
            let mut some = [0; 1_024];
            let read = within(LIMIT, "the start", out.read(&mut some));
            let count = read.await.unwrap();
            assert_ne!(count, 0, "it ended: {said}");
            said += std::str::from_utf8(&some[..count]).unwrap();
        }
        let pid = child.id().unwrap().to_string();
        ends(0, Command::new("kill").args([&format!("-{signal}"), &pid])).await;
        let mut rest = String::new();
        let read = within(LIMIT, "the last words", out.read_to_string(&mut rest));
        read.await.unwrap();
        assert_eq!(
            rest.trim(),
            "Alfred stops. Whatever was under way goes on at the next start.",
            "{signal}"
        );
        let status = within(LIMIT, "the end", child.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}
