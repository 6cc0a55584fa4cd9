//! Files that a worker is given to look at.

use crate::cli::{Cli, folder};
use crate::puppet;
use crate::tools::{trust, worker};

#[tokio::test]
async fn a_worker_looks_at_the_files_it_is_given_and_takes() {
    let (cli, files) = (Cli::new(), folder());
    let policy = "attachment_policy: {allowed_suffixes: [.csv, .png]}";
    let file = worker(
        files.path(),
        &format!("name: reader\n{policy}\ninstructions: You read.\n"),
    );
    let path = |name: &str| files.path().join(name).display().to_string();
    std::fs::write(path("sums.csv"), "Ana;3").unwrap();
    std::fs::write(path("notes.txt"), "no").unwrap();
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
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
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
