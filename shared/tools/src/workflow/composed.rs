//! The common form of workflows. A wish becomes a proposal, the approved proposal runs in parts, and the
//! result is kept.

use alfred_agent::model::Approval;
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{ApprovalDefault, Part, PartDone, Proposal, Resolution, Tool};
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

use super::TOOLSET;
use super::proposal::{Ended, Item, done};
use crate::prelude::*;

/// Tools that change an existing block.
const CHANGES: [&str; 2] = ["schedule_moveTimeBlock", "schedule_deleteTimeBlock"];

/// A tool's name and its arguments.
pub type Step = (&'static str, Value);

pub type Proposing<'a, W> = BoxFuture<'a, Result<Proposed<W>>>;

pub trait Workflow: Sized + Send + Sync + 'static {
    /// The arguments of a caller.
    type Wish: Clone + DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    /// What runs after approval.
    type Confirmation: DeserializeOwned + Serialize + Send + Sync;
    /// What else the card shows.
    type Proposal: DeserializeOwned + Serialize + Send + Sync;
    const NAME: &'static str;
    const DESCRIPTION: &'static str;
    const RULES: &'static [&'static str];

    fn propose(context: &ToolContext, wanted: Wanted<Self::Wish>) -> Proposing<'_, Self>;
    /// Merges a new wish into the earlier one. Where they differ, the new one wins.
    fn revised(wish: Self::Wish, now: Self::Wish) -> Self::Wish;
    /// The wish without what its owner left out, as far as arguments can express it.
    fn leaving_out(wish: Self::Wish, names: Vec<String>) -> Self::Wish;
    /// Whether a part that was left out of this proposal stays so after a new wish.
    fn still_left_out(before: &Self::Proposal, name: &str, now: &Self::Wish) -> bool;
    /// The wishes for a plan. Empty if a part of them couldn't be expressed.
    fn wishes(_: &Self::Wish) -> Vec<alfred_planner::Wish> {
        Vec::new()
    }
    /// The part of a proposal without other people's words; `None` if there is none.
    fn outline(_: &Proposed<Self>) -> Option<String> {
        None
    }
    /// The parts that the owner may leave out. Without any there is nothing to decide.
    fn items(proposed: &Proposed<Self>) -> Vec<Item>;
    /// The new parts in the result of the first phase.
    fn proposals(_: &Proposed<Self>, items: &[Item]) -> Value {
        json!(items)
    }
    /// The card without items and notes.
    fn card(proposed: &Proposed<Self>) -> Preview;
    /// Notes that depend on the parts that are left.
    fn remarks(_: &Proposed<Self>) -> Vec<String> {
        Vec::new()
    }
    /// Says that there is nothing to decide.
    fn nothing(proposed: &Proposed<Self>) -> String;
    /// The parts in order, as far as they are known after those already done.
    fn steps(proposed: &Proposed<Self>, done: &[PartDone<'_>]) -> Vec<Step>;
    fn outcome(proposed: &Proposed<Self>, done: &[PartDone<'_>]) -> Ended;
}

/// For serde: skips a field with the default value.
pub fn is_default<T: Default + PartialEq>(said: &T) -> bool {
    *said == T::default()
}

/// A wish, and what its owner left out of an earlier proposal: ids, or labels of the card.
pub struct Wanted<W> {
    pub wish: W,
    pub without: Vec<String>,
    pub edited: bool,
}

/// A proposal as stored with its approval. No model can give it.
#[derive(Deserialize, Serialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proposed<W: Workflow> {
    pub wish: W::Wish,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The part of the wish that the owner wrote about the proposal, in runs that read nothing of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<W::Wish>,
    pub confirmation: W::Confirmation,
    pub proposal: W::Proposal,
    pub notes: Vec<String>,
}

impl<W: Workflow> Proposed<W> {
    /// The arguments that the owner decides about, or the result if there is nothing to decide.
    fn resolution(&self) -> Result<Resolution> {
        if W::items(self).is_empty() {
            let output = ToolOutput::data(&self.first_phase())?;
            return Ok(Resolution::Nothing(Box::new(output)));
        }
        let arguments = serde_json::to_value(self).map_err(Failure::bug)?;
        Ok(Resolution::Call(arguments))
    }

    /// The result of the first phase, which changes nothing.
    fn first_phase(&self) -> Value {
        let items = W::items(self);
        let requires_confirmation = !items.is_empty();
        let card = W::card(self);
        let lines = if requires_confirmation {
            vec![format!("{}. Shall I go ahead?", card.title)]
        } else {
            let fields = card.fields.iter().map(|field| {
                let is_list = field.value.contains('\n');
                let before = if is_list { "\n" } else { " " };
                format!("{}:{before}{}", field.label, field.value)
            });
            [W::nothing(self)].into_iter().chain(fields).collect()
        };
        let changes_a_block = |item: &Item| CHANGES.contains(&item.step);
        let (changes, proposals): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(changes_a_block);
        let message = [lines, self.notes()].concat().join("\n");
        json!({
            "success": true,
            "phase": "proposal",
            "requiresConfirmation": requires_confirmation,
            "proposals": W::proposals(self, &proposals),
            "changes": changes,
            "message": message,
        })
    }

    fn notes(&self) -> Vec<String> {
        [self.notes.clone(), W::remarks(self)].concat()
    }

    fn preview(&self) -> Preview {
        let mut card = W::card(self);
        let table = card.body.take().map(|table| table + "\n");
        let lines: Vec<String> = table.into_iter().chain(self.notes()).collect();
        let card = card.body(lines.join("\n").trim_end());
        let items = W::items(self).into_iter();
        items.fold(card, |card, item| card.item(item.at, item.label))
    }
}

struct Composed<W>(ToolDef, PhantomData<fn() -> W>);

pub fn tool<W: Workflow>() -> SharedTool {
    let def = ToolDef::new(TOOLSET, W::NAME, W::DESCRIPTION)
        .flow(Flow::UNKNOWN)
        .rules(W::RULES)
        .effect(Effect::ReversibleWrite)
        .approval(ApprovalDefault::Always);
    Arc::new(Composed::<W>(def, PhantomData))
}

const OUTDATED: &str = "This proposal is from an older version of me. Please ask me for it again.";

/// Fails for a proposal that another release stored, which its owner can't repair.
fn proposed<W: Workflow>(arguments: &Value) -> Result<Proposed<W>> {
    tool::parsed(arguments.clone()).map_err(|_| ToolError::failed(OUTDATED))
}

#[async_trait]
impl<W: Workflow> Tool for Composed<W> {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<W::Wish>()
    }

    fn check_resolved(&self, arguments: &Value) -> Option<Result<()>> {
        Some(proposed::<W>(arguments).map(drop))
    }

    async fn resolve(&self, context: &ToolContext, arguments: Value) -> Result<Resolution> {
        let wanted = Wanted {
            wish: tool::parsed(arguments)?,
            without: Vec::new(),
            edited: false,
        };
        W::propose(context, wanted).await?.resolution()
    }

    fn proposal(&self) -> Option<&dyn Proposal> {
        Some(self)
    }

    fn outline(&self, arguments: &Value) -> Option<String> {
        W::outline(&proposed(arguments).ok()?)
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        Ok(proposed::<W>(arguments)?.preview())
    }

    fn next_part(&self, context: &ToolContext, args: &Value, ran: &[PartDone<'_>]) -> Option<Part> {
        let found = proposed::<W>(args).ok()?;
        if let Some((name, arguments)) = W::steps(&found, ran).into_iter().nth(ran.len()) {
            let tool = crate::tool(name)?;
            return Some(Part::Call {
                tool,
                arguments,
                left: None,
            });
        }
        let own = found.own.as_ref().map(W::wishes).unwrap_or_default();
        let (ended, wishes) = (W::outcome(&found, ran), W::wishes(&found.wish));
        let output = done(context, W::NAME, ended, wishes, own).ok()?;
        Some(Part::Finished(Box::new(output)))
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput> {
        Err(ToolError::Stop(Failure::bug("a workflow runs in parts")))
    }
}

#[async_trait]
impl<W: Workflow> Proposal for Composed<W> {
    fn check_edit(&self, payload: &Value) -> Result<()> {
        if W::items(&proposed::<W>(payload)?).is_empty() {
            return Err(ToolError::failed(text::NOTHING_LEFT));
        }
        Ok(())
    }

    async fn changed(
        &self,
        context: &ToolContext,
        approval: &Approval,
        changes: Value,
    ) -> Result<Value> {
        let parsed = |changes: &Value| tool::parsed::<W::Wish>(json!({"changes": changes}));
        let (before, now) = (proposed::<W>(&approval.payload)?, parsed(&changes)?);
        let wish = W::revised(before.wish.clone(), now.clone());
        let mut without = before.without.clone();
        without.retain(|name| W::still_left_out(&before.proposal, name, &now));
        let unchanged = W::revised(before.wish, parsed(&json!({}))?);
        if json!(wish) == json!(unchanged) && without == before.without {
            let error = "changes: they change nothing of this proposal.";
            return Err(ToolError::failed(error));
        }
        let own = match before.own {
            own if context.tainted => own,
            Some(own) => Some(W::revised(own, now)),
            None => Some(now),
        };
        let wanted = Wanted {
            wish,
            without,
            edited: true,
        };
        // The earlier wish counts as others' words if the run that proposed had read some.
        let mut context = context.clone();
        context.tainted |= !approval.taint.untrusted.is_empty();
        let proposed = W::propose(&context, wanted).await;
        let mut proposed = proposed.map_err(|error| error.looked(&self.0))?;
        proposed.own = own;
        match proposed.resolution()? {
            Resolution::Call(payload) => Ok(payload),
            Resolution::Nothing(_) => Err(ToolError::failed(text::NOTHING_LEFT)),
        }
    }

    fn first_phase(&self, payload: &Value) -> Result<Value> {
        Ok(proposed::<W>(payload)?.first_phase())
    }

    fn wished(&self, arguments: &Value) -> Result<Value> {
        let found = proposed::<W>(arguments)?;
        let wish = W::leaving_out(found.wish, found.without);
        Ok(serde_json::to_value(wish).map_err(Failure::bug)?)
    }
}
