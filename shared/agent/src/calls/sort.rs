//! The open calls of a turn, sorted by what has to be done about them.

use alfred_core::ports::ToolCall;
use alfred_core::{ApprovalId, Failure, Taint, text};
use serde_json::Value;

use super::ask::{ask, preview, shown_now};
use super::assess::{Circumstances, Gated, Known, digest_of, fitting, gate, known, still_granted};
use super::edited::{Edit, edited};
use super::result::refused;
use super::stage::{Begun, Grant, Stage, stage};
use super::{CallError, context};
use crate::agent::Agent;
use crate::approval::park::{Ask, Revised};
use crate::approval::{Verdict, memory_key};
use crate::gate::AuthorizedArgs;
use crate::journal::LoadedRun;
use crate::ports::Ports;
use crate::recipients::owner_words;
use crate::run::{Run, Work};
use crate::step::{StepKind, Unclear};
use crate::tool::{Effect, Refusal, Resolution, SharedTool, ToolDef, ToolError, ToolOutput};

/// A call that may run now.
pub struct Ready {
    pub call: ToolCall,
    pub tool: SharedTool,
    /// Its arguments, behind the gate.
    pub arguments: AuthorizedArgs,
    /// What its owner approved, if they were asked.
    pub grant: Option<Grant>,
}

impl Ready {
    /// What this call is, by the arguments with which it runs.
    pub fn def(&self) -> &ToolDef {
        self.tool.def_of(self.arguments.value())
    }

    /// What it does to the world.
    pub fn effect(&self) -> Effect {
        self.def().effect
    }
}

/// A call that gets its result without running.
pub struct Answer {
    pub call: ToolCall,
    /// What the model is told.
    pub why: Refusal,
    /// What its tool would have done to the world.
    pub effect: Effect,
    /// Why there is no receipt.
    pub unclear: Option<Unclear>,
}

impl Answer {
    /// The step of what the model is told.
    #[must_use]
    pub fn step(&self) -> StepKind {
        refused(&self.call, self.effect, self.why.clone(), self.unclear)
    }
}

/// The open calls by what has to be done.
#[derive(Default)]
pub struct Sorted {
    pub ready: Vec<Ready>,
    pub answers: Vec<Answer>,
    pub begun: Vec<(ToolCall, Begun)>,
    /// To ask their owner about.
    pub asks: Vec<Ask>,
    /// To answer with what they came to: there was nothing to do.
    pub nothing: Vec<(ToolCall, SharedTool, ToolOutput)>,
    /// Whether others are asked about already.
    pub waiting: bool,
}

impl Sorted {
    /// Among what a call of this tool is made beside these.
    pub fn circumstances<'a>(
        &self,
        agent: &'a Agent,
        loaded: &LoadedRun,
        owner_words: &'a [String],
        tool: &SharedTool,
    ) -> Circumstances<'a> {
        Circumstances {
            worker: &agent.name,
            owner_words,
            earlier: self.changes_by(loaded, &tool.def().name),
        }
    }

    /// How many calls of a tool changed something in the run, or are about to.
    fn changes_by(&self, loaded: &LoadedRun, tool: &str) -> usize {
        let done = loaded.steps.iter().filter(|step| match &step.did {
            StepKind::ToolResult { name, changed, .. } => *changed && name == tool,
            _ => false,
        });
        let next = self.ready.iter();
        let next =
            next.filter(|ready| ready.tool.def().name == tool && ready.effect() != Effect::Read);
        done.count() + next.count()
    }

    /// Answers a call with words for the model.
    pub fn refuse(
        &mut self,
        agent: &Agent,
        call: ToolCall,
        unclear: Option<Unclear>,
        why: impl Into<Refusal>,
    ) {
        let tool = agent.tools.get(&call.name);
        let effect = |tool: &SharedTool| match serde_json::from_str(&call.arguments) {
            Ok(arguments) => tool.def_of(&arguments).effect,
            Err(_) => tool.def().effect,
        };
        self.answers.push(Answer {
            effect: tool.map_or(Effect::Read, effect),
            call,
            why: why.into(),
            unclear,
        });
    }
}

/// Sorts the open calls.
///
/// # Errors
/// When the store doesn't answer; `Superseded` when another worker has the run.
pub async fn sort(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    calls: Vec<ToolCall>,
) -> Result<Sorted, CallError> {
    let mut sorted = Sorted::default();
    for call in calls {
        match stage(&loaded.steps, &call.id) {
            Stage::Asked => sorted.waiting = true,
            Stage::Began(begun) => sorted.begun.push((call, begun)),
            Stage::Ended { why, note } => {
                let words = match why {
                    Unclear::Expired => text::expired_unseen(),
                    Unclear::Unknown => text::left_unknown(),
                    Unclear::Rejected | Unclear::Forbidden | Unclear::Drifted => {
                        text::rejected(note.as_deref())
                    }
                };
                sorted.refuse(agent, call, Some(why), words);
            }
            Stage::Edited {
                approval,
                revision,
                before,
                after,
                tainted,
                words,
                read,
            } => {
                let again = Revised {
                    approval,
                    revision: revision + 1,
                    trouble: None,
                };
                let edit = Edit {
                    again,
                    before,
                    after,
                    tainted,
                    words,
                    read,
                };
                edited(ports, agent, loaded, &mut sorted, call, edit).await?;
            }
            Stage::Granted(grant) => {
                granted(ports, agent, loaded, &mut sorted, call, grant).await?
            }
            Stage::Fresh => fresh(ports, agent, loaded, &mut sorted, call).await?,
        }
    }
    Ok(sorted)
}

