use super::*;
use alfred_testkit::cases;
use serde_json::json;

/// Small limits, except for the time, which depends on the machine.
fn limits() -> Limits {
    Limits {
        memory: 4 << 20,
        time: Duration::from_secs(20),
        result: 1000,
        ..Limits::default()
    }
}

/// A short time. Nothing else is limited.
fn short() -> Limits {
    Limits {
        memory: 1 << 30,
        time: Duration::from_millis(100),
        ..limits()
    }
}

/// The result of calling `f` with `{"n": 3}`, or the error.
fn called(text: &str, limits: Limits) -> String {
    let script = Script {
        limits,
        ..Script::new("m.js", text)
    };
    match script.call(&["f"], &json!({"n": 3})) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_function_gives_json_or_says_why_not() {
    cases::check(include_str!("cases.txt"), |text| called(text, limits()));
    assert_eq!(called("\0", limits()), "m.js: a NUL character");
    // Nothing is left from the first call.
    let counts = "let n = 0; export const f = () => ++n";
    for _ in 0..2 {
        assert_eq!(called(counts, limits()), "1");
    }
}

/// The engine doesn't check the time in the last case, a search of some seconds, so its thread is left behind.
#[test]
fn what_takes_too_long_is_stopped() {
    for text in include_str!("endless_cases.txt").lines() {
        assert_eq!(called(text, short()), "stopped after 100 ms", "{text}");
    }
    // A script that catches errors of memory runs until its time is over.
    let caught = "export const f = () => { const a = []; for (;;) try { a.push([]) } catch {} }";
    let memory = limits().memory;
    let said = called(caught, Limits { memory, ..short() });
    assert_eq!(said, "stopped after 100 ms");
}

#[test]
fn memory_may_end_anywhere() {
    let busy = "export const f = ({n}) => JSON.stringify([...'abc'].map((c) => new Map([[c, n]]).size + c.match(/(?<x>.)/).groups.x))";
    let mut given = 0;
    for memory in (100_000..400_000).step_by(500) {
        let said = called(busy, Limits { memory, ..limits() });
        let ended = said.starts_with("stopped at ");
        let whole = said == r#""[\"1a\",\"1b\",\"1c\"]""#;
        assert!(ended || whole, "{memory}: {said}");
        given += usize::from(!ended);
    }
    assert!(given > 0);
}

#[test]
fn exports_are_looked_at() {
    let text = "export const add = () => 1, addSchema = {type: 'object'}, odd = 1n; export default {name: 'x', execute() {}};";
    let exports = Script::new("m.js", text).exports().unwrap();
    let said = exports.iter().map(|(name, export)| {
        let data = export.data.as_ref().map(Value::to_string);
        let (methods, data) = (&export.methods, data.unwrap_or_default());
        format!("{name} {} {methods:?} {data}", export.is_function)
    });
    let expected = [
        "add true [] ",
        r#"addSchema false [] {"type":"object"}"#,
        r#"default false ["execute"] {"name":"x"}"#,
        "odd false [] ",
    ];
    assert_eq!(said.collect::<Vec<_>>(), expected);
    let text = "export const t = {n: 2, run(a) { return this.n + a.n }}";
    let script = Script::new("m.js", text);
    assert_eq!(script.call(&["t", "run"], &json!({"n": 3})), Ok(json!(5)));
    let missing = script.call(&["t", "go", "on"], &json!({})).unwrap_err();
    let expected = r#"there is no function "t.go.on"; exported are: t"#;
    assert_eq!(missing.to_string(), expected);
}
