//! Invariants after every schedule.

use alfred_agent::approval::pending;
use alfred_agent::history::ledger::{Entry, Ledger};
use alfred_agent::model::{
    Approval, Asked, CallResult, Decided, Question, Session, Unclear, Verdict,
};
use alfred_agent::{LoadedRun, Run, RunState, Step, StepKind};
use alfred_core::ports::{Key, Query, Range, Store, Usage};
use alfred_core::{ApprovalId, FinalStatus, RunId, SessionId, keys, text};
use alfred_testkit::Kept;
use std::collections::{BTreeMap, BTreeSet};

use crate::simulation::audits;
use crate::simulation::person::{Act, shown};
use crate::simulation::ports::reaches_others;
use crate::simulation::rig::Rig;
use crate::simulation::scenarios::Scenario;
use alfred_tests::team;

mod approvals;
mod conversations;
mod costs;

use approvals::approvals;
use conversations::conversations;
use costs::{costs, tokens};

const DONE: &str = "✓";
const UNKNOWN: &str = "? I can't";

pub struct Facts {
    pub runs: Vec<LoadedRun>,
    pub posted: Vec<Kept>,
    pub approvals: Vec<Approval>,
    pub pending: BTreeSet<String>,
    pub timers: BTreeSet<String>,
    pub tasks: usize,
    pub files: usize,
    pub sessions: BTreeMap<SessionId, Session>,
    pub paid: Usage,
}

impl Facts {
    pub async fn of(rig: &Rig) -> Self {
        let store = rig.sim.store();
        let (ids, timer_keys) = {
            let world = rig.sim.world();
            (world.runs.clone(), world.timers.clone())
        };
        let journal = rig.journal();
        let mut runs = Vec::new();
        for id in ids {
            runs.extend(journal.load(&team(), &id).await.unwrap());
        }
        let mut timers = BTreeSet::new();
        for key in timer_keys {
            if store.get(&key).await.unwrap().is_some() {
                timers.insert(key.range);
            }
        }
        let mut approvals = Vec::new();
        for id in asked(&runs) {
            let found = pending::load(&*store, &team(), &id).await.unwrap();
            approvals.extend(found.map(|(approval, _)| approval));
        }
        let index = Query::state(keys::approvals(&team(), &"U1".into()), Range::All);
        let page = store.query(&index).await.unwrap();
        let tasks = Query::state(keys::tasks(&team(), &"U1".into()), Range::All);
        let files = Query::state(keys::files(&team(), &"U1".into()), Range::All);
        let mut sessions = BTreeMap::new();
        for LoadedRun { run, .. } in &runs {
            let session = Session::load(&*store, &team(), &"U1".into(), &run.session).await;
            sessions.insert(run.session.clone(), session.unwrap());
        }
        Self {
            pending: page.items.into_iter().map(|item| item.key.range).collect(),
            tasks: store.query(&tasks).await.unwrap().items.len(),
            posted: rig.sim.chat.posted(),
            files: store.query(&files).await.unwrap().items.len(),
            sessions,
            paid: rig.sim.world().paid,
            runs,
            approvals,
            timers,
        }
    }

    /// Whether nothing can happen any more without a person.
    pub fn is_over(&self) -> bool {
        let done = |found: &LoadedRun| matches!(found.run.state, RunState::Done { .. });
        self.runs.iter().all(done) && self.timers.is_empty() && self.pending.is_empty()
    }

    /// Whether a team, or a plan before its last team began, ran out of its time.
    pub fn is_out_of_time(&self) -> bool {
        let mut plans = self.runs.iter().filter_map(|found| found.run.plan.as_ref());
        if plans.any(|plan| plan.out_of_time) {
            return true;
        }
        let outputs = self.runs.iter().filter_map(|found| found.run.output());
        let mut statuses = outputs.map(|output| output.final_status);
        statuses.any(|status| status == Some(FinalStatus::Timeout))
    }

    /// Approved messages reported as not sent because Slack couldn't be reached.
    fn given_up(&self) -> usize {
        let steps = self.runs.iter().flat_map(|found| &found.steps);
        let given_up = |step: &&Step| matches!(&step.did, StepKind::ToolResult(CallResult { output, .. }) if output["error"] == "It could not be reached, and certainly nothing was done. It can be asked for again in a moment.");
        steps.filter(given_up).count()
    }

    fn files_written(&self) -> usize {
        let steps = self.runs.iter().flat_map(|found| &found.steps);
        let written = |step: &&Step| matches!(&step.did, StepKind::ToolResult(CallResult { name, ok: true, .. }) if name == "write_file");
        steps.filter(written).count()
    }

    fn says_unknown(&self, run: &Run) -> bool {
        let key = format!("{}:1", run.parent.as_ref().unwrap_or(&run.id));
        let mut replies = self.posted_as(&key).into_iter();
        replies.any(|kept| shown(kept).contains(UNKNOWN))
    }

