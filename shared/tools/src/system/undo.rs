//! Runs the inverse calls of what was done last, as parts of one call.

use alfred_agent::model::{Session, UNDONE};
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::slack::undo::{Undoable, undoable};
use alfred_agent::tool::{Part, PartDone, Resolution, Tool, UndoCall};
use alfred_agent::{LoadedRun, Step, Work};
use alfred_core::RunId;

use super::TOOLSET;
use crate::catalogue::inverse;
use crate::prelude::*;

const UNDO_REACHES_OTHERS: &str = "taking it back reaches others, so it has a button of its own";
const UNDO_HAS_A_BUTTON: &str =
    "Please press Undo under my reply about that, since it changes something outside of Alfred.";
const LAST_HAS_NO_WAY_BACK: &str = "What was done last here can't be taken back, such as a message that was sent. Nothing before it was touched.";

pub const NAME: &str = "system_undo";
/// A plain "undo" means nothing older than this. A button names its effect and has no limit.
const LATEST: SignedDuration = SignedDuration::from_hours(24);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Leave it out for what was done last.
    of: Option<String>,
}

/// The resolved arguments. No model can give them.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Found {
    run: RunId,
    /// The call to undo; the whole run without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    effects: Vec<Inverse>,
    /// Effects whose undo would reach other people, so it isn't run here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
    /// Whether other people's words may be in it.
    tainted: bool,
}

#[derive(Deserialize, Serialize)]
struct Inverse {
    what: String,
    calls: Vec<UndoCall>,
}

impl Found {
    fn calls(&self) -> impl Iterator<Item = &UndoCall> {
        self.effects.iter().flat_map(|effect| &effect.calls)
    }

    fn outcome(&self, tried: &[PartDone<'_>]) -> Value {
        let (mut back, mut failed) = (Vec::new(), Vec::new());
        let mut tried = tried.iter();
        for effect in &self.effects {
            let parts: Vec<_> = tried.by_ref().take(effect.calls.len()).collect();
            let outputs = parts.iter().map(|part| &part.output["problems"]);
            let mut problems = outputs.filter_map(Value::as_array).flatten();
            match (parts.iter().find(|part| !part.ok), problems.next()) {
                (None, None) => back.push(effect.what.as_str()),
                (Some(part), _) => failed.push(json!({
                    "what": effect.what,
                    "error": part.output["error"],
                    "say": part.output["say"],
                })),
                (None, Some(problem)) => {
                    failed.push(json!({"what": effect.what, "error": problem["reason"]}));
                }
            }
        }
        let left = self.left.iter();
        failed.extend(left.map(|what| json!({"what": what, "error": UNDO_REACHES_OTHERS})));
        let call = self.call.as_ref().map(|call| format!(":{call}"));
        let undone = format!("{}{}", self.run, call.unwrap_or_default());
        json!({UNDONE: undone, "takenBack": back, "failed": failed})
    }
}

struct Undo(ToolDef);

pub fn tool() -> SharedTool {
    let description = "Takes back all that the last request in this conversation changed, as far as that can be; a message that was sent can't.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite)
        .with(|def| {
            def.blind_undo = true;
            def.phrases = "undo|undo it|undo that|take it back|take that back";
        });
    Arc::new(Undo(def))
}

#[async_trait]
impl Tool for Undo {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<Arguments>()
    }

    fn check_resolved(&self, arguments: &Value) -> Option<Result<()>> {
        Some(tool::parsed::<Found>(arguments.clone()).map(drop))
    }

    async fn resolve(&self, context: &ToolContext, arguments: Value) -> Result<Resolution> {
        let args: Arguments = tool::parsed(arguments)?;
        let found = match args.of.as_deref() {
            Some(named) => self::named(context, named).await?,
            None => last(context).await?,
        };
        let found = found.ok_or_else(|| {
            ToolError::failed("Nothing that was done here in the last day can be taken back.")
        })?;
        let call = serde_json::to_value(found).map_err(Failure::bug)?;
        Ok(Resolution::Call(call))
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        let found: Found = tool::parsed(arguments.clone())?;
        let mut preview = Preview::new("Undo what I did");
        for Inverse { what, .. } in &found.effects {
            let made = what.strip_prefix("Created ");
            let (label, what) = made.map_or(("Undo", &**what), |made| ("Remove", made));
            preview = preview.field(label, what);
        }
        Ok(preview)
    }

