use super::*;
use serde_json::json;

fn host() -> Host {
    let variables = |name: &str| (name == "MCP_KEY").then(|| "sesame".to_owned());
    Host::one_machine().with_variables(variables)
}

#[test]
fn what_a_worker_says_about_servers_is_checked() {
    let ok = json!({"command": "x"});
    let long = "t".repeat(60);
    let far = "https://mcp.example/";
    for (servers, tools, expected) in [
        (
            json!({"s": {}}),
            json!(["s/t"]),
            "servers.s: needs either a command or a url",
        ),
        (
            json!({"s": {"command": "x", "url": far}}),
            json!(["s/t"]),
            "servers.s: needs either a command or a url",
        ),
        (
            json!({"s": {"command": "x", "headers": {"A": "b"}}}),
            json!(["s/t"]),
            "servers.s.headers: belong to a url",
        ),
        (
            json!({"s": {"url": far, "args": ["x"]}}),
            json!(["s/t"]),
            "servers.s: args and env belong to a command",
        ),
        (
            json!({"s": {"url": "http://mcp.example/"}}),
            json!(["s/t"]),
            "servers.s.url: needs https",
        ),
        (
            json!({"s": {"url": "file:///etc/passwd"}}),
            json!(["s/t"]),
            "servers.s.url: needs https",
        ),
        (
            json!({"s": {"url": "https://a:b@mcp.example/"}}),
            json!(["s/t"]),
            "servers.s.url: what nobody may read belongs into a header, as ${MCP_NAME}",
        ),
        (
            json!({"s": {"url": "https://mcp.example/?key=${MCP_KEY}"}}),
            json!(["s/t"]),
            "servers.s.url: what nobody may read belongs into a header, as ${MCP_NAME}",
        ),
        (
            json!({"s": {"url": far, "headers": {"A": "${OPENAI_API_KEY}"}}}),
            json!(["s/t"]),
            "servers.s.headers.A: OPENAI_API_KEY can't be named here: names of variables for servers begin with MCP_",
        ),
        (
            json!({"s": {"command": "x", "env": {"A": "${MCP_"}}}),
            json!(["s/t"]),
            "servers.s.env.A: a ${ without its }",
        ),
        (
            json!({"s": {"url": far, "headers": {"A B": "c"}}}),
            json!(["s/t"]),
            "servers.s.headers: \"A B\" is no name of a header",
        ),
        (
            json!({"a_b": {"command": "x"}}),
            json!(["a_b/t"]),
            "servers.a_b: a name has 1 to 24 letters, digits and -",
        ),
        (
            json!({"s": {"command": "x", "colour": 1}}),
            json!(["s/t"]),
            "unknown field `colour`, expected one of `command`, `args`, `env`, `url`, `headers`",
        ),
        (
            json!({"s": ok}),
            json!([]),
            "tools: name 1 to 40, as server/tool",
        ),
        (
            json!({"s": ok}),
            json!(["t"]),
            "tools: \"t\" isn't written as server/tool",
        ),
        (
            json!({"s": ok}),
            json!(["o/t"]),
            "tools: \"o/t\": there is no server \"o\"; there are: s",
        ),
        (
            json!({"s": ok}),
            json!(["s/t.x", "s/t_x"]),
            "tools: t_x is named twice, or as another one",
        ),
        (
            json!({"s": ok}),
            json!([format!("s/{long}")]),
            &format!("tools: \"s/{long}\": the name is too long"),
        ),
    ] {
        let config = json!({"servers": servers, "tools": tools});
        let said = Settings::named(config.clone(), &host()).unwrap_err();
        assert_eq!(said, expected, "{config}");
    }
    let config =
        json!({"servers": {"s": ok}, "tools": ["s/t"], "approval": {"tools": {"s/u": "ask"}}});
    let said = Settings::named(config, &host()).unwrap_err();
    assert_eq!(said, "approval.tools: \"s/u\" isn't among the tools");
}

#[test]
fn a_function_starts_nothing_calls_nothing_on_itself_and_reads_no_secrets() {
    for (server, expected) in [
        (
            json!({"command": "x"}),
            "servers.s.command: servers are started on one machine only; name one by its url",
        ),
        (
            json!({"url": "http://127.0.0.1:1/"}),
            "servers.s.url: needs https",
        ),
        (
            json!({"url": "https://mcp.example/", "headers": {"A": "${MCP_KEY}"}}),
            "servers.s.headers: secrets are read on one machine only; on AWS a server must do without",
        ),
    ] {
        let config = json!({"servers": {"s": server}, "tools": ["s/t"]});
        let said = Settings::named(config.clone(), &Host::function()).unwrap_err();
        assert_eq!(said, expected);
        assert!(Settings::named(config, &host()).is_ok());
    }
}

#[test]
fn a_tool_has_a_name_that_every_provider_takes_and_its_own_approval() {
    let config = json!({
        "servers": {"far-away": {"url": "https://mcp.example/"}},
        "tools": ["far-away/look.up", "far-away/delete"],
        "approval": {"default": "ask", "tools": {"far-away/look.up": "preApproved"}},
    });
    let named = Settings::named(config, &host()).unwrap();
    let said: Vec<_> = named
        .iter()
        .map(|tool| (&*tool.name, tool.approval))
        .collect();
    let expected = [
        ("mcp__far-away__look_up", Some(Setting::PreApproved)),
        ("mcp__far-away__delete", Some(Setting::Ask)),
    ];
    assert_eq!(said, expected);
}

#[test]
fn variables_are_looked_up_when_they_are_needed() {
    for (value, expected) in [
        ("Bearer ${MCP_KEY}!", Ok("Bearer sesame!")),
        ("plain $MCP_KEY", Ok("plain $MCP_KEY")),
        ("${MCP_OTHER}", Err("MCP_OTHER")),
    ] {
        let filled = filled(value, &host());
        assert_eq!(filled.as_deref().map_err(String::as_str), expected);
    }
}
