//! Parses and checks a model's call, collects the facts about it and lets the gate decide.

use alfred_core::policy::Setting;
use alfred_core::ports::{Store, ToolCall};
use alfred_core::{Failure, Result, Role, invisible, keys, text};
use serde_json::Value;

use crate::calls::context::AgentLoop;
use crate::calls::own_words::{asked_for, only_known_addresses, only_own_words};
use crate::calls::recipients;
use crate::calls::result::{drifted, unclear};
use crate::calls::stage::Ready;
use crate::history::sources;
use crate::model::{Call, Effect, Reason, Recipient, Run, Step, Unclear, digest, memory_key};
use crate::policy::tool_def::ToolDef;
use crate::policy::{
    AuthorizedArgs, Facts, Refusal, Requirement, Untrusted, approved, mode_in_run, pass, require,
};
use crate::store::ports::Ports;
use crate::store::users;
use crate::tool::agent::Agent;
use crate::tool::delegate::paths;
use crate::tool::{SharedTool, ToolError, without_nulls};

const BLOCKED: &str = "Not allowed: an administrator has blocked that here. Nothing was done.";
const AUTO_DENIED: &str =
    "Denied: that needs an approval, and here approvals are always denied. Nothing was done.";
const EFFECTS_PAUSED: &str = "Not allowed now: an administrator has paused everything that sends or changes something. Nothing was done. Reading still works.";

pub struct Known<'a> {
    pub tool: &'a SharedTool,
    pub arguments: Untrusted<Value>,
}

impl<'a> Known<'a> {
    pub fn shown(&self) -> &Value {
        self.arguments.shown()
    }

    fn def(&self) -> &'a ToolDef {
        self.tool.def_of(self.shown())
    }
}

pub enum Gated {
    Authorized(AuthorizedArgs),
    Ask(Value, Concerns),
}

pub struct Concerns {
    pub reasons: Vec<Reason>,
    pub recipients: Vec<Recipient>,
}

/// Parses a call. Fails with `Failed` for an unknown tool and for arguments that don't fit its schema.
pub fn known<'a>(agent: &'a Agent, call: &ToolCall) -> Result<Known<'a>, ToolError> {
    let Some(tool) = agent.tools.get(&call.name) else {
        return Err(ToolError::failed(format!("Tool not found: {}", call.name)));
    };
    let written = match call.arguments.trim() {
        "" => "{}",
        text => text,
    };
    let arguments: Value = serde_json::from_str(written)
        .map_err(|error| ToolError::failed(format!("the arguments are not valid JSON: {error}")))?;
    let arguments = visible(without_nulls(arguments));
    let fits = agent.tools.check(&tool.def().name, arguments.shown());
    fits.map_err(ToolError::failed)?;
    Ok(Known { tool, arguments })
}

/// Removes invisible characters from the arguments, so that card, digest and sent data are the same.
fn visible(mut arguments: Value) -> Untrusted<Value> {
    invisible::remove_from(&mut arguments);
    Untrusted::new(arguments)
}

/// Checks stored arguments again. A tool that resolves its arguments uses its own check.
pub fn fitting<'a>(
    agent: &'a Agent,
    tool: &'a SharedTool,
    arguments: Value,
) -> Result<Known<'a>, ToolError> {
    let arguments = visible(arguments);
    let said = || agent.tools.check(&tool.def().name, arguments.shown());
    let fits = tool.check_resolved(arguments.shown());
    fits.unwrap_or_else(|| said().map_err(ToolError::failed))?;
    Ok(Known { tool, arguments })
}

/// Fails if the person's role doesn't allow the call, before anything is looked up for it.
pub fn permitted(work: &AgentLoop<'_>, def: &ToolDef) -> Result<(), ToolError> {
    let needs = def.needs;
    if def.allows(work.role()) {
        return Ok(());
    }
    Err(forbidden(def, work.cx.run(), Refusal::Role { needs }))
}

/// Asks the gate about a call. `beside` are calls that may run in the same step.
pub async fn gate(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    known: Known<'_>,
    beside: &[Ready],
    owner_words: &[String],
) -> Result<Gated, ToolError> {
    let (ports, run) = (work.cx.ports, work.cx.run());
    let def = known.def();
    let effect = def.effect != Effect::Read || def.reaches_out();
    let (mut paused, mut to) = (false, Vec::new());
    if effect {
        paused = users::effects_paused(&*ports.store, &run.team).await?;
        let context = work.cx.tool_context(&call.id);
        let named = known.tool.recipients(&context, known.shown());
        let named = named.await.map_err(|error| error.looked(def))?;
        to = recipients::judged(ports, run, named, owner_words).await?;
    }
    let administrator = administrator(work, &known);
    let chosen = run.work.approval();
    let mut facts = Facts {
        mode: mode_in_run(ports.config.policy.mode, chosen, &administrator, &run.taint),
        leaves_members: recipients::leave_members(ports, run, def, &to).await,
        earlier: changes_by(work, &known.tool.def().name, beside),
        own_words: if def.asks_outside() {
            only_own_words(run, def, known.shown(), owner_words)
        } else {
            asked_for(run, def, &call.arguments, known.shown())
        },
        known_addresses: def.opens && {
            let sources = sources(&work.cx.loaded.steps);
            only_known_addresses(run, known.shown(), owner_words, &sources)
        },
        recipients: &to,
        ..facts(work, &known, administrator, work.role(), paused)
    };
    if let Requirement::NeedsApproval(reasons) = require(&facts)
        && !reasons.iter().any(Reason::is_hard)
    {
        facts.remembered = is_remembered(ports, run, &def.name, known.shown()).await?;
    }
    match pass(&facts, known.arguments) {
        Ok(authorized) => Ok(Gated::Authorized(authorized)),
        Err((Requirement::NeedsApproval(_), _)) if run.work.is_headless() => {
            Err(forbidden(def, run, Refusal::AutoDenied))
        }
        Err((Requirement::NeedsApproval(mut reasons), arguments)) => {
            for reason in &mut reasons {
                if let Reason::Configured { by_worker } = reason {
                    *by_worker = !administrator.contains(&Some(Setting::Ask));
                }
            }
            let concerns = Concerns {
                reasons,
                recipients: to,
            };
            Ok(Gated::Ask(arguments.shown().clone(), concerns))
        }
        Err((Requirement::Forbidden(refusal), _)) => Err(forbidden(def, run, refusal)),
        Err((Requirement::Skip, _)) => {
            Err(Failure::bug("the gate skipped and refused one call").into())
        }
    }
}

