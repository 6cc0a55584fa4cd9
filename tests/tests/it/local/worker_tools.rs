//! Tools that a worker file brings along: JavaScript functions and MCP servers.

use alfred_testkit::mcp_server::McpServer;
use serde_json::json;
use std::path::Path;

use crate::local::cli::{Cli, folder};
use crate::local::process::Serving;
use crate::local::puppet;
use crate::local::tools::{trust, worker};

#[tokio::test]
async fn a_function_that_was_asked_about_runs_as_it_was_then() {
    let (cli, files) = (Cli::new(), folder());
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/calculator");
    for file in ["main.worker", "tools.js"] {
        std::fs::copy(example.join(file), files.path().join(file)).unwrap();
    }
    let mut serve = cli.command("serve --port 0");
    serve
        .env("ALFRED_MODEL", "puppet:one")
        .env("ALFRED_MODEL_URL", puppet::serve().await)
        .env("PUPPET_API_KEY", "pk-1");
    let serving = Serving::start(serve, cli.data()).await;
    let folder = files.path().to_str().unwrap();
    let trusted = trust(&cli, folder).await;
    let asked = format!(r#"worker run {trusted} {folder} 'calculateFactorial {{"n": 20}}'"#);
    let card = cli.ends(3, &asked).await;
    let named = |kind: &str| card.split_whitespace().find(|word| word.starts_with(kind));
    std::fs::write(
        files.path().join("tools.js"),
        "throw new Error('another one')",
    )
    .unwrap();
    let approve = format!("approvals approve {}", named("apr_").unwrap());
    cli.said(&approve).await;
    let trace = cli
        .said(&format!("trace --json {}", named("run_").unwrap()))
        .await;
    assert!(trace.contains("2432902008176640000"), "{trace}");
    let refused = cli.ends(2, &asked).await;
    assert!(
        refused.contains("module: ./tools:1:11: Error: another one"),
        "{refused}"
    );
    serving.kill().await;
}

#[tokio::test]
async fn servers_that_a_worker_names_are_asked_when_its_run_begins() {
    let cli = Cli::new();
    let mut said = String::new();
    for (mode, ends) in [("well", 0), ("dies", 2)] {
        let (files, shop) = (folder(), McpServer::behaving(mode));
        let mcp = json!({"servers": {"shop": shop.settings()}, "tools": ["shop/look.up"]});
        let text = format!("name: clock\ntoolsets: {{time: {{}}, mcp: {mcp}}}\ninstructions: x\n");
        let file = worker(files.path(), &text);
        let trusted = trust(&cli, &file).await;
        assert_eq!(shop.starts(), 0, "looking at a file starts nothing");
        let question = format!("worker run {trusted} {file} 'What time is it in Tokyo?'");
        said = cli.ends(ends, &question).await;
        assert_eq!(shop.starts(), 1);
    }
    let expected =
        "alfred: worker clock: toolsets.mcp: shop ended before it answered, or sent more than 4 MB";
    assert_eq!(said.trim(), expected);
}
