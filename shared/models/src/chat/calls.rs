//! Assembles the tool calls of an answer. Some endpoints send no index or always the same, no id or a shared
//! one, the name with every piece, or a whole call at once.

use alfred_core::model::{Said, Unusable};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Most tool calls in one answer, since each piece searches through them.
const MAX_CALLS: usize = 1_000;

#[derive(Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Google's signature of the reasoning before the call.
    extra_content: Option<Value>,
}

impl Slot {
    /// Whether a piece belongs to another call than this one.
    fn ends_before(&self, id: &str, name: &str, arguments: &str) -> bool {
        if name.is_empty() {
            return false;
        }
        let differs = |new: &str, known: &str| !new.is_empty() && !known.is_empty() && new != known;
        let whole = || {
            self.arguments.ends_with('}')
                && serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
        };
        let unnamed = id.is_empty() || self.id.is_empty();
        differs(id, &self.id)
            || (unnamed && differs(name, &self.name))
            || (unnamed && !arguments.is_empty() && whole())
    }
}

#[derive(Default)]
pub(super) struct Calls(Vec<Slot>);

impl Calls {
    pub(super) fn take(&mut self, piece: &Value) -> Result<(), Unusable> {
        let function = &piece["function"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, name) = (text(&piece["id"]), text(&function["name"]));
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(piece) => piece.clone(),
            // Some servers send an object.
            whole => whole.to_string(),
        };
        if !piece["index"].is_null() && !piece["index"].is_u64() {
            return Err(Unusable("a tool call's index that is no number"));
        }
        let place = self.place(piece["index"].as_u64(), &id, &name, &arguments);
        let Some(slot) = self.0.get_mut(place) else {
            return Err(Unusable("too many tool calls"));
        };
        if slot.id.is_empty() {
            slot.id = id;
        }
        if slot.name.is_empty() {
            slot.name = name;
        }
        slot.arguments.push_str(&arguments);
        if !piece["extra_content"].is_null() {
            slot.extra_content = Some(piece["extra_content"].clone());
        }
        Ok(())
    }

    /// The index of the call that a piece belongs to, added if new. `MAX_CALLS` if there are too many.
    fn place(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> usize {
        let found = match index {
            Some(_) => self.0.iter().rposition(|slot| slot.index == index),
            None if !id.is_empty() => self.0.iter().rposition(|slot| slot.id == id),
            None => self.0.len().checked_sub(1),
        };
        let found = found.filter(|&at| !self.0[at].ends_before(id, name, arguments));
        found.unwrap_or_else(|| {
            let next = self.0.len();
            if next < MAX_CALLS {
                self.0.push(Slot {
                    index,
                    ..Slot::default()
                });
            }
            next
        })
    }

    pub(super) fn add_to(self, said: &mut Said) {
        for slot in self.0 {
            said.calls(slot.id, slot.name, slot.arguments);
            if let Some(signature) = slot.extra_content {
                said.keeps("extra_content", signature);
            }
        }
    }
}
