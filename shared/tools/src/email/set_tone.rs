//! `email_setTone`: stores how the person writes, for later drafts. The stored tone steers later runs, so a
//! tainted run needs approval. The fields leave no room for instructions: a number, single words, and phrases
//! of the person's mails.

use alfred_agent::store::users::{self, StoredUser};
use alfred_core::Tone;

use super::TOOLSET;
use super::sent::{self, Sample};
use crate::fields::NOTHING_WOULD_CHANGE;
use crate::prelude::*;

const NAME: &str = "email_setTone";
/// Mails in which a phrase must occur to count as the person's own.
const MAILS_OF_A_PHRASE: usize = 2;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// 1 (as to a friend) to 10 (as to a court).
    formality: Option<Number<1, { Tone::MOST_FORMAL as u32 }>>,
    /// Up to 4 single words: "warm".
    overall_tone: Option<Vec<String>>,
    /// Up to 5 phrases, each in at least two of the e-mails.
    signature_phrases: Option<Vec<String>>,
    /// Those that were analyzed.
    email_ids: Option<Vec<String>>,
    /// Whether what is saved is deleted.
    forget: Option<bool>,
}

pub fn tool() -> SharedTool {
    let description = "Saves how the person writes e-mails, changes or deletes it; what is left out stays. Later drafts follow it.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        .flow(Flow::PRIVATE.steering())
        .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, set)
}

struct Change {
    stored: StoredUser,
    before: Option<Tone>,
    after: Option<Tone>,
    samples: Vec<Sample>,
}

impl Change {
    async fn load(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let stored = users::get(context.store.as_ref(), &context.team, context.user_id()).await?;
        let stored = stored.filter(|stored| stored.user.is_active);
        let stored = stored.ok_or_else(|| {
            ToolError::failed("You aren't registered. An administrator can register you.")
        })?;
        let before = stored.user.preferences.email_tone.clone();
        let samples = match args.email_ids.as_deref() {
            Some(ids) => sent::named(context, ids).await?,
            None => Vec::new(),
        };
        let after = if args.forget == Some(true) {
            None
        } else {
            Some(args.tone(context, before.as_ref(), &samples)?)
        };
        if before == after {
            return Err(ToolError::failed(NOTHING_WOULD_CHANGE));
        }
        Ok(Self {
            stored,
            before,
            after,
            samples,
        })
    }
}

impl Arguments {
    fn tone(
        &self,
        context: &ToolContext,
        before: Option<&Tone>,
        samples: &[Sample],
    ) -> Result<Tone> {
        let mut tone = before.cloned().unwrap_or_default();
        if let Some(formality) = &self.formality {
            tone.formality = u8::try_from(formality.value).unwrap_or(Tone::MOST_FORMAL);
        } else if before.is_none() {
            return Err(refused("formality", "", "is missing: give 1 to 10."));
        }
        if let Some(words) = &self.overall_tone {
            tone.overall = words_of(words)?;
        }
        if let Some(phrases) = &self.signature_phrases {
            tone.phrases = phrases_of(phrases, |phrase| {
                let known = before.is_some_and(|tone| tone.phrases.iter().any(|one| one == phrase));
                // Untainted phrases are the person's own; stored and undone ones were approved.
                let unseen = context.tainted && context.call.left.is_none() && !known;
                !unseen || occurs(phrase, samples)
            })?;
        }
        Ok(tone)
    }
}

fn words_of(given: &[String]) -> Result<Vec<String>> {
    let field = "overallTone";
    check_count(field, given.len(), "words", 0..=Tone::WORDS)?;
    let words = given.iter().map(|word| word.trim().to_lowercase());
    let words: Vec<String> = words.collect();
    match words.iter().find(|word| !Tone::is_word(word)) {
        Some(odd) => Err(refused(field, odd, "is not one plain word.")),
        None => Ok(words),
    }
}

fn phrases_of(given: &[String], occurs: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let field = "signaturePhrases";
    check_count(field, given.len(), "phrases", 0..=Tone::PHRASES)?;
    let phrases: Vec<String> = given.iter().map(|one| one.trim().to_owned()).collect();
    for phrase in &phrases {
        if !Tone::is_phrase(phrase) {
            let problem = "is no short phrase: one line of plain words, up to 40 characters.";
            return Err(refused(field, phrase, problem));
        }
        if !occurs(phrase) {
            let problem = "doesn't stand in two of these e-mails.";
            return Err(refused(field, phrase, problem));
        }
    }
    Ok(phrases)
}

/// Ignores line breaks and case.
fn occurs(phrase: &str, samples: &[Sample]) -> bool {
    let plain = |said: &str| text::one_line(said).to_lowercase();
    let phrase = plain(phrase);
    let has_it = |one: &&Sample| plain(&one.text).contains(&phrase);
    samples.iter().filter(has_it).count() >= MAILS_OF_A_PHRASE
}

/// Formality, tone words and phrases as card text.
fn shown(tone: Option<&Tone>) -> [String; 3] {
    tone.map_or_else(Default::default, |tone| {
        let formality = format!("{}/{}", tone.formality, Tone::MOST_FORMAL);
        [formality, tone.overall.join(", "), tone.phrases.join("\n")]
    })
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let change = Change::load(&context, &args).await?;
    let mut card = Preview::new(match change.after {
        Some(_) => "Remember how you write e-mails",
        None => "Forget how you write e-mails",
    });
    let [before, after] = [&change.before, &change.after].map(|tone| shown(tone.as_ref()));
    let changes = before.into_iter().zip(after);
    for (label, (from, to)) in ["Formality", "Sounds", "Phrases"].iter().zip(changes) {
        if from != to {
            card = card.change(label, from, to);
        }
    }
    Ok(card)
}

async fn set(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let change = Change::load(&context, &args).await?;
    context.ensure_as_left("how you write e-mails", false, &json!(change.before))?;
    let undo = match &change.before {
        None => json!({"forget": true}),
        Some(tone) => json!({
            "formality": tone.formality,
            "overallTone": tone.overall,
            "signaturePhrases": tone.phrases,
        }),
    };
    let (after, mut user) = (change.after, change.stored.user);
    user.preferences.email_tone = after.clone();
    user.updated_at = context.now;
    let write = users::write(&context.team, &user, Some(change.stored.version))?;
    let mut data = json!({"saved": after});
    if !change.samples.is_empty() {
        data["emailsAnalyzed"] = change.samples.len().into();
    }
    let what = match after {
        Some(_) => "Remembered how you write e-mails",
        None => "Forgot how you write e-mails",
    };
    Ok(ToolOutput::data(&data)?
        .with_effect(what.to_owned(), vec![write])
        .undone_by(NAME, [undo])
        .leaving([json!(after)]))
}
