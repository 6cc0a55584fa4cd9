//! Kills each function at every call of a request, before and after the call's effect. Each request still gets one
//! answer, and nothing is lost or done twice.

use alfred_agent::model::Session;
use alfred_agent::{LoadedRun, RunState};
use alfred_core::{RunId, SessionId, keys};
use alfred_slack_local::Message;
use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_tests::story;
use serde_json::Value;
use std::collections::HashMap;
use std::iter::Enumerate;
use std::sync::{Arc, Mutex};
use std::vec::IntoIter;
use tokio::task::JoinSet;

use crate::lambdas::wire::{Call, Moment, Point};
use crate::lambdas::world::World;
use crate::lambdas::{logs, process, run};
use crate::sample::{all_faults, fault_seed};

/// One in this many kills at reads runs without `FAULT_ALL`.
const READS_SAMPLED: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scenario {
    /// One worker, two tools that write.
    Tasks,
    /// A team, which calls a tool.
    Team,
}

#[derive(Clone, Debug)]
struct Case {
    scenario: Scenario,
    point: Point,
    cold: bool,
}

impl Scenario {
    fn request(self, mark: &str) -> String {
        match self {
            Self::Tasks => format!("Make two tasks {mark}"),
            Self::Team => format!("Plan a campaign {mark}"),
        }
    }

    fn answer(self, mark: &str) -> String {
        match self {
            Self::Tasks => format!("This is it {mark}."),
            Self::Team => format!("The part of marketing {mark}."),
        }
    }
}

#[test]
fn a_function_killed_at_any_call_loses_and_repeats_nothing() {
    run(async {
        let worlds = World::for_kills().await;
        let cases = cases(&worlds[0]).await;
        assert!(cases.len() >= 60, "{}", cases.len());
        let cases = Cases::new(sampled(cases, |case| &case.point));
        side_by_side(&worlds, |world, number| share(world, number, cases.clone())).await;
    });
}

/// Runs one task per deployment. The first panic ends the others.
pub async fn side_by_side<F>(worlds: &[Arc<World>], share: impl Fn(Arc<World>, usize) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut shares = JoinSet::new();
    for (number, world) in worlds.iter().enumerate() {
        shares.spawn(share(world.clone(), number));
    }
    while let Some(share) = shares.join_next().await {
        share.unwrap();
    }
}

/// A shared queue of numbered cases for all deployments.
pub struct Cases<T>(Mutex<Enumerate<IntoIter<T>>>);

impl<T> Cases<T> {
    pub fn new(cases: Vec<T>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(cases.into_iter().enumerate())))
    }

    pub fn take(&self) -> Option<(usize, T)> {
        self.0.lock().unwrap().next()
    }
}

/// All kills at writes, and a sample of the others chosen by `FAULT_SEED`.
pub fn sampled<T>(mut cases: Vec<T>, point: impl Fn(&T) -> &Point) -> Vec<T> {
    let (seed, all) = (fault_seed(), all_faults());
    let found = cases.len();
    let mut reads = seed;
    cases.retain(|case| {
        if all || writes(&point(case).operation) {
            return true;
        }
        reads += 1;
        reads.is_multiple_of(READS_SAMPLED)
    });
    println!("{} of {found} kills, FAULT_SEED={seed}", cases.len());
    cases
}

/// Runs the scenarios once without faults, and returns a case per call.
async fn cases(world: &World) -> Vec<Case> {
    let starting = calls_of(world, Scenario::Tasks, "[start]").await;
    let mut cases = points(Scenario::Tasks, &starting, is_start);
    let team = calls_of(world, Scenario::Team, "[plain1]").await;
    cases.extend(points(Scenario::Team, &team, |call| {
        is_start(call) && call.caller.function.ends_with("team-manager")
    }));
    for case in &mut cases {
        case.cold = true;
    }
    let is_look =
        |call: &&Call| call.operation == LOOK && call.caller.function.ends_with("classifier");
    let looks = team.iter().filter(is_look).count();
    let simple = calls_of(world, Scenario::Tasks, "[plain2]").await;
    cases.extend(points(Scenario::Tasks, &simple, |_| true));
    let team = calls_of(world, Scenario::Team, "[plain3]").await;
    // Up to its plan a complex request equals a simple one.
    cases.extend(points(Scenario::Team, &team, |call| {
        !call.caller.function.ends_with("slack-receiver")
    }));
    // A plan queries earlier requests' results, whose number differs between cases.
    cases.retain(|Case { point, .. }| {
        let looks_back = point.operation == LOOK && point.function.ends_with("classifier");
        !looks_back || point.nth <= looks
    });
    cases
}

