use alfred_agent::model::Addressee;
use alfred_agent::tool::Settled;
use alfred_core::id::EventId;
use alfred_core::ports::Event;
use async_trait::async_trait;

use super::{EventView, TOOLSET, event, first_names, of_series, receipt, when};
use crate::account::{not_done, not_read};
use crate::email::addressee;
use crate::outward::{self, Outward, settled};
use crate::prelude::*;

const NAME: &str = "calendar_cancelMeeting";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its eventId, the seriesId for all dates of a series, or words of title or people that fit it alone.
    event_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Cancels a meeting that the person organises, and tells its attendees. A card asks first.",
    );
    outward::tool::<Cancelling>(def.flow(Flow::UNKNOWN))
}

struct Cancelling(Event);

/// Fails if the person doesn't organize the event, or if it is over.
async fn target(context: &ToolContext, args: &Arguments) -> Result<Event, ToolError> {
    let event = event::one(context, &args.event_id).await?;
    if !event.own {
        let problem =
            "is somebody else's event, which only its organiser can cancel. It can be declined.";
        let error = refused("eventId", event.id.as_str(), problem);
        let error = error.hint("calendar_answerInvitation does that.");
        return Err(error
            .say("Somebody else organises that, so I can't cancel it. I can decline it for you."));
    }
    event::ahead(context, &event)?;
    Ok(event)
}

fn done(context: &ToolContext, event: &Event) -> Result<ToolOutput, ToolError> {
    let zone = context.zone();
    let when = (!event.is_series()).then(|| when(&event.time.span(&zone), &zone));
    let data = json!({"cancelled": EventView::new(event, &zone)});
    let what = cancelled_meeting(&event.title, when.as_deref(), &event::invited(event));
    let receipt = receipt(context, event, what);
    Ok(ToolOutput::data(&data)?.with_receipt(receipt))
}

fn cancelled_meeting(title: &str, when: Option<&str>, told: &[String]) -> String {
    let what = of_series(title, when);
    match told {
        [] => format!("Cancelled {what}"),
        told => format!("Cancelled {what}, told {}", first_names(told)),
    }
}

#[async_trait]
impl Outward for Cancelling {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>, ToolError> {
        Ok(event::invited(&event::one(context, &args.event_id).await?))
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        target(context, args).await.map(Self)
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let event = &self.0;
        let zone = context.zone();
        let invited = event::invited(event);
        let people = event.attendees.iter().map(|one| &one.mailbox);
        let people = people.filter(|one| invited.contains(&one.address));
        let people: Vec<Addressee> = people.map(addressee).collect();
        let has_attendees = !people.is_empty();
        let of_series = event.series.is_some();
        let goes = of_series.then(|| cancelled_of_series(event.is_series()));
        let told = has_attendees.then_some("they are told that it is off");
        Preview::new("Cancel a meeting")
            .field("Title", &event.title)
            .reaching("With", people)
            .field("When", when(&event.time.span(&zone), &zone))
            .any("Series", goes.unwrap_or_default())
            .any("Attendees", told.unwrap_or_default())
            .field(
                "Undo",
                "it can't be brought back; a new meeting is a new invitation",
            )
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (event, calendar) = (&self.0, &context.accounts.calendar);
        let was_there = calendar.cancel(&account, &event.id, true, key).await;
        if was_there.map_err(not_done)? {
            done(context, event)
        } else {
            Err(ToolError::failed(text::EVENT_GONE))
        }
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, calendar) = (EventId(args.event_id), &context.accounts.calendar);
        let found = calendar.find_cancelled(&account, &id, key).await;
        match settled(NAME, found, |gone| done(context, gone))? {
            // If the event is gone, the words may match another event now. The result is unknown then.
            Settled::NotDone => match calendar.event(&account, &id).await.map_err(not_read)? {
                Some(_) => Ok(Settled::NotDone),
                None => Ok(Settled::Unknown),
            },
            known => Ok(known),
        }
    }
}

fn cancelled_of_series(whole: bool) -> &'static str {
    if whole {
        "every date of it goes, past ones too"
    } else {
        "only this date goes"
    }
}