    fn posted_as(&self, key: &str) -> Vec<&Kept> {
        let is_it = |kept: &&Kept| kept.idempotency_key.as_deref() == Some(key);
        self.posted.iter().filter(is_it).collect()
    }

    fn family(&self, root: &RunId) -> impl Iterator<Item = &LoadedRun> {
        let is_in = move |found: &&LoadedRun| {
            found.run.id == *root || found.run.parent.as_ref() == Some(root)
        };
        self.runs.iter().filter(is_in)
    }
}

fn asked(runs: &[LoadedRun]) -> BTreeSet<ApprovalId> {
    let steps = runs.iter().flat_map(|found| &found.steps);
    let asked = steps.filter_map(Step::asked);
    asked.map(|asked| asked.approval.clone()).collect()
}

/// All violations. With `strict`, no fault struck that may make a request fail.
pub async fn broken(rig: &Rig, facts: &Facts, scenario: &Scenario, strict: bool) -> Vec<String> {
    let mut plans = facts.runs.iter().flat_map(|found| &found.run.plan);
    // Slow turns may use up a plan's ten minutes. Teams that haven't begun by then are left out.
    let strict = strict && !plans.any(|plan| plan.out_of_time);
    let mut wrong = Vec::new();
    if !rig.dead.borrow().is_empty() {
        wrong.push(format!("dead letters: {:?}", rig.dead.borrow()));
    }
    for found in &facts.runs {
        journals(found, &mut wrong);
        effects(rig, facts, found, &mut wrong);
        wrong.extend(audits::broken(&*rig.sim.store(), found, scenario.by).await);
        if found.run.parent.is_none() {
            replies(facts, &found.run, &mut wrong);
        }
    }
    approvals(facts, &mut wrong);
    conversations(facts, scenario, &mut wrong);
    costs(facts, &mut wrong);
    // Usage of a turn under way at a stop can't be recorded.
    let stops = |act: &Act| matches!(act, Act::Stop);
    let untouched = rig.sim.gate.strikes() == 0 && rig.sim.world().timed_out == 0;
    if untouched && !scenario.acts.iter().any(stops) && facts.used() != tokens(&facts.paid) {
        let (used, paid) = (facts.used(), facts.paid);
        wrong.push(format!("{used} tokens of {paid:?} are accounted for"));
    }
    let posted = facts.posted.iter();
    let sends = posted.filter(|kept| reaches_others(kept.channel.as_str()));
    let (sends, wanted) = (sends.count(), &scenario.sends);
    if strict && !wanted.contains(&sends) && !wanted.contains(&(sends + facts.given_up())) {
        wrong.push(format!("{sends} messages were sent instead of {wanted:?}"));
    }
    let roots = facts.runs.iter().filter(|found| found.run.parent.is_none());
    if strict && roots.count() != scenario.requests {
        wrong.push(format!("{} requests were expected", scenario.requests));
    }
    let (made, wanted) = (facts.tasks, scenario.tasks);
    if strict && made != wanted {
        wrong.push(format!("{made} tasks instead of {wanted}"));
    }
    // A file is stored in the commit of its receipt, whatever fails.
    let (kept, written) = (facts.files, facts.files_written());
    if kept != written || (strict && written != scenario.files) {
        wrong.push(format!("{kept} files of {written} that were written"));
    }
    wrong
}

fn journals(found: &LoadedRun, wrong: &mut Vec<String>) {
    let (id, last) = (&found.run.id, found.run.progress.steps);
    let seqs: Vec<u32> = found.steps.iter().map(|step| step.seq).collect();
    if seqs != (1..=last).collect::<Vec<_>>() {
        wrong.push(format!("{id}: steps {seqs:?} of {last}"));
    }
    for (at, step) in found.steps.iter().enumerate() {
        let before = &found.steps[..at];
        match &step.did {
            StepKind::ToolResult(CallResult { call_id, .. })
                if result(before, call_id).is_some() =>
            {
                wrong.push(format!("{id}: two results of {call_id}"));
            }
            StepKind::Decided(Decided {
                approval, revision, ..
            }) => {
                let same = |step: &Step| matches!(&step.did, StepKind::Asked(Asked { approval: a, revision: r, .. }) if (a, r) == (approval, revision));
                let twice = |step: &Step| matches!(&step.did, StepKind::Decided(Decided { approval: a, revision: r, .. }) if (a, r) == (approval, revision));
                if approval.as_str() != "direct" && !before.iter().any(same) {
                    wrong.push(format!("{id}: {approval} was decided and never asked"));
                }
                if before.iter().any(twice) {
                    wrong.push(format!("{id}: {approval} was decided twice"));
                }
            }
            _ => {}
        }
    }
}