/// The classifier repeats this query for each earlier request.
const LOOK: &str = "dynamodb.Query";

fn is_start(call: &Call) -> bool {
    call.operation.starts_with("secretsmanager.")
}

async fn calls_of(world: &World, scenario: Scenario, mark: &str) -> Vec<Call> {
    let before = world.wire.calls().len();
    let asked = say_and_wait(world, scenario, mark).await;
    assert_done_once(world, &asked, scenario, mark).await;
    world.wire.calls().split_off(before)
}

fn points(scenario: Scenario, calls: &[Call], wanted: impl Fn(&Call) -> bool) -> Vec<Case> {
    let case = |point| Case {
        scenario,
        point,
        cold: false,
    };
    places(calls, wanted).into_iter().map(case).collect()
}

/// Numbers each call among its function's calls of that kind. Reads only lose their answer; writes are held
/// before and after their effect.
pub fn places(calls: &[Call], wanted: impl Fn(&Call) -> bool) -> Vec<Point> {
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut places = Vec::new();
    for call in calls {
        let (function, operation) = (call.caller.function.as_str(), call.operation.as_str());
        let nth = numbers.entry((function, operation)).or_default();
        *nth += 1;
        let may_miss = *nth > 1 && VARYING.contains(&operation);
        if may_miss || !wanted(call) {
            continue;
        }
        let moments = [Moment::BeforeEffect, Moment::AfterEffect].into_iter();
        let moments = moments.skip(usize::from(!writes(operation)));
        places.extend(moments.map(|moment| Point {
            function: function.into(),
            operation: operation.into(),
            nth: *nth,
            moment,
        }));
    }
    places
}

/// Live messages and statuses are sent in the background: only the first of these calls comes in each request.
const VARYING: [&str; 3] = [
    "secretsmanager.GetSecretValue",
    "slack.agents.sessions.setStatus",
    "slack.chat.update",
];

const WRITES: &str = "dynamodb.TransactWriteItems|dynamodb.PutItem|dynamodb.DeleteItem\
    |amazonsqs.SendMessage|slack.chat.postMessage|slack.chat.update|slack.chat.delete\
    |slack.chat.startStream|slack.chat.appendStream|slack.chat.stopStream";
const READS: &str = "dynamodb.GetItem|dynamodb.Query|secretsmanager.GetSecretValue|model.turn\
    |slack.agents.sessions.setStatus|slack.conversations.history|slack.conversations.open\
    |slack.conversations.replies|slack.users.info|sts.AssumeRole|google.POST /token";

pub fn writes(operation: &str) -> bool {
    let is_in = |list: &str| list.split('|').any(|one| one == operation);
    if is_in(WRITES) || is_in(READS) {
        return is_in(WRITES);
    }
    let is_google = operation.starts_with("google.");
    assert!(is_google, "is {operation} a call that writes?");
    !operation.starts_with("google.GET")
}

/// Runs cases one after the other, then checks for late effects.
async fn share(world: Arc<World>, number: usize, cases: Arc<Cases<Case>>) {
    let world = &*world;
    let mark = format!("[w{number}]");
    let message = say_and_wait(world, Scenario::Team, &mark).await;
    let mut asked = vec![(message, Scenario::Team, mark)];
    while let Some((at, case)) = cases.take() {
        let mark = format!("[k{at}]");
        println!("{mark} {case:?}");
        let message = kill(world, &case, &mark).await;
        asked.push((message, case.scenario, mark));
    }
    world.quiet().await;
    for (message, scenario, mark) in &asked {
        assert_done_once(world, message, *scenario, mark).await;
    }
    assert_eq!(world.dead(), [""; 0], "nothing is given up");
    let contents = ["Make two", "campaign", "This is it", "The part of"];
    logs::assert_silent(world, &contents);
}