    fn next_part(&self, _: &ToolContext, args: &Value, tried: &[PartDone<'_>]) -> Option<Part> {
        let found: Found = tool::parsed(args.clone()).ok()?;
        if let Some(call) = found.calls().nth(tried.len()) {
            return Some(Part::Call {
                tool: inverse(&call.tool)?,
                arguments: call.arguments.clone(),
                left: call.left.clone(),
            });
        }
        let output = ToolOutput::data(&found.outcome(tried)).ok()?;
        let output = output.bringing(Flow::of_stored(found.tainted));
        Some(Part::Finished(Box::new(output)))
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput> {
        Err(ToolError::Stop(Failure::bug("an undo runs in parts")))
    }
}

/// Finds what a button names: a run, or one call of it.
async fn named(context: &ToolContext, named: &str) -> Result<Option<Found>> {
    let (run, call) = match named.split_once(':') {
        Some((run, call)) => (run, Some(call)),
        None => (named, None),
    };
    let found = family(context, &RunId::from(run)).await?;
    let is_named = |one: &Undoable<'_>| call.is_none_or(|id| id == one.call_id);
    Ok(found_in(&found, call, is_named))
}

/// Finds the last thing done in this conversation that isn't undone yet.
async fn last(context: &ToolContext) -> Result<Option<Found>> {
    let (store, team) = (&*context.store, &context.team);
    let session = Session::load(store, team, context.user_id(), &context.session).await?;
    // Runs, and calls as "run:call".
    let mut undone: Vec<String> = Vec::new();
    let young = |at: Timestamp| context.now.duration_since(at) <= LATEST;
    for id in session.memory.iter().rev().filter_map(|it| it.run.as_ref()) {
        let runs = family(context, id).await?;
        let before = undone.len();
        let mut steps = runs.iter().flat_map(|loaded| &loaded.steps);
        let undos = steps.clone().filter_map(Step::result);
        let undos = undos.filter(|result| result.ok && result.name == NAME);
        undone.extend(undos.filter_map(|undo| undo.output[UNDONE].as_str().map(str::to_owned)));
        // A second "undo" doesn't redo what the first one undid.
        if undone.len() > before || runs.iter().any(by_a_button) {
            continue;
        }
        let is_left = |one: &Undoable<'_>| {
            young(one.at) && !undone.contains(&format!("{id}:{}", one.call_id))
        };
        if !undone.contains(&id.to_string()) {
            if let Some(found) = found_in(&runs, None, is_left) {
                return Ok(Some(found));
            }
            let mut left = runs.iter().flat_map(|loaded| undoable(&loaded.steps));
            if left.any(|one| is_left(&one)) {
                return Err(ToolError::failed(UNDO_HAS_A_BUTTON));
            }
        }
        // "undo" means the last thing done, and nothing before it.
        if steps.any(|step| young(step.at) && stays(step)) {
            return Err(ToolError::failed(LAST_HAS_NO_WAY_BACK));
        }
    }
    Ok(None)
}

fn stays(step: &Step) -> bool {
    let done = step.result().filter(|it| it.ok && it.name != NAME);
    let receipt = done.and_then(|result| result.receipt.as_ref());
    receipt.is_some_and(|receipt| receipt.undo.is_empty())
}

fn by_a_button(loaded: &LoadedRun) -> bool {
    matches!(&loaded.run.work, Work::Call(call) if call.consent.is_some())
}

/// The asking person's run and its child runs; empty if it is gone or belongs to somebody else.
async fn family(context: &ToolContext, id: &RunId) -> Result<Vec<LoadedRun>> {
    let journal = context.journal();
    let own = |found: &LoadedRun| found.run.user == *context.user_id();
    let Some(loaded) = journal.load(&context.team, id).await?.filter(own) else {
        return Ok(Vec::new());
    };
    let children: Vec<RunId> = loaded.run.children().cloned().collect();
    let mut runs = vec![loaded];
    for child in &children {
        runs.extend(journal.load(&context.team, child).await?);
    }
    Ok(runs)
}

fn found_in(
    runs: &[LoadedRun],
    call: Option<&str>,
    counts: impl Fn(&Undoable<'_>) -> bool,
) -> Option<Found> {
    let run = runs.first()?.run.id.clone();
    let effects = runs.iter().rev().flat_map(|loaded| undoable(&loaded.steps));
    let effects = effects.filter(counts);
    let outward = |call: &UndoCall| {
        let tool = inverse(&call.tool);
        tool.is_none_or(|tool| tool.def_of(&call.arguments).effect == Effect::Outward)
    };
    let (left, own): (Vec<_>, Vec<_>) =
        effects.partition(|one| one.receipt.undo.iter().any(outward));
    let inverse = |one: &Undoable<'_>| Inverse {
        what: one.receipt.what.clone(),
        calls: one.receipt.undo.clone(),
    };
    (!own.is_empty()).then(|| Found {
        run,
        call: call.map(str::to_owned),
        effects: own.iter().map(inverse).collect(),
        left: left.iter().map(|one| one.receipt.what.clone()).collect(),
        tainted: runs.iter().any(|loaded| loaded.run.is_tainted()),
    })
}
