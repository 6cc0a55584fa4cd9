//! What documents and sheets have in common: how they are found, and how they are changed after an approval.

use alfred_agent::model::in_words;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{AccountError, FileSummary};
use serde::de::DeserializeOwned;

use crate::fields::{LISTED, MAX_WORDS, local, unclear, words_up_to};
use crate::prelude::*;
use crate::resolve_by_title::resolve_by_title;

/// Files in a list.
pub const SHOWN: usize = 30;
/// Files among which a title is resolved.
const LOOKED_AT: usize = 100;

const NOT_SEARCHED: &str =
    "Not every text could be searched: some are too large, too many, or in a format I can't read.";

pub type Summary<F> = FileSummary<<F as RemoteFile>::Id>;

#[async_trait]
pub trait RemoteFile: Sized + Send + Sync + 'static {
    /// The argument with an id or a title.
    const FIELD: &'static str;
    /// Singular noun in data and texts; its plural adds an "s".
    const NOUN: &'static str;
    type Id: From<String> + ToString + Serialize + PartialEq + Send + Sync;
    fn summary(&self) -> &Summary<Self>;
    fn link(&self) -> Option<String>;
    /// Lists files whose titles have these words, the last changed first.
    async fn list(
        context: &ToolContext,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Summary<Self>>, AccountError>;
    /// Lists files with these words, by content too where that can be, and whether everything was searched.
    async fn search(
        context: &ToolContext,
        words: &[String],
    ) -> Result<(Vec<Summary<Self>>, bool), AccountError> {
        Ok((Self::list(context, words, SHOWN).await?, true))
    }
    async fn load(context: &ToolContext, id: &Self::Id) -> Result<Option<Self>, AccountError>;

    fn view(&self, context: &ToolContext) -> Value {
        view::<Self>(context, self.summary())
    }

    fn receipt(&self, context: &ToolContext, what: String) -> Receipt {
        Receipt {
            what,
            place: format!("your {}s", Self::NOUN),
            provider_id: Some(self.summary().id.to_string()),
            link: self.link(),
            at: Some(context.now),
            ..Receipt::default()
        }
    }

    fn created(&self, context: &ToolContext) -> Result<ToolOutput> {
        let title = shown_on_one_line(&self.summary().title);
        let what = format!("Created the {} \"{title}\"", Self::NOUN);
        let data = json!({Self::NOUN: self.view(context)});
        Ok(ToolOutput::data(&data)?.with_receipt(self.receipt(context, what)))
    }
}

fn view<F: RemoteFile>(context: &ToolContext, summary: &Summary<F>) -> Value {
    let size = summary.size.and_then(|bytes| bytes.try_into().ok());
    let mut view = json!({
        F::FIELD: summary.id,
        "title": shown_on_one_line(&summary.title),
        "modified": local(summary.modified, &context.zone(), "%Y-%m-%d %H:%M"),
    });
    add(&mut view, "size", json!(size.map(text::size)));
    view
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    /// Words that it has; all when left out.
    words: Option<String>,
}

pub async fn find<F: RemoteFile>(context: ToolContext, args: Search) -> Result<Value> {
    let words = words(args.words.as_deref().unwrap_or_default());
    let found = F::search(&context, &words).await;
    let (found, complete) = found.map_err(not_read)?;
    let shown: Vec<Value> = found.iter().map(|one| view::<F>(&context, one)).collect();
    let list = format!("{}s", F::NOUN);
    let note = (!complete).then_some(NOT_SEARCHED);
    let mut data = json!({ list: shown });
    add(&mut data, "note", json!(note));
    Ok(data)
}

/// Finds the file with this id, or the only one whose title matches these words. The error shows no titles to
/// the model.
pub async fn one<F: RemoteFile>(context: &ToolContext, named: &str) -> Result<F> {
    let field = F::FIELD;
    let empty = "is empty. Give the id, or words of the title.";
    let named = words_up_to(field, named, MAX_WORDS, empty)?;
    let file = F::load(context, &named.clone().into()).await;
    if let Some(file) = file.map_err(not_read)? {
        return Ok(file);
    }
    let nothing = || {
        let error = refused(field, &named, "isn't there.");
        error.hint("Give the id, or words of the title.")
    };
    let found = F::list(context, &words(&named), LOOKED_AT).await;
    let found = found.map_err(not_read)?;
    let all: Vec<&Summary<F>> = found.iter().collect();
    let mut fitting = resolve_by_title(all, &named, |one| &one.title);
    if fitting.is_empty() {
        fitting = found.iter().collect();
    }
    match fitting.as_slice() {
        [] => Err(nothing()),
        [one] => {
            let file = F::load(context, &one.id).await.map_err(not_read)?;
            file.ok_or_else(nothing)
        }
        several => {
            let shown = |one: &&Summary<F>| {
                let modified = local(one.modified, &context.zone(), "%a %-d %b %H:%M");
                (format!("one changed {modified}"), one.id.to_string())
            };
            let things: Vec<_> = several.iter().take(LISTED).map(shown).collect();
            let error = unclear(field, &named, &things, several.len());
            Err(error.offering(several.iter().map(|one| one.title.clone())))
        }
    }
}

