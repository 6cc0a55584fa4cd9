//! From a model's call to what the gate says of it: arguments are read and
//! checked, the facts are gathered, and the pure function decides.

use alfred_core::policy::Setting;
use alfred_core::ports::{Store, ToolCall};
use alfred_core::{Failure, Role, invisible, keys, text};
use serde_json::Value;

use super::{context, of_call};
use crate::agent::Agent;
use crate::approval::{Call, digest, memory_key};
use crate::gate::{
    AuthorizedArgs, Facts, Reason, Recipient, Refusal, Requirement, Untrusted, approved, pass,
    require,
};
use crate::members;
use crate::ports::Ports;
use crate::recipients;
use crate::run::Run;
use crate::tool::{Effect, Refusal as ToolRefusal, SharedTool, ToolDef, ToolError, without_nulls};
use crate::users;

/// A call whose tool is there and whose arguments fit.
pub struct Known<'a> {
    pub tool: &'a SharedTool,
    /// What the model wants it to do.
    pub arguments: Untrusted<Value>,
}

/// What the gate says of a call.
pub enum Gated {
    /// It may run with these arguments.
    Authorized(AuthorizedArgs),
    /// Its owner must be asked.
    Ask {
        /// Why.
        reasons: Vec<Reason>,
        /// To whom it reaches.
        recipients: Vec<Recipient>,
        /// The arguments.
        arguments: Untrusted<Value>,
    },
    /// It may not run; in words for the model.
    Forbidden(String),
    /// It can't be done as it stands; for the model.
    Impossible(ToolRefusal),
}

/// The tool and its arguments.
///
/// # Errors
/// `Failed` for an unknown tool and for arguments that don't fit its schema.
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

/// What no reader sees is taken out of arguments here, where they are made: the card, the digest and what is
/// sent have one value.
fn visible(mut arguments: Value) -> Untrusted<Value> {
    invisible::remove_from(&mut arguments);
    Untrusted::new(arguments)
}

/// The same for arguments as they would run: a tool that works wishes out knows its own.
///
/// # Errors
/// `Failed` for arguments that don't fit the tool.
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

/// Among what a call is made.
pub struct Circumstances<'a> {
    /// The worker that makes it.
    pub worker: &'a str,
    /// What its owner wrote themselves.
    pub owner_words: &'a [String],
    /// How many changes by the same tool stand beside it.
    pub earlier: usize,
}

/// What the gate says of a call now.
///
/// # Errors
/// When the store doesn't answer.
pub async fn gate(
    ports: &Ports,
    run: &Run,
    call: &ToolCall,
    known: Known<'_>,
    made: Circumstances<'_>,
) -> Result<Gated, Failure> {
    let def = known.tool.def_of(known.arguments.shown());
    let effect = def.effect != Effect::Read || def.reaches_out();
    let (mut paused, mut to) = (false, Vec::new());
    if effect {
        paused = effects_paused(&*ports.store, run).await?;
        let context = of_call(context(ports, run), &call.id, ports.clock.now());
        let named = known.tool.recipients(&context, known.arguments.shown());
        let named = match named.await {
            Ok(named) => named,
            Err(ToolError::Failed(why)) => return Ok(Gated::Impossible(why.looked(def))),
            Err(ToolError::Unknown(detail)) => return Err(Failure::retry(detail)),
            Err(ToolError::Stop(failure)) => return Err(failure),
        };
        to = recipients::judged(ports, run, named, made.owner_words).await?;
    }
    let mut facts = Facts {
        def,
        role: run.input.user().role,
        configured: configured(ports, made.worker, run, &def.name),
        mode: ports.config.policy.mode,
        real_slack: ports.config.real_slack,
        remembered: false,
        taint: &run.taint,
        leaves_members: members::left(ports, run, def, &to).await,
        earlier: made.earlier,
        recipients: &to,
        paused,
    };
    if let Requirement::NeedsApproval(reasons) = require(&facts)
        && !reasons.iter().any(Reason::is_hard)
    {
        facts.remembered = is_remembered(ports, run, &def.name, &known.arguments).await?;
    }
    Ok(match pass(&facts, known.arguments) {
        Ok(authorized) => Gated::Authorized(authorized),
        Err((Requirement::NeedsApproval(reasons), arguments)) => Gated::Ask {
            reasons,
            recipients: to,
            arguments,
        },
        Err((Requirement::Forbidden(refusal), _)) => {
            Gated::Forbidden(refusal_text(def, run, refusal))
        }
        Err((Requirement::Skip, _)) => {
            return Err(Failure::bug("the gate skipped and refused one call"));
        }
    })
}

