use super::*;
use crate::{Registry, program};
use alfred_agent::Agent;
use alfred_agent::model::{Snapshot, Source};
use alfred_agent::tool::toolsets::Toolsets;
use alfred_core::Role;
use alfred_testkit::cases;

const SUMS: &str = include_str!("custom_tests.js");

/// The only worker of a program with this module.
fn bound(registry: Registry<'_>, path: &str, module: &str, custom: &str) -> Result<Agent, String> {
    let front = format!("name: a\ntoolsets: {{custom: {custom}}}\ninstructions: x");
    let mut snapshot = Snapshot::of("p", [("p/a.worker", &*front)]);
    snapshot.beside.push(Source {
        path: path.into(),
        text: module.into(),
    });
    let program = program(&snapshot, &registry).map_err(|error| error.to_string())?;
    Ok(program.own)
}

fn own(custom: &str) -> Result<Agent, String> {
    let registry = Registry::of(&[]).with_modules_of_programs();
    bound(registry, "p/sums.js", SUMS, custom)
}

#[test]
fn exports_become_tools_or_the_error_is_named() {
    cases::check(include_str!("custom_cases.txt"), |custom| {
        let agent = match own(custom) {
            Ok(agent) => agent,
            Err(error) => return error.replace("worker a: toolsets.custom: ", ""),
        };
        let specs = agent.tools.specs(Role::Guest, &Toolsets::All, false);
        let [spec] = &*specs else {
            panic!("{custom}: {specs:?}")
        };
        let approval = agent.approval[&*spec.name];
        let (name, description) = (&spec.name, &spec.description);
        format!("{name}: {description} {} {approval:?}", spec.parameters)
    });
}

#[test]
fn a_broken_module_is_named_with_its_place() {
    let broken = "let a = 1;\nlet b = a +* 2";
    let syntax = "sums:2:12: SyntaxError: unexpected token in expression: '*'";
    for (module, expected) in [
        (broken, syntax),
        ("for (;;);", "stopped after 1000 ms"),
        ("import 'fs'", "a module can't import anything: fs"),
    ] {
        let registry = Registry::of(&[]).with_modules_of_programs();
        let custom = "{module: sums, tools: [add]}";
        let said = bound(registry, "p/sums.js", module, custom).err();
        let expected = format!("worker a: toolsets.custom: module: {expected}");
        assert_eq!(said, Some(expected));
    }
}

#[test]
fn a_tool_may_say_of_each_call_whether_it_is_asked_about() {
    use Setting::{Ask, PreApproved};
    for (approval, n, expected) in [
        ("{}", 1, [None, Some(PreApproved)]),
        ("{}", 10, [None, Some(Ask)]),
        ("{}", 13, [None, Some(Ask)]),
        ("{default: ask}", 20, [Some(Ask), Some(PreApproved)]),
    ] {
        let custom = format!("{{module: sums, tools: [large], approval: {approval}}}");
        let agent = own(&custom).unwrap();
        let large = agent.tools.get("large").unwrap();
        let said = large.setting(&json!({ "n": n }));
        let kept = agent.approval.get("large").copied();
        assert_eq!([kept, said], expected, "{approval} {n}");
    }
}

#[test]
fn only_built_in_modules_run_where_nothing_else_is_said() {
    for (path, module) in [
        ("p/sums.js", "sums"),
        ("sums.js", "../sums"),
        ("../sums.js", "../../sums"),
    ] {
        let custom = format!("{{module: {module}, tools: [add]}}");
        let wrong = format!(
            "worker a: toolsets.custom: module: \"{module}\" isn't built in, and only built-in modules run here"
        );
        let said = bound(Registry::of(&[]), path, SUMS, &custom).err();
        assert_eq!(said, Some(wrong));
        let registry = Registry::of(&[]).with_modules_of_programs();
        assert!(bound(registry, path, SUMS, &custom).is_ok(), "{module}");
    }
    // A run uses the text that was built in when it began.
    let custom = "{module: ../data/figures, tools: [add]}";
    assert!(bound(Registry::of(&[]), "data/figures.js", SUMS, custom).is_ok());
}
