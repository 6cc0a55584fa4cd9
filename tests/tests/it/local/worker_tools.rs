//! MCP servers that a worker file names.

use alfred_testkit::mcp_server::McpServer;
use serde_json::json;
use std::path::Path;

use crate::local::cli::{Cli, folder};

fn worker(folder: &Path, text: &str) -> String {
    let path = folder.join("mine.worker");
    std::fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// The option that trusts exactly this file and the workers it may call.
async fn trust(cli: &Cli, file: &str) -> String {
    let checked = cli.said_json(&format!("worker check --json {file}")).await;
    format!("--trust {}", checked["digest"].as_str().unwrap())
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
