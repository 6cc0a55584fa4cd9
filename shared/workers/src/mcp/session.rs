//! A connection to a server, over a program's pipes or over HTTP.

use alfred_core::config::is_loopback;
use alfred_core::digest::canonical_json;
use alfred_core::invisible;
use http::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, ProtocolVersion, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use tokio::io::AsyncReadExt;

use super::client::{Described, start_of};
use super::error::{Result, ServerError, Why, brief};
use super::process::Process;
use super::settings::{Reached, Server, filled};

/// Megabytes that a server may send: in total over stdio, per answer over HTTP.
const MOST_MB: u64 = 4;
const MOST_BYTES: usize = 4 << 20;
/// Pages that are searched for the named tools.
const MOST_PAGES: usize = 20;
/// Tools that an error lists.
const MOST_LISTED: usize = 30;
/// Characters of a description, which costs tokens in every turn.
pub(crate) const MOST_DESCRIPTION: usize = 1_000;
/// Bytes of a schema.
const MOST_SCHEMA: usize = 16_000;
/// Longest wait for a server to end its session.
const GOODBYE: Duration = Duration::from_secs(1);

pub(crate) struct Session<'a> {
    server: &'a Server,
    pub service: RunningService<RoleClient, ClientConfig>,
    /// The server's program, which ends with the session.
    process: Option<Process>,
}

impl<'a> Session<'a> {
    /// Connects, starting the program if the server is one.
    pub async fn open(server: &'a Server) -> Result<Self> {
        let me = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("alfred", env!("CARGO_PKG_VERSION")),
        );
        let (process, service) = match &server.reached {
            Reached::Stdio { command, args, env } => {
                let env = env
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), variable(server, "env", name, value)?)));
                let env: Vec<_> = env.collect::<Result<_>>()?;
                let started = Process::start(command, args, env, server.folder.as_deref());
                let started =
                    started.map_err(|error| server.fails(Why::NotStarted(error.to_string())));
                let (process, stdout, stdin) = started?;
                let wire = AsyncRwTransport::new_client(stdout.take(MOST_MB << 20), stdin)
                    .with_max_line_length(MOST_BYTES);
                // A slow program would receive both kinds of handshake and mix up its answers.
                let how = ClientLifecycleMode::Initialize;
                let service = serve_client_with_lifecycle(me, wire, how).await;
                (Some(process), service)
            }
            Reached::Http { url, headers } => {
                let headers = headers.iter();
                let headers = headers.map(|(name, value)| header(server, name, value));
                let wire = http_transport(server, url, headers.collect::<Result<_, _>>()?)?;
                let how = ClientLifecycleMode::Auto {
                    preferred_versions: vec![ProtocolVersion::LATEST],
                    legacy_version: None,
                };
                (None, serve_client_with_lifecycle(me, wire, how).await)
            }
        };
        let service = service.map_err(|error| not_connected(server, &error))?;
        Ok(Self {
            server,
            service,
            process,
        })
    }

    /// The current descriptions of these tools, in order.
    pub async fn describe(&self, tools: &[&str]) -> Result<Vec<Described>> {
        let (mut found, mut others, mut cursor) = (HashMap::new(), Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let listed = self.service.list_tools(Some(page)).await;
            let listed = listed.map_err(|error| self.not_listed(&error))?;
            for tool in listed.tools {
                match tools.iter().find(|name| **name == tool.name) {
                    Some(name) => drop(found.entry(*name).or_insert(tool)),
                    None => others.push(tool.name),
                }
            }
            cursor = listed.next_cursor;
            if cursor.is_none() || found.len() == tools.len() {
                break;
            }
        }
        let described = tools.iter().map(|name| match found.get(name) {
            Some(tool) => self.described(tool),
            None => {
                let there_are = brief(others[..others.len().min(MOST_LISTED)].join(", "));
                let why = Why::NoTool((*name).to_owned(), there_are);
                Err(self.server.fails(why))
            }
        });
        described.collect()
    }

    /// A tool's description for the model.
    fn described(&self, tool: &Tool) -> Result<Described> {
        let wrong = |wrong| self.server.fails(Why::BadSchema(brief(&tool.name), wrong));
        let mut schema = Value::Object((*tool.input_schema).clone());
        if schema["type"] != "object" {
            return Err(wrong("isn't that of an object"));
        }
        invisible::remove_from(&mut schema);
        let text = canonical_json(&schema).map_err(|_| wrong("can't be written as JSON"))?;
        if text.len() > MOST_SCHEMA {
            return Err(wrong("is longer than 16 kB"));
        }
        // Values were cleaned, so remaining invisible characters are in field names.
        if invisible::removed(&text) != text {
            return Err(wrong("has characters in its names that nobody sees"));
        }
        let description = tool.description.as_deref().unwrap_or_default();
        Ok(Described {
            description: start_of(&invisible::removed(description), MOST_DESCRIPTION).0,
            schema,
        })
    }

    fn not_listed(&self, error: &ServiceError) -> ServerError {
        self.server.fails(match error {
            ServiceError::TransportClosed => Why::Ended,
            error => Why::NotMcp(brief(error)),
        })
    }

    /// Ends the session. A program is killed on drop.
    pub async fn close(mut self) {
        if self.process.is_none()
            && let Err(error) = self.service.close_with_timeout(GOODBYE).await
        {
            tracing::warn!(%error, "a session with an MCP server didn't end well");
        }
    }
}

fn http_transport(
    server: &Server,
    url: &str,
    headers: HashMap<HeaderName, HeaderValue>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>> {
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    if is_loopback(url) {
        client = client.no_proxy();
    }
    let client = client.build();
    let client = client.map_err(|error| server.fails(Why::NotStarted(brief(error))))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(headers)
        .max_sse_event_size(MOST_BYTES)
        .max_json_response_size(MOST_BYTES)
        // It would send a call a second time.
        .reinit_on_expired_session(false);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn header(server: &Server, name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    let text = variable(server, "headers", name, value)?;
    let bad = || server.fails(Why::BadValue(format!("headers.{name}")));
    let name = name.parse::<HeaderName>().map_err(|_| bad())?;
    let mut value = HeaderValue::from_str(&text).map_err(|_| bad())?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn variable(server: &Server, at: &str, name: &str, value: &str) -> Result<String> {
    let variable = |name: &str| (server.host.variable)(name).ok_or_else(|| name.to_owned());
    let filled = filled(value, variable);
    filled.map_err(|variable| server.fails(Why::NoVariable(format!("{at}.{name}"), variable)))
}

fn not_connected(server: &Server, error: &ClientInitializeError) -> ServerError {
    let is_program = matches!(server.reached, Reached::Stdio { .. });
    server.fails(match error {
        ClientInitializeError::ConnectionClosed(_) => Why::Ended,
        // A closed pipe.
        ClientInitializeError::TransportError { .. } if is_program => Why::Ended,
        error => Why::NotMcp(brief(error)),
    })
}
