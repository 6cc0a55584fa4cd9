use super::*;
use serde_json::json;

/// Small ones, but for the time, which others take too.
fn limits() -> Limits {
    Limits {
        memory: 4 << 20,
        time: Duration::from_secs(20),
        result: 1000,
        ..Limits::default()
    }
}

/// For what runs into its time and nothing else.
fn short() -> Limits {
    Limits {
        memory: 1 << 30,
        time: Duration::from_millis(100),
        ..limits()
    }
}

/// What calling `f` with `{"n": 3}` gives, or why it gives nothing.
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

/// Table of what is behind `export const f = ` and what comes of calling it.
fn check(limits: Limits, table: &[(&str, &str)]) {
    for (function, expected) in table {
        let said = called(&format!("export const f = {function}"), limits);
        assert_eq!(said, *expected, "{function}");
    }
}

#[test]
fn a_function_gives_json_or_says_why_not() {
    check(
        limits(),
        &[
            ("({n}) => n + 1", "4"),
            (
                "async ({n}) => { await 0; return {n, s: 'ü'} }",
                r#"{"n":3,"s":"ü"}"#,
            ),
            (
                "() => { throw new RangeError('no') }",
                "m.js:1:36: RangeError: no",
            ),
            ("() => {\n throw 'no' }", "m.js: no"),
            (
                "() => {\n null.x }",
                "m.js:2:2: TypeError: cannot read property 'x' of null",
            ),
            (
                "async () => { await 0; null.x }",
                "m.js:1:40: TypeError: cannot read property 'x' of null",
            ),
            (
                "() => { throw Symbol() }",
                "m.js: something that has no words",
            ),
            ("1", r#"there is no function "f"; exported are: f"#),
            ("() => {}", "its result isn't JSON: it is undefined"),
            ("() => f", "its result isn't JSON: it is undefined"),
            (
                "() => 1 / 0",
                "its result isn't JSON: TypeError: it is Infinity",
            ),
            (
                "() => ({a: NaN})",
                "its result isn't JSON: TypeError: a is NaN",
            ),
            (
                "() => 1n",
                "its result isn't JSON: TypeError: BigInt are forbidden in JSON.stringify",
            ),
            (
                "() => { const a = {}; a.a = a; return a }",
                "its result isn't JSON: TypeError: circular reference",
            ),
            (
                "() => '\\ud800'",
                "its result isn't JSON: unexpected end of hex escape at line 1 column 8",
            ),
            (
                "() => 'x'.repeat(2000)",
                "its result has 2002 bytes of JSON; 1000 at most",
            ),
        ],
    );
    for (text, expected) in [
        (
            "export const g = 1, h = 2",
            r#"there is no function "f"; exported are: g, h"#,
        ),
        (
            "let a = 1;\nlet b = a +* 2",
            "m.js:2:12: SyntaxError: unexpected token in expression: '*'",
        ),
        ("\0", "m.js: a NUL character"),
        ("\n throw new Error('at once')", "m.js:2:12: Error: at once"),
        ("import fs from 'fs'", "a module can't import anything: fs"),
        (
            "await import('./other.js')",
            "a module can't import anything: other.js",
        ),
    ] {
        assert_eq!(called(text, limits()), expected, "{text}");
    }
}

#[test]
fn what_takes_too_long_is_stopped() {
    for text in [
        "for (;;);",
        "export const f = () => { for (;;); }",
        "export const f = () => { try { for (;;); } catch {} finally { for (;;); } }",
        "export const f = async () => { for (;;) await 0 }",
        "export const f = async () => { for (;;) try { await (async () => { for (;;); })() } catch {} }",
        "export const f = () => /(a+)+$/.test('a'.repeat(40) + 'b')",
        "export const f = () => Array.prototype.indexOf.call({length: 1e15}, 1)",
        "export const f = () => ({toJSON() { for (;;); }})",
        "export const f = () => { throw {toString() { for (;;); }} }",
        // A search that looks at no time, and takes some seconds: its thread is left behind.
        "export const f = () => 'a'.repeat(1e6).indexOf('a'.repeat(5e5) + 'b')",
    ] {
        assert_eq!(called(text, short()), "stopped after 100 ms", "{text}");
    }
}

#[test]
fn what_needs_too_much_is_stopped() {
    let full = "stopped at 4096 KB of memory";
    let waits = "it waits for a promise that nothing keeps";
    check(
        limits(),
        &[
            (
                "() => { const a = []; for (;;) a.push('x'.repeat(1000) + a.length) }",
                full,
            ),
            ("() => new Uint8Array(1e9)", full),
            ("() => { let a = []; for (;;) a = [a] }", full),
            ("() => f()", "its calls go too deep"),
            ("() => new Promise(() => {})", waits),
        ],
    );
    for (text, expected) in [
        ("await new Promise(() => {})", waits),
        (
            "export const f = () => 1; export default 'x'.repeat(1 << 22)",
            full,
        ),
    ] {
        assert_eq!(called(text, limits()), expected, "{text}");
    }
    // What is caught goes on, until its time is over.
    let caught = "export const f = () => { const a = []; for (;;) try { a.push([]) } catch {} }";
    let said = called(
        caught,
        Limits {
            memory: 4 << 20,
            ..short()
        },
    );
    assert_eq!(said, "stopped after 100 ms");
}

#[test]
fn two_runs_are_the_same_and_text_is_no_code() {
    let refused = "TypeError: text can't be run as code";
    check(
        limits(),
        &[
            (
                "() => Date.now()",
                "m.js:1:24: ReferenceError: Date is not defined",
            ),
            (
                "() => Math.random()",
                "m.js:1:28: TypeError: not a function",
            ),
            ("() => eval('1')", &format!("m.js:1:23: {refused}")),
            (
                "() => new Function('return 1')()",
                &format!("m.js:1:28: {refused}"),
            ),
            (
                "() => (async () => {}).constructor('return 1')()",
                &format!("m.js:1:40: {refused}"),
            ),
            ("() => f instanceof Function", "true"),
            (
                "() => ['fetch', 'require', 'process', 'std', 'os', 'console', 'setTimeout', 'performance', 'WeakRef', 'Atomics', 'Intl']\
             .filter((name) => name in globalThis)",
                "[]",
            ),
        ],
    );
    let counts = "let n = 0; export const f = () => ++n";
    for _ in 0..2 {
        assert_eq!(called(counts, limits()), "1");
    }
}

#[test]
fn memory_may_end_anywhere() {
    let busy = "export const f = ({n}) => JSON.stringify([...'abc'].map((c) => new Map([[c, n]]).size + c.match(/(?<x>.)/).groups.x))";
    let mut given = 0;
    for memory in (100_000..400_000).step_by(500) {
        let said = called(busy, Limits { memory, ..limits() });
        let ended = said.starts_with("stopped at ");
        assert!(
            ended || said == r#""[\"1a\",\"1b\",\"1c\"]""#,
            "{memory}: {said}"
        );
        given += usize::from(!ended);
    }
    assert!(given > 0);
}

#[test]
fn exports_are_looked_at() {
    let text = "export const add = () => 1, addSchema = {type: 'object'}, odd = 1n; export default {name: 'x', execute() {}};";
    let exports = Script::new("m.js", text).exports().unwrap();
    let said: Vec<String> = exports
        .iter()
        .map(|(name, export)| {
            let data = export.data.as_ref().map(Value::to_string);
            format!(
                "{name} {} {:?} {}",
                export.callable,
                export.methods,
                data.unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            "add true [] ",
            r#"addSchema false [] {"type":"object"}"#,
            r#"default false ["execute"] {"name":"x"}"#,
            "odd false [] ",
        ]
    );
    let script = Script::new(
        "m.js",
        "export const t = {n: 2, run(a) { return this.n + a.n }}",
    );
    assert_eq!(script.call(&["t", "run"], &json!({"n": 3})), Ok(json!(5)));
    let missing = script.call(&["t", "go", "on"], &json!({}));
    assert_eq!(
        missing.unwrap_err().to_string(),
        r#"there is no function "t.go.on"; exported are: t"#
    );
}