fn result<'a>(steps: &'a [Step], id: &str) -> Option<&'a CallResult> {
    let mut results = steps.iter().filter_map(Step::result);
    results.find(|result| result.call_id == id)
}

/// Each effect happened at most once, as approved, and is in the journal.
fn effects(rig: &Rig, facts: &Facts, found: &LoadedRun, wrong: &mut Vec<String>) {
    let id = &found.run.id;
    let turns = found.steps.iter().filter_map(Step::turn);
    let calls = turns.flat_map(|turn| &turn.tool_calls);
    let messages = calls.filter(|call| call.name == "slack_sendMessage");
    for call in messages.map(|call| &call.id) {
        let sent = facts.posted_as(&format!("{id}:{call}"));
        if sent.len() > 1 + rig.repeats.get() {
            wrong.push(format!("{id}: {call} was sent {} times", sent.len()));
        }
        for kept in &sent {
            let first = kept.blocks.first();
            let said = first.and_then(|block| block["text"]["text"].as_str());
            let says_so = |card: &String| card.contains(said.unwrap_or("nothing"));
            if !rig.approved.borrow().iter().any(says_so) {
                wrong.push(format!(
                    "{id}: {said:?} was sent, and no approved card says so"
                ));
            }
        }
        let granted = found.steps.iter().any(|step| matches!(&step.did, StepKind::Decided(Decided { call_id, verdict: Verdict::Approve | Verdict::Remember, .. }) if call_id == call));
        if !sent.is_empty() && !granted {
            wrong.push(format!("{id}: {call} was sent without a yes"));
        }
        let result = result(&found.steps, call);
        match result.map(|result| (result.ok, result.unclear)) {
            Some((true, _)) if sent.is_empty() => {
                wrong.push(format!("{id}: {call} succeeded and was never sent"));
            }
            Some((false, unclear)) if unclear != Some(Unclear::Unknown) && !sent.is_empty() => {
                wrong.push(format!("{id}: {call} failed ({unclear:?}) and was sent"));
            }
            None if !sent.is_empty()
                && matches!(found.run.state, RunState::Done { .. })
                && !facts.says_unknown(&found.run) =>
            {
                wrong.push(format!("{id}: {call} was sent, and its run ended unaware"));
            }
            Some((false, Some(Unclear::Unknown))) => {
                let told = facts.approvals.iter().any(|approval| {
                    approval.run == *id
                        && approval.call_id == *call
                        && approval.question == Question::DidItHappen
                });
                if !told {
                    wrong.push(format!("{id}: nobody was told that {call} is unknown"));
                }
            }
            _ => {}
        }
    }
}

/// One reply per request, whose ledger matches the receipts.
fn replies(facts: &Facts, run: &Run, wrong: &mut Vec<String>) {
    let (id, state) = (&run.id, &run.state);
    let replies = facts.posted_as(&format!("{id}:1"));
    let count = replies.len();
    if count != usize::from(matches!(state, RunState::Done { .. })) {
        wrong.push(format!("{id}: {count} replies in {state:?}"));
    }
    let Some(reply) = replies.first() else { return };
    let reply = shown(reply);
    let mut lines = Vec::new();
    for found in facts.family(id) {
        let ledger = Ledger::at_end(&found.run.id, &found.steps);
        lines.extend(ledger.entries.iter().map(Entry::line));
    }
    let due = |mark: &str| {
        let starts = |line: &&String| line.starts_with(mark);
        lines.iter().filter(starts).count()
    };
    let there = |mark: &str| reply.matches(mark).count();
    let known = there(DONE) == due(DONE) && there(UNKNOWN) == due(UNKNOWN);
    // A stop doesn't wait for calls under way, whose outcomes follow the reply.
    let stopped = reply.contains(text::STOPPED);
    let late = stopped && there(DONE) <= due(DONE) && there(UNKNOWN) >= due(DONE) - there(DONE);
    let not_done = there("✗") == due("✗");
    let right = late || (known && not_done);
    if !right {
        wrong.push(format!("{id}: the reply doesn't say {lines:?}: {reply:?}"));
    }
    if reply.contains('⏳') {
        wrong.push(format!(
            "{id}: the reply says that something waits: {reply:?}"
        ));
    }
}

pub async fn leftovers(rig: &Rig, facts: &Facts) -> Vec<String> {
    let mut wrong = Vec::new();
    for LoadedRun { run, .. } in &facts.runs {
        if !matches!(run.state, RunState::Done { .. }) {
            wrong.push(format!("{} never ends: {:?}", run.id, run.state));
        }
    }
    let aside = Query::state(keys::timers_set_aside(), Range::All);
    let page = rig.sim.store().query(&aside).await.unwrap();
    let aside: Vec<Key> = page.items.into_iter().map(|item| item.key).collect();
    if !aside.is_empty() {
        wrong.push(format!("timers set aside: {aside:?}"));
    }
    wrong
}
