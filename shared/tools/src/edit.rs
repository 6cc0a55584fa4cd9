//! Tools that create, change or delete one stored thing. A planning function says how the thing is before and after;
//! card, diff, receipt, undo, taint and the versioned write come from that.

use alfred_agent::model::in_words;
use alfred_agent::tool::UndoCall;
use serde::de::DeserializeOwned;
use serde_json::Map;

use crate::entity::{Field, values};
use crate::fields::becomes;
use crate::prelude::*;

pub struct Edit<E> {
    title: &'static str,
    before: Option<E>,
    after: Option<E>,
    /// `None`: by creating, changing or deleting the thing.
    undo: Option<Vec<(&'static str, Value)>>,
    what: Option<String>,
    data: Map<String, Value>,
    lines: Vec<(&'static str, String, String)>,
    body: String,
    absorbs: bool,
    writes: Vec<Write>,
    tainted: bool,
}

impl<E: Entity> Edit<E> {
    /// `title` is the card's.
    pub fn create(title: &'static str, after: E) -> Self {
        Self::new(title, None, Some(after))
    }

    pub fn change(title: &'static str, before: E, after: E) -> Self {
        Self::new(title, Some(before), Some(after))
    }

    pub fn delete(title: &'static str, before: E) -> Self {
        Self::new(title, Some(before), None)
    }

    fn new(title: &'static str, before: Option<E>, after: Option<E>) -> Self {
        Self {
            title,
            before,
            after,
            undo: None,
            what: None,
            data: Map::new(),
            lines: Vec::new(),
            body: String::new(),
            absorbs: true,
            writes: Vec::new(),
            tainted: false,
        }
    }

    /// The receipt's sentence, where the usual one doesn't say enough.
    pub fn receipt(mut self, what: String) -> Self {
        self.what = Some(what);
        self
    }

    pub fn data(mut self, name: &str, value: impl Serialize) -> Self {
        self.data.insert(name.to_owned(), json!(value));
        self
    }

    pub fn line(mut self, label: &'static str, before: String, after: String) -> Self {
        self.lines.push((label, before, after));
        self
    }

    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.body = text.into();
        self
    }

    pub fn writing(mut self, writes: impl IntoIterator<Item = Write>) -> Self {
        self.writes.extend(writes);
        self
    }

    /// Whether other people's words are in the rest of the result.
    pub fn tainted(mut self, tainted: bool) -> Self {
        self.tainted |= tainted;
        self
    }

    /// Keeps the run's taint out of a thing into which the change writes none of the run's text.
    pub fn without_taint_of_run(mut self) -> Self {
        self.absorbs = false;
        self
    }

    pub fn undone_by(mut self, tool: &'static str, arguments: Value) -> Self {
        self.undo.get_or_insert_default().push((tool, arguments));
        self
    }

    pub fn not_undoable(mut self) -> Self {
        self.undo = Some(Vec::new());
        self
    }

    pub fn changed(&self, context: &ToolContext) -> (Vec<Field>, Vec<Field>) {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return (Vec::new(), Vec::new());
        };
        let pairs = before.fields(context).into_iter();
        let pairs = pairs.zip(after.fields(context));
        let differ = |(from, to): &(Field, Field)| from.is_in_diff() && from.value != to.value;
        pairs.filter(differ).unzip()
    }

    fn ensure_changes(&self, to: &[Field]) -> Result<()> {
        match (&self.before, &self.after) {
            (Some(before), Some(_)) if to.is_empty() => {
                let problem = "is as asked for already.";
                Err(refused(E::NOUN.argument, before.id(), problem))
            }
            _ => Ok(()),
        }
    }

    fn card(&self, context: &ToolContext) -> Result<Preview> {
        let (from, to) = self.changed(context);
        self.ensure_changes(&to)?;
        let mut card = Preview::new(self.title);
        let on_card = |thing: &E| thing.fields(context).into_iter().filter(Field::is_on_card);
        match (&self.before, &self.after) {
            (Some(before), Some(_)) => {
                if !E::NOUN.label.is_empty() {
                    card = card.field(E::NOUN.label, before.title());
                }
                for (from, to) in from.into_iter().zip(to) {
                    card = card.change(&in_words(from.name), from.text, to.text);
                }
            }
            (None, Some(after)) => {
                for field in on_card(after) {
                    card = card.any(&in_words(field.name), field.text);
                }
            }
            (Some(before), None) => {
                for field in on_card(before).filter(|field| !field.text.is_empty()) {
                    card = card.change(&in_words(field.name), field.text, "");
                }
            }
            (None, None) => {}
        }
        for (label, from, to) in &self.lines {
            card = card.change(label, from, to);
        }
        Ok(card.body(&*self.body))
    }

