//! A worker file's settings of MCP servers, in the form of `.mcp.json`.

use crate::registry::{self, Approval, unknown};
use alfred_core::config::is_loopback;
use alfred_core::policy::{MCP_TOOLS, Setting};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::{ServerError, Why};
use super::host::Host;

/// Characters of a server's name.
const MOST_NAME: usize = 24;
/// Tools of one worker, since each costs tokens in every turn.
const MOST_TOOLS: usize = 40;
/// Longest tool name that every provider accepts.
const MOST_TOOL_NAME: usize = 64;
/// Prefix of usable variables: others aren't meant for servers.
const VARIABLES: &str = "MCP_";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    servers: BTreeMap<String, Entry>,
    tools: Vec<String>,
    #[serde(default, alias = "approvalConfig")]
    approval: Approval,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub name: String,
    pub reached: Reached,
    pub host: Host,
    /// The working directory of a program: the folder of the worker's file, if on disk.
    pub folder: Option<PathBuf>,
}

impl Server {
    pub fn fails(&self, why: Why) -> ServerError {
        let server = self.name.clone();
        ServerError { server, why }
    }
}

/// How a server is reached. Values may name variables, which are resolved when connecting.
#[derive(Clone, Debug)]
pub(crate) enum Reached {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
}

#[derive(Debug)]
pub(crate) struct Named {
    pub server: Server,
    /// The server's name for it.
    pub tool: String,
    /// The name for models.
    pub name: String,
    pub approval: Option<Setting>,
}

impl Settings {
    /// The tools that the worker file at `path` names, if all settings are usable here. The error names the field.
    pub fn named(config: Value, path: &str, host: &Host) -> Result<Vec<Named>, String> {
        let path = Path::new(path);
        let folder = path.parent().filter(|_| path.is_absolute());
        let settings: Self = registry::settings(config)?;
        let servers = settings.servers.into_iter();
        let servers = servers.map(|(name, entry)| entry.server(&name, folder, host));
        let servers: Vec<Server> = servers.collect::<Result<_, _>>()?;
        if settings.tools.is_empty() || settings.tools.len() > MOST_TOOLS {
            return Err(format!("tools: name 1 to {MOST_TOOLS}, as server/tool"));
        }
        for name in settings.approval.tools.keys() {
            if !settings.tools.contains(name) {
                return Err(format!("approval.tools: \"{name}\" isn't among the tools"));
            }
        }
        let tools = settings.tools.iter();
        let tools = tools.map(|path| named(path, &servers, settings.approval.of(path)));
        let tools: Vec<Named> = tools.collect::<Result<_, _>>()?;
        for (at, tool) in tools.iter().enumerate() {
            if tools[..at].iter().any(|other| other.name == tool.name) {
                let tool = &tool.tool;
                return Err(format!("tools: {tool} is named twice, or as another one"));
            }
        }
        Ok(tools)
    }
}

fn named(path: &str, servers: &[Server], approval: Option<Setting>) -> Result<Named, String> {
    let (server, tool) = path.split_once('/').unwrap_or_default();
    if tool.is_empty() {
        return Err(format!("tools: \"{path}\" isn't written as server/tool"));
    }
    let known = servers.iter().find(|known| known.name == server);
    let server = known.ok_or_else(|| {
        let reason = unknown("server", server, servers.iter().map(|known| &known.name));
        format!("tools: \"{path}\": {reason}")
    })?;
    let special = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let spelled = tool.replace(special, "_");
    let name = format!("{MCP_TOOLS}{}__{spelled}", server.name);
    if name.len() > MOST_TOOL_NAME {
        return Err(format!("tools: \"{path}\": the name is too long"));
    }
    Ok(Named {
        server: server.clone(),
        tool: tool.to_owned(),
        name,
        approval,
    })
}

impl Entry {
    fn server(self, name: &str, folder: Option<&Path>, host: &Host) -> Result<Server, String> {
        let wrong = |field: &str, why: &str| format!("servers.{name}{field}: {why}");
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || name.len() > MOST_NAME || !name.bytes().all(plain) {
            return Err(wrong("", "a name has 1 to 24 letters, digits and -"));
        }
        for (field, values) in [("env", &self.env), ("headers", &self.headers)] {
            for (key, value) in values {
                let checked = filled(value, |_| Ok(String::new()));
                checked.map_err(|why| wrong(&format!(".{field}.{key}"), &why))?;
            }
        }
        let is_header = |name: &&String| name.parse::<http::HeaderName>().is_ok();
        if let Some(key) = self.headers.keys().find(|name| !is_header(name)) {
            let reason = format!("\"{key}\" is no name of a header");
            return Err(wrong(".headers", &reason));
        }
        let has_secrets = self.headers.values().any(|value| value.contains("${"));
        let reached = match (self.command, self.url) {
            (Some(_), Some(_)) | (None, None) => {
                return Err(wrong("", "needs either a command or a url"));
            }
            (Some(_), None) if !self.headers.is_empty() => {
                return Err(wrong(".headers", "belong to a url"));
            }
            (None, Some(_)) if !self.args.is_empty() || !self.env.is_empty() => {
                return Err(wrong("", "args and env belong to a command"));
            }
            (Some(_), None) if !host.one_machine => {
                let reason = "servers are started on one machine only; name one by its url";
                return Err(wrong(".command", reason));
            }
            (None, Some(_)) if !host.one_machine && has_secrets => {
                let reason =
                    "secrets are read on one machine only; on AWS a server must do without";
                return Err(wrong(".headers", reason));
            }
            (Some(command), None) => Reached::Stdio {
                command,
                args: self.args,
                env: self.env,
            },
            (None, Some(url)) => {
                check_url(&url, host).map_err(|why| wrong(".url", why))?;
                Reached::Http {
                    url,
                    headers: self.headers,
                }
            }
        };
        Ok(Server {
            name: name.to_owned(),
            reached,
            host: host.clone(),
            folder: folder.map(Path::to_owned),
        })
    }
}

fn check_url(url: &str, host: &Host) -> Result<(), &'static str> {
    let parsed = reqwest::Url::parse(url).map_err(|_| "this is no address")?;
    if !parsed.username().is_empty() || parsed.password().is_some() || url.contains("${") {
        return Err("secrets don't belong in the URL: put them in a header, as ${MCP_NAME}");
    }
    match parsed.scheme() {
        "https" => Ok(()),
        "http" if host.one_machine && is_loopback(url) => Ok(()),
        _ => Err("needs https"),
    }
}

/// Replaces `${NAME}` in a value by `variable`. The error is that of `variable`, or names the mistake.
pub(crate) fn filled(
    value: &str,
    variable: impl Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let (mut text, mut rest) = (String::new(), value);
    while let Some((before, behind)) = rest.split_once("${") {
        let (name, after) = behind.split_once('}').ok_or("a ${ without its }")?;
        if !name.starts_with(VARIABLES) {
            return Err(format!(
                "{name} can't be named here: names of variables for servers begin with {VARIABLES}"
            ));
        }
        text.push_str(before);
        text.push_str(&variable(name)?);
        rest = after;
    }
    Ok(text + rest)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