/// The arguments of a tool that changes a file.
#[async_trait]
pub trait Wanted: DeserializeOwned + JsonSchema + Clone + Send + Sync + 'static {
    const NAME: &'static str;
    type Change: Change;

    /// The id of the file, or words of its title.
    fn file(&self) -> &str;
    async fn check(&self, context: &ToolContext, file: &FileOf<Self>) -> Result<Self::Change>;
    fn card_title(&self) -> String;
    /// The beginning of the receipt, such as "Added to".
    fn did(&self, done: &DoneOf<Self>) -> String;
}

pub type FileOf<W> = <<W as Wanted>::Change as Change>::File;
pub type DoneOf<W> = <<W as Wanted>::Change as Change>::Done;

#[async_trait]
pub trait Change: Send + Sync + 'static {
    type File: RemoteFile;
    /// What the account returns for the change.
    type Done: Send + Sync;
    const UNDO: &'static str;

    fn tab(&self) -> &str {
        ""
    }
    fn show(&self, file: &Self::File, preview: Preview) -> Preview;
    async fn make(
        &self,
        context: &ToolContext,
        file: &Self::File,
    ) -> Result<Self::Done, AccountError>;
    /// Looks for the change when the answer was lost.
    async fn look(
        context: &ToolContext,
        file: &Self::File,
    ) -> Result<Option<Self::Done>, AccountError>;
    fn changed(done: &Self::Done) -> &Self::File;
    fn data(_: &Self::Done) -> Option<(&'static str, Value)> {
        None
    }
    /// The arguments of the undo, and what it finds if nobody has changed the file since.
    fn undo(&self, file: &Self::File, done: &Self::Done) -> Option<(Value, Value)>;
}

pub struct Prepared<W: Wanted> {
    wanted: W,
    file: FileOf<W>,
    change: W::Change,
    careful: &'static str,
}

const NAMESAKE: &str =
    "You have another one with this title. Please make sure that this is the one you mean.";

/// A warning for the card if another file has the same title.
pub async fn careful<F: RemoteFile>(context: &ToolContext, file: &F) -> Result<&'static str> {
    let summary = file.summary();
    let found = F::list(context, &words(&summary.title), LOOKED_AT).await;
    let mut others = found.map_err(not_read)?.into_iter();
    let title = fold(&summary.title);
    let has_namesake = others.any(|one| one.id != summary.id && fold(&one.title) == title);
    Ok(if has_namesake { NAMESAKE } else { "" })
}

fn done<W: Wanted>(context: &ToolContext, wanted: &W, done: &DoneOf<W>) -> Result<ToolOutput> {
    let file = <W::Change as Change>::changed(done);
    let title = shown_on_one_line(&file.summary().title);
    let what = format!("{} \"{title}\"", wanted.did(done));
    let mut data = json!({FileOf::<W>::NOUN: file.view(context)});
    if let Some((field, value)) = <W::Change as Change>::data(done) {
        data[field] = value;
    }
    Ok(ToolOutput::data(&data)?.with_receipt(file.receipt(context, what)))
}

#[async_trait]
impl<W: Wanted> Outward for Prepared<W> {
    type Arguments = W;

    /// The people with whom the file is shared are unknown here.
    async fn recipients(_: &ToolContext, _: &W) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn prepare(context: &ToolContext, args: &W) -> Result<Self> {
        let file: FileOf<W> = one(context, args.file()).await?;
        let change = args.check(context, &file).await?;
        Ok(Self {
            careful: careful(context, &file).await?,
            wanted: args.clone(),
            file,
            change,
        })
    }

    /// A newer version of the file voids the approval.
    fn preview(&self, _: &ToolContext) -> Preview {
        let summary = self.file.summary();
        let preview = Preview::new(self.wanted.card_title())
            .field(&in_words(FileOf::<W>::NOUN), &*summary.title)
            .any("Tab", self.change.tab())
            .bound([summary.modified.to_string()])
            .any(text::CAREFUL, self.careful);
        self.change.show(&self.file, preview)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let made = self.change.make(context, &self.file).await;
        let made = made.map_err(not_done)?;
        let output = done(context, &self.wanted, &made)?;
        let (undo, left) = self.change.undo(&self.file, &made).unzip();
        Ok(output.undone_by(W::Change::UNDO, undo).leaving(left))
    }

    async fn settle(context: &ToolContext, args: W) -> Result<Settled> {
        let file: FileOf<W> = one(context, args.file()).await?;
        let found = W::Change::look(context, &file).await;
        settled(W::NAME, found, |made| done(context, &args, made))
    }
}
