//! What tools store and change: tasks, time blocks, jobs. A kind names its fields once. How cards and receipts show
//! them, what an undo compares and how words find one follow from that.

use std::marker::PhantomData;

use crate::args::NONE;
use crate::fields::{self, LISTED, shown, unclear};
use crate::prelude::*;
use crate::resolve_by_title::resolve_by_title;

/// The words and tools of a kind.
pub struct Noun {
    /// "task", also the name of its data in results.
    pub name: &'static str,
    /// The label of its title on a card that changes it.
    pub label: &'static str,
    /// The argument with its id or title.
    pub argument: &'static str,
    pub id_prefix: &'static str,
    /// The problem when a reference is empty.
    pub empty: &'static str,
    /// The problem when nothing matches.
    pub unknown: &'static str,
    /// For the model: which tool lists them.
    pub hint: &'static str,
    pub create: &'static str,
    pub update: &'static str,
    pub delete: &'static str,
}

/// Which arguments set a field, and whether cards show it.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// An argument of creating and of changing it.
    Argument,
    /// An argument of creating it; not shown.
    Created,
    /// An argument of changing it; not shown when it is created or deleted.
    Changed,
    /// Shown, and set by other arguments.
    Shown,
    /// Only compared.
    Compared,
}

#[derive(Clone)]
pub struct Field {
    pub name: &'static str,
    pub value: Value,
    pub text: String,
    role: Role,
}

impl Field {
    fn new(name: &'static str, value: impl Serialize, role: Role) -> Self {
        let value = json!(value);
        let text = shown(&value);
        Self {
            name,
            value,
            text,
            role,
        }
    }

    pub fn argument(name: &'static str, value: impl Serialize) -> Self {
        Self::new(name, value, Role::Argument)
    }

    /// An argument of creating it, which cards don't show.
    pub fn created(name: &'static str, value: impl Serialize) -> Self {
        Self::new(name, value, Role::Created)
    }

    pub fn changed(name: &'static str, value: impl Serialize) -> Self {
        Self::new(name, value, Role::Changed)
    }

    /// Shown with this text, and set by other arguments.
    pub fn shown(name: &'static str, value: impl Serialize, text: String) -> Self {
        Self::new(name, value, Role::Shown).reading(text)
    }

    /// With another text than its value.
    pub fn reading(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// Only compared, to see whether it was changed since.
    pub fn compared(name: &'static str, value: impl Serialize) -> Self {
        Self::new(name, value, Role::Compared)
    }

    pub fn is_on_card(&self) -> bool {
        matches!(self.role, Role::Argument | Role::Shown)
    }

    pub fn is_in_diff(&self) -> bool {
        self.is_on_card() || self.role == Role::Changed
    }

    fn recreates(&self) -> bool {
        matches!(self.role, Role::Argument | Role::Created) && !self.text.is_empty()
    }
}

/// The values of fields, by their names.
pub fn values(fields: impl IntoIterator<Item = Field>) -> Value {
    let fields = fields.into_iter();
    let pairs = fields.map(|field| (field.name.to_owned(), field.value));
    pairs.collect()
}

/// One that matches by its title.
pub struct Candidate {
    pub id: String,
    pub title: String,
    /// In an error. Errors carry no taint, so it doesn't quote a tainted title.
    pub label: String,
    pub option: String,
}

impl Candidate {
    /// `option` is the label when left out.
    pub fn of<E: Entity>(thing: &E, option: Option<String>) -> Self {
        let title = thing.title().to_owned();
        let label = if thing.is_tainted() {
            format!("a {}", E::NOUN.name)
        } else {
            format!("\"{title}\"")
        };
        Self {
            id: thing.id().to_owned(),
            title,
            option: option.unwrap_or_else(|| label.clone()),
            label,
        }
    }
}

/// A stored thing, with the version of its row.
#[async_trait]
pub trait Entity: Clone + Send + Sync + 'static {
    const NOUN: Noun;

