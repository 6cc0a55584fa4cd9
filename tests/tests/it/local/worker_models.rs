//! Which model a worker uses: command line, worker file, environment, program file.

use tokio::process::Command;

use crate::local::cli::{Cli, ends, folder};
use crate::local::puppet;
use crate::local::tools::trust;

const LEAD: &str =
    "---\nname: lead\ntoolsets: {workers: {allowed_workers: [reader]}}\n---\nYou lead.\n";
const READER: &str =
    "---\nname: reader\nmodel: puppet:own\ncompatible_models: [\"puppet:*\"]\n---\nYou read.\n";
const HANDED: &str = r#"'reader {"input": "hi"}'"#;

/// Writes these workers. Returns the folder and the option that trusts them.
async fn program(cli: &Cli, files: &tempfile::TempDir, settings: &str) -> (String, String) {
    for (name, text) in [
        ("lead.worker", LEAD),
        ("reader.worker", READER),
        ("alfred.yaml", settings),
    ] {
        std::fs::write(files.path().join(name), text).unwrap();
    }
    let lead = files.path().join("lead.worker").display().to_string();
    let trusted = trust(cli, &lead).await;
    (lead, trusted)
}

fn at<'a>(command: &'a mut Command, url: &str) -> &'a mut Command {
    command
        .env("ALFRED_MODEL_URL", url)
        .env("PUPPET_API_KEY", "pk-1")
}

#[tokio::test]
async fn each_worker_is_answered_by_the_model_that_counts_for_it() {
    let (cli, files, url) = (Cli::new(), folder(), puppet::serve().await);
    let (lead, trusted) = program(&cli, &files, "model: puppet:file\n").await;
    for (option, environment, lead_by, reader_by) in [
        ("", None, "puppet:file", "puppet:own"),
        ("", Some("puppet:set"), "puppet:set", "puppet:own"),
        (
            "--model puppet:said",
            Some("puppet:set"),
            "puppet:said",
            "puppet:said",
        ),
    ] {
        let mut command = cli.command(&format!("worker run {option} {trusted} {lead} {HANDED}"));
        if let Some(model) = environment {
            command.env("ALFRED_MODEL", model);
        }
        let said = ends(0, at(&mut command, &url)).await;
        let run = said
            .split_whitespace()
            .find(|word| word.starts_with("run_"));
        let trace = cli.said(&format!("trace {}", run.unwrap())).await;
        let count = |what: String| trace.matches(&what).count();
        let called = count(format!("{lead_by} called reader"));
        let ended = count(format!("{lead_by} said: ")) + count(format!("{reader_by} said: "));
        // With one model for both, `count` finds each answer twice.
        let ends = if lead_by == reader_by { 4 } else { 2 };
        assert_eq!(
            (called, ended),
            (1, ends),
            "{option} {environment:?}: {trace}"
        );
    }
    let checked = cli.said(&format!("worker check {lead}")).await;
    assert!(
        checked.contains("lead: workers; model puppet:file; calls reader (")
            && checked.contains("reader: no tools; model puppet:own ("),
        "{checked}"
    );
    let listed = cli
        .said(&format!("worker list --program {}", files.path().display()))
        .await;
    assert!(listed.contains("reader program, puppet:own "), "{listed}");
}

#[tokio::test]
async fn what_keeps_a_worker_from_its_model_is_told_at_its_place_before_anything_runs() {
    let (cli, files, url) = (Cli::new(), folder(), puppet::serve().await);
    let (lead, trusted) = program(
        &cli,
        &files,
        "sandbox: {readonly: true}\nmodel: openai:gpt-5.2\n",
    )
    .await;
    let folder = files.path().display().to_string();
    let unfit = "reader.worker:4:1: compatible_models allows puppet:*, not ";
    let nowhere = "reader.worker:3:1: model: no address is known for provider \"puppet\": set ALFRED_MODEL_URL";
    for (option, environment, lines) in [
        (
            "--model mine:x",
            Some("puppet:one"),
            vec![format!("{folder}/{unfit}mine:x from --model")],
        ),
        (
            "--model anthropic:claude",
            None,
            vec![
                "--model: anthropic:claude needs its key: set ANTHROPIC_API_KEY".to_owned(),
                format!("{folder}/{unfit}anthropic:claude from --model"),
            ],
        ),
        (
            "",
            None,
            vec![
                format!(
                    "{folder}/alfred.yaml:2:1: model: openai:gpt-5.2 needs its key: set OPENAI_API_KEY"
                ),
                format!("{folder}/{nowhere}"),
            ],
        ),
        (
            "",
            Some("demo:offline"),
            vec![format!("{folder}/{nowhere}")],
        ),
    ] {
        let mut command = cli.command(&format!("worker run {option} {trusted} {lead} {HANDED}"));
        if let Some(model) = environment {
            command.env("ALFRED_MODEL", model);
        }
        if environment == Some("puppet:one") {
            at(&mut command, &url);
        }
        let said = ends(2, &mut command).await;
        assert_eq!(said.trim().lines().count(), lines.len(), "{said}");
        for line in lines {
            assert!(said.contains(&line), "{line} isn't in {said}");
        }
    }
    let said = cli
        .ends(2, &format!("worker run --model opus {lead} hi"))
        .await;
    assert!(said.contains("\"opus\" isn't provider:model"), "{said}");
}
