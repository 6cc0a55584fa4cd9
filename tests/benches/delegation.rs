//! Measures a delegation against the same number of model calls by one worker: thread CPU time and store
//! calls. Batches of both alternate; `BENCH_BATCHES` sets their number.

#![allow(missing_docs, clippy::expect_used, reason = "a benchmark")]

mod loop_world;

use alfred_agent::model::Snapshot;
use alfred_agent::tool::delegate;
use alfred_agent::{Ports, Program};
use alfred_core::ports::{Clock, Message, Model, Store, SystemClock, Turn, TurnRequest};
use alfred_testkit::{Faults, MemoryStore, ScriptedModel, calls, says};
use alfred_workers::Registry;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use loop_world::{agent, ports, run_once, with};

const LEAD: &str = "You hand work on.";
/// Runs per batch, because the kernel updates a thread's CPU time only now and then.
const BATCH: usize = 50;
const KINDS: [&str; 3] = ["store.get", "store.query", "store.commit"];

/// A lead that delegates the request to the worker with the tool.
fn team() -> Program {
    let lead = with(LEAD, delegate::to("hand", "Tells the time.", false, None));
    Program {
        workers: BTreeMap::from([("hand".to_owned(), agent().own)]),
        ..lead.into()
    }
}

/// A model whose worker calls the tool `times` times and then answers.
fn model(times: usize) -> Arc<dyn Model> {
    Arc::new(ScriptedModel::answering(move |request| {
        Ok(turn(request, times))
    }))
}

fn turn(request: &TurnRequest, times: usize) -> Turn {
    let answered = |message: &&Message| matches!(message, Message::Tool { .. });
    let done = request.messages.iter().filter(answered).count();
    let leads = matches!(&request.messages[0], Message::System { text } if &**text == LEAD);
    let id = format!("{}{done}", if leads { "lead" } else { "call" });
    match (leads, done) {
        (true, 0) => calls(&[(&id, "hand", r#"{"input": "What time is it?"}"#)]),
        (false, done) if done < times => calls(&[(&id, "get_time", r#"{"tz": "UTC"}"#)]),
        _ => says("It is noon."),
    }
}

/// Reads and binds a team's worker files, as every process that continues a run does.
fn bind(team: &Snapshot) {
    let catalogue = alfred_tools::catalogue();
    alfred_workers::program(team, &Registry::of(&catalogue)).expect("the team's files");
}

fn used() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanos = stat.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.expect("a number"))
}

struct Subject {
    name: &'static str,
    ports: Ports,
    program: Arc<Program>,
    counted: Faults,
    took: Vec<Duration>,
}

fn subject(name: &'static str, times: usize, program: Program) -> Subject {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let counted = Faults::default();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock));
    Subject {
        name,
        ports: ports(counted.before(store), model(times)),
        program: Arc::new(program),
        counted,
        took: Vec::new(),
    }
}

fn median(mut batches: Vec<Duration>) -> Duration {
    batches.sort_unstable();
    batches[batches.len() / 2] / u32::try_from(BATCH).expect("a small number")
}

fn files(team: &str) -> Snapshot {
    let paths = alfred_workers::programs::workers_of(team).into_iter();
    let texts = paths.filter_map(|path| Some((alfred_workers::programs::worker(&path)?, path)));
    let texts: Vec<_> = texts.collect();
    Snapshot::of(team, texts.iter().map(|(text, path)| (&**path, &**text)))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let batches = std::env::var("BENCH_BATCHES").ok();
    let batches: usize =
        batches.map_or(12, |many| many.parse().expect("BENCH_BATCHES is a number"));
    let mut subjects = [
        subject("one worker, 2 model calls", 1, agent()),
        subject("one worker, 4 model calls", 3, agent()),
        subject("handed on, 4 model calls", 1, team()),
    ];
    let (research, mut bound) = (files("research"), Vec::new());
    for batch in 0..batches {
        for subject in &mut subjects {
            let before = used();
            for n in 0..BATCH {
                run_once(&subject.ports, &subject.program, batch * BATCH + n).await;
            }
            subject.took.push(used() - before);
        }
        let before = used();
        (0..BATCH).for_each(|_| bind(&research));
        bound.push(used() - before);
    }
    println!("a team of three bound from its files: {:?}", median(bound));
    for subject in subjects {
        let runs = batches * BATCH;
        let counts = KINDS.map(|kind| format!("{kind} {}", subject.counted.calls(kind) / runs));
        let took = median(subject.took);
        println!("{}: {took:?}, {}", subject.name, counts.join(", "));
    }
}
