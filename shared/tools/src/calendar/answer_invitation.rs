use alfred_agent::tool::Settled;
use alfred_core::ports::{Attendance, Event, Mailbox, Response};
use async_trait::async_trait;

use super::{EventView, TOOLSET, event, of_series, receipt, when};
use crate::account::not_done;
use crate::email::addressee;
use crate::fields::description;
use crate::outward::{self, Outward, settled};
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

impl From<Answer> for Attendance {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Accepted => Self::Accepted,
            Answer::Tentative => Self::Tentative,
            Answer::Declined => Self::Declined,
        }
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Accepts or declines somebody else's meeting, and tells its organiser. A card asks first.",
    );
    outward::tool::<Prepared>(def.flow(Flow::UNKNOWN))
}

struct Prepared {
    event: Event,
    organizer: Mailbox,
    response: Response,
}

/// Fails if there is no invitation to answer.
fn organizer(event: &Event) -> Result<Mailbox, ToolError> {
    let wrong = |problem| refused("eventId", event.id.as_str(), problem);
    if !event.own && !event.invited {
        let problem = "invites a mailing list or others, and not the person by name: nothing to answer. They can write to its organiser.";
        return Err(wrong(problem).say(text::not_invited(&event.title)));
    }
    match event.organizer.as_ref().filter(|_| event.invited) {
        Some(organizer) => Ok(organizer.clone()),
        None => {
            let error = wrong("is an own event, and no invitation. It can be cancelled.");
            let error = error.hint("calendar_cancelMeeting does that.");
            Err(error.say(
                "You organise that yourself, so there is no invitation to answer. I can cancel it.",
            ))
        }
    }
}

fn done(
    context: &ToolContext,
    event: &Event,
    attendance: Attendance,
) -> Result<ToolOutput, ToolError> {
    let zone = context.zone();
    let when = (!event.is_series()).then(|| when(&event.time.span(&zone), &zone));
    let told = organizer(event)?.address;
    let data = json!({"event": EventView::new(event, &zone), "answer": attendance});
    let what = answered_invitation(attendance, &event.title, when.as_deref(), &told);
    let receipt = receipt(context, event, what);
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}

fn answered_invitation(
    attendance: Attendance,
    title: &str,
    when: Option<&str>,
    told: &str,
) -> String {
    let did = match attendance {
        Attendance::Accepted => "Accepted",
        Attendance::Tentative => "Answered \"maybe\" to",
        Attendance::Declined => "Declined",
        Attendance::Unanswered => "Didn't answer",
    };
    format!("{did} {}, told {told}", of_series(title, when))
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>, ToolError> {
        let event = event::one(context, &args.event_id).await?;
        Ok(vec![organizer(&event)?.address])
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let note = description("note", args.note.as_deref()).map_err(invalid)?;
        let attendance = args.answer.into();
        let event = event::one(context, &args.event_id).await?;
        let organizer = organizer(&event)?;
        event::ahead(context, &event)?;
        if event.attendance == attendance {
            let problem = format!("is answered so already: {}.", answer(attendance));
            return Err(refused("eventId", event.id.as_str(), problem));
        }
        Ok(Self {
            organizer,
            response: Response { attendance, note },
            event,
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, zone) = (&self.event, context.zone());
        let people = vec![addressee(&self.organizer)];
        let of_series = event.series.is_some();
        let answered = of_series.then(|| answered_of_series(event.is_series()));
        Preview::new("Answer an invitation")
            .field("Title", &event.title)
            .reaching(text::RECIPIENTS_LABEL, people)
            .field("When", when(&event.time.span(&zone), &zone))
            .field("Answer", answer(self.response.attendance))
            .any("Series", answered.unwrap_or_default())
            .body(&self.response.note)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, response) = (&self.event.id, &self.response);
        let calendar = &context.accounts.calendar;
        let answered = calendar.respond(&account, id, response, key).await;
        done(context, &answered.map_err(not_done)?, response.attendance)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let event = match event::one(context, &args.event_id).await {
            Ok(event) => event,
            // The event is gone, or its words now match several events.
            Err(ToolError::Failed(_)) => return Ok(Settled::Unknown),
            Err(other) => return Err(other),
        };
        let (account, key) = (context.account(), &context.call.key);
        let (calendar, answer) = (&context.accounts.calendar, args.answer.into());
        let found = calendar.find_responded(&account, &event.id, answer, key);
        settled(NAME, found.await, |answered| {
            done(context, answered, answer)
        })
    }
}

fn answer(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Accepted => "accept",
        Attendance::Tentative => "maybe",
        Attendance::Declined => "decline",
        Attendance::Unanswered => "no answer",
    }
}

fn answered_of_series(whole: bool) -> &'static str {
    if whole {
        "every date of it that wasn't answered by itself"
    } else {
        "only this date"
    }
}