/// The facts that can forbid a call, without those that only [`gate`] needs.
fn facts<'a>(
    work: &'a AgentLoop<'_>,
    known: &Known<'a>,
    administrator: [Option<Setting>; 3],
    role: Role,
    paused: bool,
) -> Facts<'a> {
    Facts {
        configured: configured(work, known, administrator),
        real_slack: work.cx.ports.config.real_slack,
        paused,
        ..Facts::of(known.def(), role, &work.cx.run().taint)
    }
}

/// Fails if the call has been blocked since its approval, or differs from the approved digest.
pub async fn still_granted(
    work: &AgentLoop<'_>,
    known: Known<'_>,
    digest_approved: &str,
) -> Result<AuthorizedArgs, ToolError> {
    let (ports, run) = (work.cx.ports, work.cx.run());
    // Days may have passed since the request, so the owner's current role is used.
    let owner = users::get(&*ports.store, &run.team, &run.user).await;
    let role = owner
        .map_err(Failure::from)?
        .filter(|owner| owner.user.is_active)
        .map_or(Role::Guest, |owner| owner.user.role);
    let administrator = administrator(work, &known);
    let paused = users::effects_paused(&*ports.store, &run.team).await?;
    let facts = facts(work, &known, administrator, role, paused);
    if let Requirement::Forbidden(refusal) = require(&facts) {
        return Err(forbidden(facts.def, run, refusal));
    }
    let now = digest_of(work, known.tool, known.shown())?;
    approved(known.arguments, &now, digest_approved).ok_or_else(drifted)
}

pub fn digest_of(work: &AgentLoop<'_>, tool: &SharedTool, arguments: &Value) -> Result<String> {
    digest(&Call {
        team: &work.cx.run().team,
        owner: &work.cx.run().user,
        tool: &tool.def().name,
        schema: &tool.schema(),
        policy: &work.cx.ports.config.policy.version(),
        arguments,
    })
}

/// The administrator's settings and those of the worker's own file. The file can't pre-approve an outward or
/// destructive call, unless the tool exists only because a file describes it.
fn configured(
    work: &AgentLoop<'_>,
    known: &Known<'_>,
    administrator: [Option<Setting>; 3],
) -> [Option<Setting>; 3] {
    let (tool, def) = (known.tool, known.def());
    let asks = def.effect == Effect::Destructive || def.reaches_out();
    let asks = asks && !tool.def().described_by_others;
    let own = work.agent.approval.get(&*def.name).copied();
    let own = own.max(tool.setting(known.shown()));
    let own = own.filter(|said| *said != Setting::PreApproved || !asks);
    let [tool, by_policy, user] = administrator;
    [tool, by_policy.max(own), user]
}

/// The administrator's settings for a call: for everyone, for this worker, for the owner. A
/// delegation that hands on files also gets the stricter settings of the tool that reads them.
fn administrator(work: &AgentLoop<'_>, known: &Known<'_>) -> [Option<Setting>; 3] {
    let (policy, run) = (&work.cx.ports.config.policy, work.cx.run());
    let worker = work.program.policy_name(work.agent);
    let settings = |tool: &str| policy.settings(tool, &worker, &run.user);
    let mut said = settings(&known.def().name);
    let files = known.tool.callers_files();
    if let Some(files) = files.filter(|_| paths(known.shown()).next().is_some()) {
        for (one, other) in said.iter_mut().zip(settings(files.tool())) {
            *one = other.max(*one);
        }
    }
    said
}

/// Counts the tool's calls that changed something in this run, including those ready to run.
fn changes_by(work: &AgentLoop<'_>, tool: &str, beside: &[Ready]) -> usize {
    let results = work.cx.loaded.steps.iter().filter_map(Step::result);
    let done = results.filter(|result| result.changed && result.name == tool);
    let next = beside.iter().filter(|ready| ready.tool.def().name == tool);
    done.count() + next.filter(|ready| ready.effect() != Effect::Read).count()
}

async fn is_remembered(ports: &Ports, run: &Run, tool: &str, arguments: &Value) -> Result<bool> {
    let key = memory_key(tool, arguments)?;
    let key = keys::remembered(&run.team, &run.user, &run.session, &key);
    Ok(ports.store.get(&key).await?.is_some())
}

fn forbidden(def: &ToolDef, run: &Run, refusal: Refusal) -> ToolError {
    let words = match refusal {
        Refusal::Role { needs } => {
            let (changing, instead) = (&def.toolset.changing, &def.toolset.instead);
            text::denied(changing, instead, needs, run.input.user().role)
        }
        Refusal::Blocked => BLOCKED.to_owned(),
        Refusal::Paused => EFFECTS_PAUSED.to_owned(),
        Refusal::AutoDenied => AUTO_DENIED.to_owned(),
    };
    unclear(Unclear::Forbidden, words)
}
