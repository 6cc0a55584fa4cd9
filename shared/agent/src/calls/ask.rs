//! Builds the approval request for a call, also for one that its owner edited.

use alfred_core::ports::ToolCall;
use alfred_core::{ApprovalId, Failure, Result, text};
use serde_json::Value;

use crate::approval::pending::{Ask, load};
use crate::calls::assess::{self, Concerns, Gated, fitting};
use crate::calls::context::AgentLoop;
use crate::calls::recipients;
use crate::calls::result::{drifted, unclear};
use crate::calls::stage::{Next, Ready};
use crate::history::{frame, owner_words};
use crate::model::{
    Approval, Decided, Preview, Question, ROW_VERSION, Reason, RunInput, Status, Unclear,
};
use crate::tool::{Resolution, SharedTool, ToolError};

pub(crate) async fn ask(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    arguments: Value,
    concerns: Concerns,
) -> Result<Ask, ToolError> {
    let def = tool.def_of(&arguments);
    let preview = preview(work, call, tool, &arguments).await?;
    let context = work.cx.tool_context(&call.id);
    let beside = tool.asked(&context, &arguments);
    let beside = beside.map_err(|error| error.looked(def))?;
    Ok(Ask {
        version: None,
        tool: Some(tool.clone()),
        private: def.flow.private,
        shown: Some(preview.digest()?),
        beside,
        approval: Approval {
            digest: assess::digest_of(work, tool, &arguments)?,
            reasons: concerns.reasons,
            recipients: concerns.recipients,
            ..approval(work, call, arguments, preview.editable(&tool.schema())).await?
        },
    })
}

/// A first revision for this run and agent. Taint and times are set when it is stored.
pub(crate) async fn approval(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    payload: Value,
    preview: Preview,
) -> Result<Approval> {
    let (ports, run, loaded) = (work.cx.ports, work.cx.run(), &*work.cx.loaded);
    let agents = frame::path(work.program, &loaded.steps, &loaded.frame).into_iter();
    let agents = agents.filter(|_| !loaded.frame.is_own());
    let mut path: Vec<String> = agents.map(str::to_owned).collect();
    if let (RunInput::Team(input), Some(first)) = (&run.input, path.first_mut()) {
        // Every team manager has the same agent name, so the team's name is used.
        first.clone_from(&input.team);
    }
    Ok(Approval {
        v: ROW_VERSION,
        id: ApprovalId::new(&*ports.ids),
        revision: 1,
        team: run.team.clone(),
        owner: run.user.clone(),
        run: run.id.clone(),
        call_id: call.id.clone(),
        session: run.session.clone(),
        worker: work.agent.name.clone(),
        path,
        question: Question::MayItRun,
        action_type: call.name.clone(),
        payload,
        digest: String::new(),
        outside: recipients::outside(&*ports.store, run, &preview).await?,
        preview,
        edited_by: None,
        trouble: None,
        reasons: Vec::new(),
        recipients: Vec::new(),
        taint: run.taint.clone(),
        asked_in: run.input.slack().clone(),
        status: Status::Pending,
        created_at: work.cx.now(),
        expires_at: work.cx.now(),
        resolved_at: None,
        resolved_by: None,
        resolved_trigger: None,
        note: None,
    })
}

/// Fails with `Failed` if the call can't be done or shown.
pub(crate) async fn preview(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    arguments: &Value,
) -> Result<Preview, ToolError> {
    let context = work.cx.tool_context(&call.id);
    let preview = tool.preview(&context, arguments).await;
    let preview = preview.map_err(|error| error.looked(tool.def_of(arguments)))?;
    preview.check().map_err(ToolError::failed)?;
    Ok(preview)
}

/// Asks about the edited call. An unusable edit asks about the unedited call, and the card says why.
pub(crate) async fn edited(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    edit: Decided,
    before: Value,
    beside: &[Ready],
) -> Result<Next, ToolError> {
    let tool = work.agent.tools.get(&call.name).ok_or_else(drifted)?;
    let mut words = owner_words(work.cx.run());
    let (arguments, trouble) = match usable(work, call, tool, &edit.arguments).await {
        Ok(usable) => {
            // An edit by a tainted run may contain other people's text.
            if edit.taint.untrusted.is_empty() {
                words.extend(changed_texts(&before, &edit.arguments));
            }
            (usable, None)
        }
        Err(ToolError::Failed(why)) => (before, Some(why.said())),
        Err(stop) => return Err(stop),
    };
    let known = fitting(work.agent, tool, arguments).map_err(|_| drifted())?;
    let gated = assess::gate(work, call, known, beside, &words).await;
    // A refusal of an edited call must be reported to the owner, so it gets a reason.
    let reported = |error: ToolError| error.map(|why| why.unclear(Unclear::Drifted));
    let (arguments, concerns) = match gated.map_err(reported)? {
        Gated::Ask(arguments, concerns) => (arguments, concerns),
        // It needed approval before, so an edit must not skip it.
        Gated::Authorized(arguments) => {
            let concerns = Concerns {
                reasons: vec![Reason::ToolAsks],
                recipients: Vec::new(),
            };
            (arguments.into_value(), concerns)
        }
    };
    let asked = ask(work, call, tool, arguments, concerns).await;
    let mut ask = asked.map_err(reported)?;
    let (store, team) = (&*work.cx.ports.store, &work.cx.run().team);
    let stored = load(store, team, &edit.approval).await?;
    let (stored, version) = stored.ok_or_else(|| Failure::bug("an edited approval is missing"))?;
    ask.version = Some(version);
    let approval = &mut ask.approval;
    (approval.id, approval.revision) = (edit.approval, edit.revision + 1);
    (approval.edited_by, approval.trouble) = (stored.resolved_trigger, trouble);
    Ok(Next::Ask(Box::new(ask)))
}

async fn usable(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    edited: &Value,
) -> Result<Value, ToolError> {
    fitting(work.agent, tool, edited.clone())?;
    let context = work.cx.tool_context(&call.id);
    let arguments = match tool.proposal() {
        Some(proposal) => proposal.check_edit(edited).map(|()| edited.clone())?,
        None => match tool.resolve(&context, edited.clone()).await? {
            Resolution::Call(arguments) => arguments,
            Resolution::Nothing(_) => return Err(unclear(Unclear::Drifted, text::NOTHING_LEFT)),
        },
    };
    preview(work, call, tool, &arguments).await?;
    Ok(arguments)
}

fn changed_texts(before: &Value, after: &Value) -> Vec<String> {
    let fields = after.as_object().into_iter().flatten();
    let texts = fields.flat_map(|(name, value)| match (&before[name], value) {
        (kept, value) if kept == value => Vec::new(),
        (kept, Value::Array(items)) => {
            let new = |item: &&Value| kept.as_array().is_none_or(|kept| !kept.contains(item));
            items.iter().filter(new).collect()
        }
        (_, other) => vec![other],
    });
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}