async fn fresh(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    sorted: &mut Sorted,
    call: ToolCall,
) -> Result<(), CallError> {
    let found = match known(agent, &call) {
        Ok(known) => resolved(ports, agent, loaded, sorted, &call, known).await?,
        Err(error) => Err(error),
    };
    match found {
        Ok(Some(known)) => gated(ports, agent, loaded, sorted, call, known, None).await,
        Ok(None) => Ok(()),
        Err(ToolError::Failed(message)) => {
            sorted.refuse(agent, call, None, message);
            Ok(())
        }
        Err(ToolError::Unknown(detail)) => Err(CallError::Stop(Failure::bug(detail))),
        Err(ToolError::Stop(failure)) => Err(CallError::Stop(failure)),
    }
}

/// A call with its wish worked out; `None` where that was all there was to do.
async fn resolved<'a>(
    ports: &Ports,
    agent: &'a Agent,
    loaded: &LoadedRun,
    sorted: &mut Sorted,
    call: &ToolCall,
    known: Known<'a>,
) -> Result<Result<Option<Known<'a>>, ToolError>, CallError> {
    let tool = known.tool;
    let context = super::of_call(context(ports, &loaded.run), &call.id, ports.clock.now());
    let wished = known.arguments.shown().clone();
    Ok(match tool.resolve(&context, wished).await {
        // What was worked out holds what is stored, and so may an error about it.
        Ok(Resolution::Call(arguments)) => fitting(agent, tool, arguments)
            .map(Some)
            .map_err(|error| error.looked(tool.def())),
        Ok(Resolution::Nothing(output)) => {
            sorted.nothing.push((call.clone(), tool.clone(), *output));
            Ok(None)
        }
        Err(error) => Err(error.looked(tool.def())),
    })
}

/// A call that its owner approved runs if it is exactly what they approved, and
/// if what it would change is still what they were shown.
pub(super) async fn granted(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    sorted: &mut Sorted,
    call: ToolCall,
    grant: Grant,
) -> Result<(), CallError> {
    let drifted = |sorted: &mut Sorted, call| {
        sorted.refuse(agent, call, Some(Unclear::Drifted), text::drifted());
        Ok(())
    };
    let Some(tool) = agent.tools.get(&call.name) else {
        return drifted(sorted, call);
    };
    let Ok(known) = fitting(agent, tool, grant.arguments.clone()) else {
        return drifted(sorted, call);
    };
    let Some(digest) = grant.digest.clone() else {
        return gated(ports, agent, loaded, sorted, call, known, Some(grant)).await;
    };
    if grant.shown.is_some() && grant.shown != shown_now(ports, loaded, &known).await? {
        return drifted(sorted, call);
    }
    match still_granted(ports, &agent.name, &loaded.run, known, &digest).await? {
        Ok(arguments) => {
            let (tool, grant) = (tool.clone(), Some(grant));
            sorted.ready.push(Ready {
                call,
                tool,
                arguments,
                grant,
            });
        }
        Err((true, words)) => sorted.refuse(agent, call, Some(Unclear::Drifted), words),
        Err((false, words)) => sorted.refuse(agent, call, Some(Unclear::Forbidden), words),
    }
    Ok(())
}

/// What the gate says of a call, and what follows from it.
async fn gated(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    sorted: &mut Sorted,
    call: ToolCall,
    known: Known<'_>,
    grant: Option<Grant>,
) -> Result<(), CallError> {
    let tool = known.tool.clone();
    let words = owner_words(&loaded.run);
    let made = sorted.circumstances(agent, loaded, &words, &tool);
    match gate(ports, &loaded.run, &call, known, made).await? {
        Gated::Authorized(arguments) => sorted.ready.push(Ready {
            call,
            tool,
            arguments,
            grant,
        }),
        Gated::Forbidden(words) => sorted.refuse(agent, call, Some(Unclear::Forbidden), words),
        Gated::Impossible(why) => sorted.refuse(agent, call, None, why),
        Gated::Ask {
            reasons,
            recipients,
            arguments,
        } => {
            let digest = digest_of(ports, &loaded.run, &tool, arguments.shown())?;
            if consents(&loaded.run, &tool.def().name, arguments.shown())? {
                consented(ports, loaded, &call, arguments.shown(), &digest).await?;
                let grant = Grant {
                    arguments: arguments.shown().clone(),
                    digest: Some(digest),
                    shown: None,
                    attempt: 1,
                };
                return Box::pin(granted(ports, agent, loaded, sorted, call, grant)).await;
            }
            match preview(ports, loaded, &tool, &call, arguments.shown()).await? {
                Ok(preview) => sorted.asks.push(ask(
                    call,
                    &tool,
                    arguments.shown(),
                    digest,
                    preview,
                    reasons,
                    recipients,
                )),
                Err(message) => sorted.refuse(agent, call, None, message),
            }
        }
    }
    Ok(())
}

/// Whether the owner made exactly this call themselves, by a button that names it.
fn consents(run: &Run, tool: &str, arguments: &Value) -> Result<bool, Failure> {
    let consent = match &run.work {
        Work::Call(call) => call.consent.as_deref(),
        Work::Agent | Work::File { .. } => None,
    };
    Ok(match consent {
        Some(consent) => memory_key(tool, arguments)? == consent,
        None => false,
    })
}

/// By making this very call, by a button that names it, its owner approved it.
async fn consented(
    ports: &Ports,
    loaded: &mut LoadedRun,
    call: &ToolCall,
    arguments: &Value,
    digest: &str,
) -> Result<(), CallError> {
    let step = StepKind::Decided {
        call_id: call.id.clone(),
        approval: ApprovalId::from("direct"),
        revision: 1,
        verdict: Verdict::Approve,
        digest: digest.to_owned(),
        arguments: arguments.clone(),
        note: None,
        taint: Taint::default(),
    };
    Ok(ports.journal().append(loaded, vec![(0, step)]).await?)
}
