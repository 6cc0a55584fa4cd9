//! A call of a script: each starts an engine of its own. `exports` is what naming a module costs when a program is bound.

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

use alfred_script::Script;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use std::hint::black_box;
use std::time::Instant;

const SUMS: &str = "export const add = ({a, b}) => a + b;
export const addSchema = {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}};";

fn calls(bench: &mut Criterion) {
    let script = Script::new("sums.js", SUMS);
    let argument = json!({"a": 1, "b": 2});
    let call = || script.call(&["add"], black_box(&argument)).expect("a sum");
    let began = Instant::now();
    call();
    println!("first call of the process: {:?}", began.elapsed());
    bench.bench_function("script/call", |bench| bench.iter(call));
    let exports = || script.exports().expect("exports");
    bench.bench_function("script/exports", |bench| bench.iter(exports));
}

criterion_group!(benches, calls);
criterion_main!(benches);
