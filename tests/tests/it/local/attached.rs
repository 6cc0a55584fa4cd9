use std::fs;
use std::path::Path;

use crate::local::cli::{Cli, ends, folder};
use crate::local::puppet;
use crate::local::tools::{trust, worker};

#[tokio::test]
async fn a_worker_looks_at_the_files_it_is_given_and_takes() {
    let (cli, files) = (Cli::new(), folder());
    let policy = "attachment_policy: {allowed_suffixes: [.csv, .png]}";
    let file = worker(
        files.path(),
        &format!("name: reader\n{policy}\ninstructions: You read.\n"),
    );
    let path = |name: &str| files.path().join(name).display().to_string();
    fs::write(path("sums.csv"), "Ana;3").unwrap();
    fs::write(path("notes.txt"), "no").unwrap();
    let trusted = trust(&cli, &file).await;
    let model = puppet::serve().await;
    let attach = format!(
        "--attach {} --attach {}",
        path("sums.csv"),
        path("notes.txt")
    );
    let mut command = cli.command(&format!("worker run {trusted} {attach} {file} 'echo'"));
    command
        .env("ALFRED_MODEL", "puppet:one")
        .env("ALFRED_MODEL_URL", model)
        .env("PUPPET_API_KEY", "pk-1");
    let said = ends(0, &mut command).await;
    let run = said
        .split_whitespace()
        .find(|word| word.starts_with("run_"));
    let trace = cli.said(&format!("trace {}", run.unwrap())).await;
    assert!(trace.contains("opened 1 of 2 files"), "{trace}");
    let gone = cli
        .ends(
            2,
            &format!("worker run {trusted} --attach {} {file} x", path("gone")),
        )
        .await;
    assert!(gone.contains("gone: No such file"), "{gone}");
}

#[tokio::test]
async fn what_a_program_passes_on_reaches_the_model_of_whom_it_calls() {
    let (cli, files) = (Cli::new(), folder());
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/pdf_analyzer");
    for file in ["main.worker", "analyzer.worker", "golem-forge.config.yaml"] {
        fs::copy(example.join(file), files.path().join(file)).unwrap();
    }
    fs::create_dir(files.path().join("input")).unwrap();
    fs::write(files.path().join("input/pitch.pdf"), "%PDF-1.7 a pitch").unwrap();
    let folder = files.path().to_str().unwrap();
    let trusted = trust(&cli, folder).await;
    let asked = r#"pdf_analyzer {"input": "Look", "attachments": ["/input/pitch.pdf"]}"#;
    let mut command = cli.command(&format!("worker run {trusted} {folder} '{asked}'"));
    command
        .env("ALFRED_MODEL", "openai:gpt-4o")
        .env("ALFRED_MODEL_URL", puppet::serve().await)
        .env("OPENAI_API_KEY", "sk-1");
    let said = ends(0, &mut command).await;
    let run = said
        .split_whitespace()
        .find(|word| word.starts_with("run_"));
    let trace = cli.said(&format!("trace --json {}", run.unwrap())).await;
    assert!(trace.contains("That is all. [pitch.pdf]"), "{trace}");
}
