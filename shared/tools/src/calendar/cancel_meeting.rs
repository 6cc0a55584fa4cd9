use alfred_agent::model::Addressee;
use alfred_core::id::EventId;
use alfred_core::ports::Event;

use super::{TOOLSET, event, of_series, provider, receipt, view, when, with_people};
use crate::email::addressee;
use crate::prelude::*;

pub const NAME: &str = "calendar_cancelMeeting";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its eventId, the seriesId for all dates of a series, or words of title or people that fit it alone.
    event_id: String,
}

pub fn tool() -> SharedTool {
    let description =
        "Cancels a meeting that the person organises, and tells its attendees. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description);
    outward::tool::<Cancelling>(def.flow(Flow::UNKNOWN))
}

struct Cancelling(Event);

fn done(context: &ToolContext, event: &Event) -> Result<ToolOutput> {
    let zone = context.zone();
    let told = with_people("told", &event::invited(event));
    let what = format!("Cancelled {}{told}", of_series(context, event));
    let data = json!({"cancelled": view(event, &zone)});
    Ok(ToolOutput::data(&data)?.with_receipt(receipt(context, event, what)))
}

#[async_trait]
impl Outward for Cancelling {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        Ok(event::invited(&event::one(context, &args.event_id).await?))
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let event = event::one(context, &args.event_id).await?;
        let own = event::ensure_own(&event, "cancel", "I can decline it for you.");
        own.map_err(|error| error.hint("calendar_answerInvitation does that."))?;
        event::ahead(context, &event)?;
        context.ensure_as_left(&event.title, true, &event::state(context, &event))?;
        Ok(Self(event))
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, zone) = (&self.0, context.zone());
        let invited = event::invited(event);
        let people = event::people(event).filter(|one| invited.contains(&one.address));
        let people: Vec<Addressee> = people.map(addressee).collect();
        let series = match &event.series {
            None => "",
            Some(_) if event.is_series() => "every date of it goes, past ones too",
            Some(_) => "only this date goes",
        };
        let (told, undo) = match people.as_slice() {
            [] => ("nobody else is invited", "it can't be brought back"),
            _ => (
                "they are told that it is off",
                "only a new invitation brings it back",
            ),
        };
        Preview::new("Cancel a meeting")
            .field("Title", &event.title)
            .reaching("With", people)
            .field("When", when(&event.time.span(&zone), &zone))
            .any("Series", series)
            .field("Attendees", told)
            .field("Undo", undo)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, calendar, key) = provider(context);
        let was_there = calendar.cancel(&account, &self.0.id, true, key).await;
        if was_there.map_err(not_done)? {
            done(context, &self.0)
        } else {
            Err(ToolError::failed(text::EVENT_GONE))
        }
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let ((account, calendar, key), id) = (provider(context), EventId(args.event_id));
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