async fn say_and_wait(world: &World, scenario: Scenario, mark: &str) -> Message {
    let asked = world.say(ANA, ANA_DM, &scenario.request(mark));
    world.answered(&asked, &scenario.answer(mark)).await;
    world.quiet().await;
    asked
}

async fn kill(world: &World, case: &Case, mark: &str) -> Message {
    let endpoint = world.wire.endpoint();
    if case.cold {
        for process in process::of_function(&case.point.function, endpoint) {
            process.kill(endpoint);
        }
    }
    let held = world.wire.hold(case.point.clone());
    let asked = world.say(ANA, ANA_DM, &case.scenario.request(mark));
    let what = || format!("{case:?}: {:?}", world.answers(&asked));
    let call = world.within(what, held).await;
    call.unwrap().caller.kill(endpoint);
    world.answered(&asked, &case.scenario.answer(mark)).await;
    world.quiet().await;
    assert_done_once(world, &asked, case.scenario, mark).await;
    assert_remembered_once(world, mark).await;
    asked
}

async fn assert_done_once(world: &World, asked: &Message, scenario: Scenario, mark: &str) {
    let answers = world.answers(asked);
    let own = answers.iter().filter(|answer| answer.contains(mark));
    let own: Vec<_> = own.collect();
    assert_eq!(own, [&scenario.answer(mark)], "{scenario:?}");
    let root = world.journal(&world.run_id(asked).await.unwrap()).await;
    match scenario {
        Scenario::Tasks => {
            let both = "classified turn task_createTask task_createTask turn";
            assert_journal(&root, both, mark);
            let tasks = world.items(&keys::tasks(&world.team(), &ANA.into())).await;
            let titles = tasks.iter().filter_map(|one: &Value| one["title"].as_str());
            let mut own: Vec<_> = titles.filter(|title| title.contains(mark)).collect();
            own.sort_unstable();
            assert_eq!(own, [format!("first {mark}"), format!("second {mark}")]);
        }
        Scenario::Team => {
            assert_journal(&root, "classified planned", mark);
            let plan = root.run.plan.clone().unwrap();
            let children: Vec<RunId> = plan.tasks.into_iter().filter_map(|task| task.run).collect();
            assert_eq!(children.len(), 1, "{mark}");
            let child = world.journal(&children[0]).await;
            assert_journal(&child, "turn turn brainstormer turn", mark);
            // A crash may swallow this message but never duplicates it.
            let taken_up = "On it. I'm bringing in: marketing.";
            let next = answers.iter().take_while(|answer| !answer.contains(mark));
            let told = next.filter(|answer| **answer == taken_up).count();
            assert!(told <= 1, "{mark}");
        }
    }
}

/// The conversation is free again and remembers the request once.
async fn assert_remembered_once(world: &World, mark: &str) {
    let session = SessionId::new(&world.team(), &ANA.into(), &ANA_DM.into(), None);
    let row = keys::session(&world.team(), &ANA.into(), &session);
    let session: Session = serde_json::from_value(world.item(&row).await).unwrap();
    assert_eq!((session.active, session.waiting.len()), (None, 0), "{mark}");
    let memory = session.memory.iter();
    let own = memory.filter(|one| one.request.contains(mark));
    assert_eq!(own.count(), 1, "{mark}");
}

fn assert_journal(loaded: &LoadedRun, expected: &str, mark: &str) {
    assert_eq!(story(&loaded.steps), expected, "{mark}");
    let numbers = loaded.steps.iter().map(|step| step.seq);
    let whole = numbers.eq(1..=loaded.run.progress.steps);
    assert!(whole, "{mark}: {loaded:?}");
    let state = &loaded.run.state;
    let done = matches!(state, RunState::Done { output } if output.success);
    assert!(done, "{mark}: {state:?}");
}
