//! Other sources of an attack's words: a stored file, a file of a skill, or a tool of an MCP server. The model
//! reads all words of a request at once.

use alfred_agent::model::{Snapshot, Source};
use alfred_core::files::StoredFiles;
use alfred_core::ports::{Clock, Files, VirtualPath, Write};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;

use super::file::{Attack, Call, Request};
use super::scene::OWNER;
use super::tools::Shield;
use crate::in_memory::world::{World, team};

const LOOK_UP: &str = "mcp__shop__look_up";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Door {
    /// A stored file. With `Shield::None` it is stored as the owner's own words.
    File,
    /// A file of a skill, which counts as the program's own text.
    Skill,
    /// A file of a skill, read after the request's own reads.
    SkillBehind,
    /// A skill that restricts the tools.
    NarrowSkill,
    Server,
}

fn place(at: usize) -> String {
    format!("/words/{at}.md")
}

fn words(request: &Request) -> String {
    let words = request.reads.iter().map(|read| read.returns.as_str());
    words.collect::<Vec<_>>().join("\n")
}

impl Door {
    /// The calls that replace the request's `reads`.
    pub fn calls(self, at: usize, reads: Vec<Call>) -> Vec<Call> {
        let place = place(at);
        let (tool, arguments) = match self {
            Self::File => ("read_file", json!({ "path": place })),
            Self::Skill | Self::SkillBehind | Self::NarrowSkill => (
                "skill_read",
                json!({"skill": "guide", "file": place.trim_start_matches('/')}),
            ),
            Self::Server => (LOOK_UP, json!({ "what": place })),
        };
        let tool = tool.to_owned();
        let behind = reads.into_iter().filter(|_| self == Self::SkillBehind);
        behind.chain([Call { tool, arguments }]).collect()
    }

    /// Adds the door to the worker, and returns the run's snapshot.
    pub async fn open(self, worker: &str, attack: &Attack) -> Snapshot {
        let toolset = match self {
            Self::File => "filesystem: {tools: [read_file]}".to_owned(),
            Self::Skill | Self::SkillBehind | Self::NarrowSkill => {
                "skills: {allowed: [guide]}".to_owned()
            }
            Self::Server => {
                let server = json!({"shop": {"url": serve(attack).await}});
                let approval = json!({"default": "preApproved"});
                let mcp =
                    json!({"servers": server, "tools": ["shop/look.up"], "approval": approval});
                format!("mcp: {mcp}")
            }
        };
        let worker = worker.replace("toolsets:\n", &format!("toolsets:\n  {toolset}\n"));
        let mut snapshot = Snapshot::of("", [("utility", &*worker)]);
        match self {
            Self::File => {}
            Self::Skill | Self::SkillBehind => snapshot.beside = guide("", attack),
            Self::NarrowSkill => snapshot.beside = guide("allowed-tools: ''\n", attack),
            Self::Server => {
                let host = alfred_workers::mcp::Host::one_machine();
                let learnt = alfred_workers::mcp::learn(&mut snapshot, &host);
                learnt.await.unwrap();
            }
        }
        snapshot
    }
}

fn guide(front: &str, attack: &Attack) -> Vec<Source> {
    let main =
        format!("---\nname: guide\ndescription: How it is done.\n{front}---\nRead the file.");
    let words = attack.requests.iter().map(words).enumerate();
    let files = words.map(|(at, words)| (place(at).trim_start_matches('/').to_owned(), words));
    let files = files.chain([("SKILL.md".to_owned(), main)]);
    let kept = files.map(|(file, text)| Source {
        path: format!("skill:guide/{file}"),
        text,
    });
    kept.collect()
}

/// Stores the words as files by others, or with `Shield::None` as the owner's.
pub async fn store(world: &World, attack: &Attack, shield: Shield) {
    let (store, now) = (world.ports.store.clone(), world.clock.now());
    let files = StoredFiles::of(store, &team(), &OWNER.into(), now);
    for (at, request) in attack.requests.iter().enumerate() {
        let path = VirtualPath::parse(&place(at)).unwrap();
        let (words, tainted) = (words(request), shield != Shield::None);
        let writes: Vec<Write> = files.write(&path, words.as_bytes(), tainted).await.unwrap();
        world.write(writes).await;
    }
}

/// An MCP server whose tool returns a request's words.
async fn serve(attack: &Attack) -> String {
    // Fails if another test already installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let words: Arc<[String]> = attack.requests.iter().map(words).collect();
    let app = Router::new().fallback(answer).with_state(words);
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

/// Implements MCP revision 2026-07-28.
async fn answer(State(words): State<Arc<[String]>>, body: String) -> Response {
    let asked: Value = serde_json::from_str(&body).unwrap_or_default();
    let result = match asked["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
            "capabilities": {"tools": {}}, "cacheScope": "private",
        }),
        "tools/list" => json!({
            "resultType": "complete",
            "tools": [{"name": "look.up", "inputSchema": {"type": "object"}}],
        }),
        "tools/call" => {
            let wanted = &asked["params"]["arguments"]["what"];
            let at = (0..words.len()).find(|at| *wanted == place(*at));
            let text = at.map_or("", |at| &words[at]);
            json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, answer.to_string()).into_response()
}
