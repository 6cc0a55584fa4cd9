use super::*;
use crate::{Registry, program};
use alfred_agent::Agent;
use alfred_agent::model::{Snapshot, Source};

const SUMS: &str = "export const add = ({a, b}) => a + b;
export const addSchema = {type: 'object', description: 'Adds.', properties: {a: {type: 'number'}}};
export const bare = () => 1, bareSchema = {type: 'object'}, alone = () => 1, text = 'x';
export const odd = () => 1, oddSchema = {type: 'string'};
export const bad = () => 1, badSchema = {type: 'object', required: 'a'};
export const cyclic = () => 1, cyclicSchema = {}; cyclicSchema.of = cyclicSchema;
const parameters = {type: 'object'};
export const full = {name: 'sum_up', description: 'Sums up.', inputSchema: parameters, needsApproval: false, execute: () => 1};
export const asks = {parameters, needsApproval: true, run: () => 1};
export const idle = {parameters}, spaced = {name: 'a b', parameters, run() {}};
export const large = {parameters, needsApproval: async ({n}) => n == 13 ? gone() : n > 9 && n != 20, run() {}};
export const strange = {parameters, colour: 'red', run() {}};";

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
    bound(
        Registry::of(&[]).with_modules_of_programs(),
        "p/sums.js",
        SUMS,
        custom,
    )
}

#[test]
fn exports_become_tools() {
    for (export, expected) in [
        (
            "add",
            r#"add: Adds. {"properties":{"a":{"type":"number"}},"type":"object"}"#,
        ),
        (
            "bare",
            r#"bare: bare, a function of this worker. {"type":"object"}"#,
        ),
        ("full", r#"sum_up: Sums up. {"type":"object"}"#),
        (
            "asks",
            r#"asks: asks, a function of this worker. {"type":"object"}"#,
        ),
    ] {
        let agent = own(&format!("{{module: ./sums, tools: [{export}]}}")).unwrap();
        let specs = agent.tools.specs(
            alfred_core::Role::Guest,
            &alfred_agent::tool::toolsets::Toolsets::All,
            false,
        );
        let [spec] = &*specs else {
            panic!("{export}: {specs:?}")
        };
        let said = format!("{}: {} {}", spec.name, spec.description, spec.parameters);
        assert_eq!(said, expected);
    }
}

#[test]
fn what_makes_no_tool_is_named() {
    let exports = "add, addSchema, alone, asks, bad, badSchema, bare, bareSchema, cyclic, cyclicSchema, full, idle, large, odd, oddSchema, spaced, strange, text";
    let missing = format!("tools: the module doesn't export \"gone\"; it exports: {exports}");
    for (custom, expected) in [
        ("{module: sums, tools: [gone]}", &*missing),
        (
            "{module: sums, tools: []}",
            "tools: is empty, so nothing could be called; leave the toolset out",
        ),
        ("{tools: [add]}", "missing field `module`"),
        (
            "{module: sums, tools: [add], colour: red}",
            "unknown field `colour`, expected one of `module`, `tools`, `approval`",
        ),
        (
            "{module: sums.ts, tools: [add]}",
            "module: \"sums.ts\" is no JavaScript: its name must end in .js",
        ),
        (
            "{module: /p/sums.js, tools: [add]}",
            "module: \"/p/sums.js\" must be a path relative to the worker's file",
        ),
        (
            "{module: other, tools: [add]}",
            "module: \"other\" isn't there",
        ),
        (
            "{module: sums, tools: [alone]}",
            "tools: the function alone needs a JSON Schema beside it, exported as aloneSchema",
        ),
        (
            "{module: sums, tools: [cyclic]}",
            "tools: the function cyclic needs a JSON Schema beside it, exported as cyclicSchema",
        ),
        (
            "{module: sums, tools: [odd]}",
            "tools: odd: its schema must be a JSON Schema with `type: \"object\"`",
        ),
        (
            "{module: sums, tools: [bad]}",
            "tools: bad: its schema: \"a\" is not of type \"array\"",
        ),
        (
            "{module: sums, tools: [text]}",
            "tools: text is neither a function nor an object with a schema and a function `execute` or `run`",
        ),
        (
            "{module: sums, tools: [idle]}",
            "tools: idle is neither a function nor an object with a schema and a function `execute` or `run`",
        ),
        (
            "{module: sums, tools: [spaced]}",
            "tools: \"a b\" can't be called: a name of 64 letters, digits, - and _ at most can",
        ),
        (
            "{module: sums, tools: [strange]}",
            "tools: strange: unknown field `colour`, expected one of `name`, `description`, `inputSchema`, `parameters`, `needsApproval`",
        ),
        (
            "{module: sums, tools: [full], approval: {tools: {full: ask}}}",
            "approval: there is no tool \"full\"; there are: sum_up",
        ),
        (
            "{module: sums, tools: [add], approval: {default: maybe}}",
            "unknown variant `maybe`, expected one of `preApproved`, `ask`, `blocked`",
        ),
    ] {
        let said = own(custom).err().unwrap_or_default();
        assert_eq!(
            said,
            format!("worker a: toolsets.custom: {expected}"),
            "{custom}"
        );
    }
    let twice = own("{module: sums, tools: [add, add]}").err();
    assert_eq!(twice.as_deref(), Some("worker a: two tools are called add"));
}

#[test]
fn a_broken_module_is_named_with_its_place() {
    for (module, expected) in [
        (
            "let a = 1;\nlet b = a +* 2",
            "sums:2:12: SyntaxError: unexpected token in expression: '*'",
        ),
        ("for (;;);", "stopped after 1000 ms"),
        ("import 'fs'", "a module can't import anything: fs"),
    ] {
        let registry = Registry::of(&[]).with_modules_of_programs();
        let said = bound(
            registry,
            "p/sums.js",
            module,
            "{module: sums, tools: [add]}",
        )
        .err();
        assert_eq!(
            said.unwrap_or_default(),
            format!("worker a: toolsets.custom: module: {expected}")
        );
    }
}

#[test]
fn the_file_and_the_tool_say_together_who_is_asked() {
    use Setting::{Ask, Blocked, PreApproved};
    for (tool, said, expected) in [
        ("bare", "{}", Ask),
        ("bare", "{default: preApproved}", PreApproved),
        (
            "bare",
            "{default: preApproved, tools: {bare: blocked}}",
            Blocked,
        ),
        ("full", "{}", PreApproved),
        ("full", "{default: ask}", Ask),
        ("asks", "{}", Ask),
        ("asks", "{default: preApproved}", Ask),
        ("asks", "{default: blocked}", Blocked),
    ] {
        let agent = own(&format!(
            "{{module: sums, tools: [{tool}], approval: {said}}}"
        ))
        .unwrap();
        let kept: Vec<Setting> = agent.approval.into_values().collect();
        assert_eq!(kept, [expected], "{tool} {said}");
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
        let agent = own(&format!(
            "{{module: sums, tools: [large], approval: {approval}}}"
        ))
        .unwrap();
        let said = agent
            .tools
            .get("large")
            .unwrap()
            .setting(&json!({ "n": n }));
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
        assert_eq!(
            bound(Registry::of(&[]), path, SUMS, &custom).err(),
            Some(wrong)
        );
        let registry = Registry::of(&[]).with_modules_of_programs();
        assert!(bound(registry, path, SUMS, &custom).is_ok(), "{module}");
    }
    // A run uses the text that was built in when it began.
    let custom = "{module: ../data/figures, tools: [add]}";
    assert!(bound(Registry::of(&[]), "data/figures.js", SUMS, custom).is_ok());
}
