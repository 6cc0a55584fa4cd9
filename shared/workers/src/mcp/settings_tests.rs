use super::*;
use alfred_testkit::cases;
use serde_json::json;

fn host() -> Host {
    Host {
        variable: |name| (name == "MCP_KEY").then(|| "sesame".to_owned()),
        ..Host::one_machine()
    }
}

/// Lines of `settings_cases.txt`: the servers, the tools, and the error or `ok` here and in a function.
#[test]
fn settings_are_checked_and_errors_name_the_field() {
    for case in include_str!("settings_cases.txt").lines() {
        let [servers, tools, here, in_function] = cases::columns(case);
        let config = format!(r#"{{"servers": {servers}, "tools": {tools}}}"#);
        let config: Value = serde_json::from_str(&config).unwrap();
        for (expected, host) in [(here, host()), (in_function, Host::function())] {
            let error = Settings::named(config.clone(), "", &host).err();
            assert_eq!(error.as_deref().unwrap_or("ok"), expected, "{case}");
        }
    }
    let config = json!({"servers": {"s": {"command": "x"}}, "tools": ["s/t"], "approval": {"tools": {"s/u": "ask"}}});
    let error = Settings::named(config, "", &host()).unwrap_err();
    assert_eq!(error, "approval.tools: \"s/u\" isn't among the tools");
}

#[test]
fn a_tool_has_a_name_that_every_provider_takes_and_its_own_approval() {
    let config = json!({
        "servers": {"far-away": {"url": "https://mcp.example/"}},
        "tools": ["far-away/look.up", "far-away/delete"],
        "approval": {"default": "ask", "tools": {"far-away/look.up": "preApproved"}},
    });
    let named = Settings::named(config, "", &host()).unwrap();
    let said = named.iter().map(|tool| (&*tool.name, tool.approval));
    let expected = [
        ("mcp__far-away__look_up", Some(Setting::PreApproved)),
        ("mcp__far-away__delete", Some(Setting::Ask)),
    ];
    assert_eq!(said.collect::<Vec<_>>(), expected);
}

#[test]
fn variables_are_looked_up_when_they_are_needed() {
    for (value, expected) in [
        ("Bearer ${MCP_KEY}!", Ok("Bearer sesame!")),
        ("plain $MCP_KEY", Ok("plain $MCP_KEY")),
        ("${MCP_OTHER}", Err("MCP_OTHER")),
    ] {
        let variable = |name: &str| (host().variable)(name).ok_or_else(|| name.to_owned());
        let filled = filled(value, variable);
        assert_eq!(filled.as_deref().map_err(String::as_str), expected);
    }
}
