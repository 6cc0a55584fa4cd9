//! Foreign worker files don't run before their owner trusts them, and can't raise their own rights.

use std::fs;
use std::path::Path;

use crate::local::cli::{Cli, ends, folder};
use crate::local::process::{run, stderr, stdout};
use crate::local::tools::trust;

const TASKS: &str = "---\nname: keeper\ntoolsets:\n  task: {}\n---\nYou keep tasks.\n";

fn written(folder: &Path, path: &str, text: &str) -> String {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[tokio::test]
async fn a_program_of_a_folder_is_asked_about_until_its_owner_said_yes_to_these_bytes() {
    let (cli, files) = (Cli::new(), folder());
    let file = written(files.path(), "keeper.worker", TASKS);
    let run = format!("worker run {file} 'Add a task: call Ben'");
    let refused = cli.ends(2, &run).await;
    for shown in ["keeper: task", &file, "--trust "] {
        assert!(refused.contains(shown), "{refused}");
    }
    let trust_it = trust(&cli, &file).await;
    cli.said(&format!("{run} {trust_it}")).await;
    cli.said(&run).await;
    written(
        files.path(),
        "keeper.worker",
        &TASKS.replace("keep", "Keep"),
    );
    cli.ends(2, &run).await;
    let changed = cli.ends(2, &format!("{run} {trust_it}")).await;
    assert!(changed.contains("aren't the ones it names"), "{changed}");
    // Trust is per user, and ends when the user is forgotten.
    written(files.path(), "keeper.worker", TASKS);
    cli.ends(2, &format!("{run} --user ben")).await;
    cli.said("users forget U0ANA00001 --yes").await;
    cli.said("users add U0ANA00001 --role admin").await;
    cli.ends(2, &run).await;
}

#[tokio::test]
async fn ones_own_workers_and_skills_need_no_yes() {
    let cli = Cli::new();
    let reader =
        "---\nname: reader\ntoolsets:\n  time: {}\n  skills: {allowed: [minutes]}\n---\nx\n";
    let skill = "---\nname: minutes\ndescription: d\n---\nx\n";
    written(cli.data(), "workers/reader.worker", reader);
    written(cli.data(), "skills/minutes/SKILL.md", skill);
    let run = "worker run reader 'What time is it in Tokyo?'";
    assert!(cli.said(run).await.contains("Tokyo"));
    let listed = cli.said("worker list").await;
    assert!(
        listed.contains("reader own ") && listed.contains("utility built-in "),
        "{listed}"
    );
    let built_in = cli
        .said("worker run utility 'What time is it in Tokyo?'")
        .await;
    assert!(built_in.contains("Tokyo"), "{built_in}");
}

#[tokio::test]
async fn approvals_are_handled_as_the_command_line_then_the_environment_then_the_file_say() {
    let (cli, files) = (Cli::new(), folder());
    let file = written(files.path(), "keeper.worker", TASKS);
    let trusted = trust(&cli, &file).await;
    let run = |how: &str| format!("worker run {file} {trusted} {how} 'delete the task call Ben'");
    let add = "ask 'Add a task: call Ben'";
    cli.said(add).await;
    cli.ends(1, &run("--headless")).await;
    cli.ends(1, &run("--approval auto_deny")).await;
    let deleted = cli.said(&run("--approval approve_all")).await;
    assert!(deleted.contains("✓ Deleted task"), "{deleted}");
    cli.said(add).await;
    let mut denied = cli.command(&run(""));
    ends(1, denied.env("ALFRED_APPROVAL", "auto_deny")).await;
    let mut asked = cli.command(&run("--approval interactive"));
    ends(3, asked.env("ALFRED_APPROVAL", "auto_deny")).await;
    let settings = "approval: {mode: auto_deny}\n";
    written(files.path(), "alfred.yaml", settings);
    let trusted = trust(&cli, &file).await;
    let run = |how: &str| format!("worker run {file} {trusted} {how} 'delete the task call Ben'");
    cli.ends(1, &run("")).await;
    let mut asked = cli.command(&run(""));
    ends(3, asked.env("ALFRED_APPROVAL", "interactive")).await;
    written(
        files.path(),
        "alfred.yaml",
        "approval: {mode: approve_all}\n",
    );
    let refused = cli.ends(2, &run("")).await;
    assert!(
        refused.contains("alfred.yaml:1:12: approval.mode: approve_all counts"),
        "{refused}"
    );
}

#[tokio::test]
async fn another_agents_file_is_read_as_it_is_and_what_is_left_out_is_said() {
    let (cli, files) = (Cli::new(), folder());
    let agent = "---\nname: scout\ndescription: Looks up.\ntools: WebSearch, Bash\nmodel: opus\n---\nLook things up.\n";
    let file = written(files.path(), ".claude/agents/scout.md", agent);
    let output = run(&mut cli.command(&format!("worker check {file}"))).await;
    assert_eq!(stdout(&output), format!("scout: web ({file})\n"));
    let said = stderr(&output);
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "alfred: left out: model: opus names no provider; write it as provider:model",
            "alfred: left out: tools: Bash has no counterpart here"
        ]
    );
    let agent = "---\nname: scout\nmaxTurns: 0\n---\nLook things up.\n";
    written(files.path(), ".claude/agents/scout.md", agent);
    let refused = cli.ends(2, &format!("worker check {file}")).await;
    let place = format!("{file}:3:1: limits.max_iterations: must be");
    assert!(refused.contains(&place), "{refused}");
}