/// Whether a call that was approved may still run: not blocked meanwhile, and
/// exactly what was approved. `Err` says in words why not.
///
/// # Errors
/// When the store doesn't answer.
pub async fn still_granted(
    ports: &Ports,
    worker: &str,
    run: &Run,
    known: Known<'_>,
    digest_approved: &str,
) -> Result<Result<AuthorizedArgs, (bool, String)>, Failure> {
    let def = known.tool.def_of(known.arguments.shown());
    // Days may have passed: the owner's role is what it is now.
    let owner = users::get(&*ports.store, &run.team, &run.user).await?;
    let role = owner
        .filter(|owner| owner.user.is_active)
        .map_or(Role::Guest, |owner| owner.user.role);
    let facts = Facts {
        def,
        role,
        configured: configured(ports, worker, run, &def.name),
        mode: alfred_core::policy::Mode::Interactive,
        real_slack: ports.config.real_slack,
        remembered: false,
        taint: &run.taint,
        leaves_members: false,
        earlier: 0,
        recipients: &[],
        paused: effects_paused(&*ports.store, run).await?,
    };
    if let Requirement::Forbidden(refusal) = require(&facts) {
        return Ok(Err((false, refusal_text(def, run, refusal))));
    }
    let now = digest_of(ports, run, known.tool, known.arguments.shown())?;
    Ok(approved(known.arguments, &now, digest_approved).map_err(|_| (true, text::drifted())))
}

/// The digest of a call as it would run now.
///
/// # Errors
/// `Bug` for arguments that have no canonical form.
pub fn digest_of(
    ports: &Ports,
    run: &Run,
    tool: &SharedTool,
    arguments: &Value,
) -> Result<String, Failure> {
    digest(&Call {
        team: &run.team,
        owner: &run.user,
        tool: &tool.def().name,
        schema: &tool.schema(),
        policy: &ports.config.policy.version(),
        arguments,
    })
}

fn configured(ports: &Ports, worker: &str, run: &Run, tool: &str) -> [Option<Setting>; 3] {
    ports.config.policy.settings(tool, worker, &run.user)
}

/// An administrator's switch: while it is set, no effect begins.
async fn effects_paused(store: &dyn Store, run: &Run) -> Result<bool, Failure> {
    let item = store.get(&keys::effects_switch(&run.team)).await?;
    Ok(item.is_some_and(|item| item.body["paused"] == true))
}

async fn is_remembered(
    ports: &Ports,
    run: &Run,
    tool: &str,
    arguments: &Untrusted<Value>,
) -> Result<bool, Failure> {
    let key = memory_key(tool, arguments.shown())?;
    let key = keys::remembered(&run.team, &run.user, &run.session, &key);
    Ok(ports.store.get(&key).await?.is_some())
}

fn refusal_text(def: &ToolDef, run: &Run, refusal: Refusal) -> String {
    match refusal {
        Refusal::Role { needs } => {
            let (changing, instead) = (&def.toolset.changing, &def.toolset.instead);
            text::denied(changing, instead, (needs, run.input.user().role))
        }
        Refusal::Blocked => text::blocked(&def.name),
        Refusal::Paused => text::effects_paused(),
        Refusal::AutoDenied => text::auto_denied(&def.name),
    }
}
