use alfred_core::ports::{Attendance, Event, Mailbox, Response};

use super::{TOOLSET, event, of_series, output, provider, when};
use crate::email::addressee;
use crate::fields::description;
use crate::prelude::*;

const NAME: &str = "calendar_answerInvitation";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of calendar_cancelMeeting.
    event_id: String,
    /// What is answered.
    answer: Answer,
    /// Words for the organiser.
    note: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Accepted,
    Tentative,
    Declined,
}

impl Answer {
    fn attendance(self) -> Attendance {
        match self {
            Self::Accepted => Attendance::Accepted,
            Self::Tentative => Attendance::Tentative,
            Self::Declined => Attendance::Declined,
        }
    }

    /// Its name on a card, and the beginning of its receipt.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Accepted => ("accept", "Accepted"),
            Self::Tentative => ("maybe", "Answered \"maybe\" to"),
            Self::Declined => ("decline", "Declined"),
        }
    }
}

pub fn tool() -> SharedTool {
    let description =
        "Accepts or declines somebody else's meeting, and tells its organiser. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description);
    outward::tool::<Prepared>(def.flow(Flow::UNKNOWN))
}

struct Prepared {
    event: Event,
    organizer: Mailbox,
    answer: Answer,
    note: String,
}

/// Fails if there is no invitation to answer.
fn organizer(event: &Event) -> Result<Mailbox> {
    if !event.own && !event.invited {
        let problem = "invites a mailing list or others, and not the person by name: nothing to answer. They can write to its organiser.";
        return Err(event::wrong(event, problem).say(text::not_invited(&event.title)));
    }
    let organizer = event.organizer.as_ref().filter(|_| event.invited);
    organizer.cloned().ok_or_else(|| {
        let problem = "is an own event, and no invitation. It can be cancelled.";
        let error = event::wrong(event, problem).hint("calendar_cancelMeeting does that.");
        error.say(
            "You organise that yourself, so there is no invitation to answer. I can cancel it.",
        )
    })
}

fn done(context: &ToolContext, event: &Event, answer: Answer) -> Result<ToolOutput> {
    let (of, told) = (of_series(context, event), organizer(event)?.address);
    let data = json!({"answer": answer.attendance()});
    let what = format!("{} {of}, told {told}", answer.texts().1);
    output(context, event, data, what)
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let event = event::one(context, &args.event_id).await?;
        Ok(vec![organizer(&event)?.address])
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let note = description("note", args.note.as_deref()).map_err(invalid)?;
        let event = event::one(context, &args.event_id).await?;
        let organizer = organizer(&event)?;
        event::ahead(context, &event)?;
        if event.attendance == args.answer.attendance() {
            let problem = format!("is answered so already: {}.", args.answer.texts().0);
            return Err(event::wrong(&event, &problem));
        }
        Ok(Self {
            event,
            organizer,
            answer: args.answer,
            note,
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, zone) = (&self.event, context.zone());
        let series = match &event.series {
            None => "",
            Some(_) if event.is_series() => "every date of it that wasn't answered by itself",
            Some(_) => "only this date",
        };
        Preview::new("Answer an invitation")
            .field("Title", &event.title)
            .reaching(text::RECIPIENTS_LABEL, vec![addressee(&self.organizer)])
            .field("When", when(&event.time.span(&zone), &zone))
            .field("Answer", self.answer.texts().0)
            .any("Series", series)
            .body(&self.note)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, calendar, key) = provider(context);
        let response = Response {
            attendance: self.answer.attendance(),
            note: self.note,
        };
        let answered = calendar.respond(&account, &self.event.id, &response, key);
        done(context, &answered.await.map_err(not_done)?, self.answer)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let event = event::one(context, &args.event_id).await?;
        let (account, calendar, key) = provider(context);
        let wanted = args.answer.attendance();
        let found = calendar.find_responded(&account, &event.id, wanted, key);
        settled(NAME, found.await, |event| done(context, event, args.answer))
    }
}