    fn id(&self) -> &str;
    fn title(&self) -> &str;
    fn fields(&self, context: &ToolContext) -> Vec<Field>;
    fn view(&self, context: &ToolContext) -> Value;
    fn is_tainted(&self) -> bool;
    /// Adds the taint of the run that changes it.
    fn absorb_taint(&mut self, context: &ToolContext);
    /// Whether `NOUN.create` makes it as it is.
    fn is_creatable(&self) -> bool {
        true
    }
    async fn load(_: &ToolContext, _id: &str) -> Result<Option<Self>> {
        Ok(None)
    }
    /// The candidates for words of a title, in groups. The next group is read only if this one has no match.
    async fn candidates(_: &ToolContext, _group: usize) -> Result<Option<Vec<Candidate>>> {
        Ok(None)
    }
    /// Replaces, creates or deletes it; fails at the commit if its row was changed meanwhile.
    fn writes(context: &ToolContext, old: Option<&Self>, new: Option<&Self>) -> Result<Vec<Write>>;

    /// The values by which an undo sees whether it was changed since.
    fn left(&self, context: &ToolContext) -> Value {
        values(self.fields(context))
    }

    /// The arguments of `NOUN.update` that restore these fields. `None` if no arguments do.
    fn restoring(&self, changed: &[Field]) -> Option<Value> {
        let mut call = json!({Self::NOUN.argument: self.id()});
        for field in changed {
            call[field.name] = match &field.value {
                _ if field.role == Role::Shown => return None,
                Value::Null => NONE.into(),
                value => value.clone(),
            };
        }
        Some(call)
    }

    /// The arguments of `NOUN.create` that make it again. A tainted one has none, because its words would then count
    /// as the person's own.
    fn recreating(&self, context: &ToolContext) -> Option<Value> {
        let call = values(self.fields(context).into_iter().filter(Field::recreates));
        (!self.is_tainted() && self.is_creatable()).then_some(call)
    }

    async fn unknown(_: &ToolContext, argument: &str, text: &str) -> ToolError {
        refused(argument, text, Self::NOUN.unknown).hint(Self::NOUN.hint)
    }
}

/// An id, or words of a title.
#[derive(Deserialize, JsonSchema)]
#[serde(from = "String", bound = "")]
#[schemars(inline, bound = "")]
pub struct Ref<E> {
    pub text: String,
    of: PhantomData<fn() -> E>,
}

impl<E> From<String> for Ref<E> {
    fn from(text: String) -> Self {
        let of = PhantomData;
        Self { text, of }
    }
}

/// Finds things by id or by words of their titles. Reads the titles at most once.
pub struct Finder<E> {
    groups: Vec<Vec<Candidate>>,
    of: PhantomData<fn() -> E>,
}

impl<E: Entity> Finder<E> {
    pub const fn new() -> Self {
        Self {
            groups: Vec::new(),
            of: PhantomData,
        }
    }

    /// Fails if none or several match.
    pub async fn find(&mut self, context: &ToolContext, argument: &str, text: &str) -> Result<E> {
        let id = match fields::id(argument, text, E::NOUN.id_prefix) {
            Ok(id) => Some(id),
            Err(_) if text.trim().is_empty() => return Err(refused(argument, text, E::NOUN.empty)),
            Err(_) => self.named(context, argument, text).await?,
        };
        if let Some(id) = id
            && let Some(found) = E::load(context, &id).await?
        {
            return Ok(found);
        }
        Err(E::unknown(context, argument, text).await)
    }

    async fn named(
        &mut self,
        context: &ToolContext,
        argument: &str,
        words: &str,
    ) -> Result<Option<String>> {
        for at in 0.. {
            if at == self.groups.len() {
                match E::candidates(context, at).await? {
                    Some(group) => self.groups.push(group),
                    None => break,
                }
            }
            let group = self.groups[at].iter().collect();
            match resolve_by_title(group, words, |one: &&Candidate| &one.title).as_slice() {
                [] => {}
                [one] => return Ok(Some(one.id.clone())),
                several => {
                    let labelled = |one: &&Candidate| (one.label.clone(), one.id.clone());
                    let listed: Vec<_> = several.iter().take(LISTED).map(labelled).collect();
                    let error = unclear(argument, words, &listed, several.len());
                    return Err(error.offering(several.iter().map(|one| one.option.clone())));
                }
            }
        }
        Ok(None)
    }
}

impl<E: Entity> Ref<E> {
    /// Fails if none or several match.
    pub async fn find(&self, context: &ToolContext) -> Result<E> {
        let mut finder = Finder::new();
        finder.find(context, E::NOUN.argument, &self.text).await
    }

    pub fn refused(&self, problem: impl Into<String>) -> ToolError {
        refused(E::NOUN.argument, &self.text, problem)
    }
}