    /// The writes, the receipt and the result. An undo is refused if the thing was changed since.
    pub fn output(mut self, context: &ToolContext) -> Result<ToolOutput> {
        if let Some(before) = &self.before {
            context.ensure_as_left(before.title(), before.is_tainted(), &before.left(context))?;
        }
        let (from, to) = self.changed(context);
        self.ensure_changes(&to)?;
        if let Some(after) = self.after.as_mut().filter(|_| self.absorbs) {
            after.absorb_taint(context);
        }
        let mut writes = E::writes(context, self.before.as_ref(), self.after.as_ref())?;
        writes.append(&mut self.writes);
        let undo = self.undo(context, &from, &to);
        let things = self.before.iter().chain(&self.after);
        let is_tainted = self.tainted || things.into_iter().any(E::is_tainted);
        let is_new = self.before.is_none();
        let what = self.what.take().unwrap_or_else(|| self.sentence(&to));
        let output = ToolOutput::data(&self.result(context, &to))?.with_receipt(Receipt {
            what,
            undo,
            ..Receipt::default()
        });
        let output = ToolOutput { writes, ..output };
        // A new thing holds nothing but the call's own arguments.
        if is_new && !self.tainted {
            Ok(output)
        } else {
            Ok(output.bringing(Flow::of_stored(is_tainted)))
        }
    }

    /// The calls that take it back. Each compares the fields that were changed, or all of a new thing.
    fn undo(&self, context: &ToolContext, from: &[Field], to: &[Field]) -> Vec<UndoCall> {
        let noun = E::NOUN;
        let left = match (&self.before, &self.after) {
            (None, Some(after)) => Some(after.left(context)),
            (Some(_), Some(_)) => Some(values(to.iter().cloned())),
            (_, None) => None,
        };
        let inverse = match (&self.before, &self.after) {
            (None, Some(after)) => Some((noun.delete, json!({noun.argument: after.id()}))),
            (Some(before), Some(_)) => before.restoring(from).map(|call| (noun.update, call)),
            (Some(before), None) => before.recreating(context).map(|call| (noun.create, call)),
            (None, None) => None,
        };
        let calls = self.undo.clone();
        let calls = calls.unwrap_or_else(|| inverse.into_iter().collect());
        let call = |(tool, arguments): (&str, Value)| UndoCall {
            tool: tool.to_owned(),
            arguments,
            left: left.clone(),
        };
        calls.into_iter().map(call).collect()
    }

    /// `Changed task "Call Ana": due date Fri 27 Nov`.
    fn sentence(&self, to: &[Field]) -> String {
        let verb = match (&self.before, &self.after) {
            (None, _) => "Created",
            (Some(_), None) => "Deleted",
            (Some(_), Some(_)) => "Changed",
        };
        let title = self.after.iter().chain(&self.before).next().map(E::title);
        let part = |field: &Field| becomes(field.name, &field.value, &field.text);
        let parts: Vec<String> = to.iter().map(part).collect();
        let what = format!("{verb} {} \"{}\"", E::NOUN.name, title.unwrap_or_default());
        if parts.is_empty() {
            what
        } else {
            format!("{what}: {}", parts.join(", "))
        }
    }

    fn result(&mut self, context: &ToolContext, to: &[Field]) -> Map<String, Value> {
        let mut data = std::mem::take(&mut self.data);
        let (name, thing) = match &self.after {
            Some(after) => (E::NOUN.name, Some(after)),
            None => ("deleted", self.before.as_ref()),
        };
        if let Some(thing) = thing {
            data.entry(name).or_insert_with(|| thing.view(context));
        }
        if !to.is_empty() {
            let names: Vec<&str> = to.iter().map(|field| field.name).collect();
            data.entry("changed").or_insert_with(|| json!(names));
        }
        data
    }
}

pub fn tool<E, A, P>(
    def: ToolDef,
    plan: impl Fn(ToolContext, A) -> P + Send + Sync + 'static,
) -> SharedTool
where
    E: Entity,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    P: Future<Output = Result<Edit<E>>> + Send + 'static,
{
    let plan = Arc::new(plan);
    let planned = Arc::clone(&plan);
    let card = move |context: ToolContext, args: A| {
        let plan = planned(context.clone(), args);
        async move { plan.await?.card(&context) }
    };
    let run = move |context: ToolContext, args: A| {
        let plan = plan(context.clone(), args);
        async move { plan.await?.output(&context) }
    };
    tool::shown(def, card, run)
}
