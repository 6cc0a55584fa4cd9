use alfred_core::ports::{Event, EventChange};

use super::{MOST_ATTENDEES, TOOLSET, event, of_series, output, provider, when, with_people};
use crate::email::{addressee, line};
use crate::fields::MAX_TITLE;
use crate::prelude::*;
use crate::user::people::{FROM_MAIL, People};

const NAME: &str = "calendar_changeMeeting";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of calendar_rescheduleMeeting.
    event_id: String,
    /// People to invite too.
    add: Option<Vec<String>>,
    /// Attendees to take out.
    remove: Option<Vec<String>>,
    /// The new place; "" for none.
    location: Option<Text<MAX_TITLE>>,
}

pub fn tool() -> SharedTool {
    let description = "Adds and removes people of a meeting that the person organises, or changes its place. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description);
    outward::tool::<Changing>(def.flow(Flow::UNKNOWN))
}

struct Changing {
    event: Event,
    change: EventChange,
    /// The sources of the addresses that were found in the mail.
    origins: String,
}

async fn changing(context: &ToolContext, args: &Arguments) -> Result<Changing> {
    let event = event::one(context, &args.event_id).await?;
    event::ensure_own(&event, "change", "Ask them.")?;
    event::ensure_date(&event, "changed")?;
    let mut people = People::load(context).await?;
    let add = args.add.as_deref().unwrap_or_default();
    check_count("add", add.len(), "people", 0..=MOST_ATTENDEES)?;
    let remove = event::addressed(&event, args.remove.iter().flatten());
    let change = EventChange {
        location: args.location.as_ref().map(|place| line(place)),
        add: people.all(context, "add", add, &[]).await?,
        remove: event::addresses(&people.all(context, "remove", &remove, &[]).await?),
    };
    Ok(Changing {
        event,
        change,
        origins: people.origins(),
    })
}

/// The undo is offered only if nobody else is or was invited.
fn done(context: &ToolContext, changing: &Changing, event: &Event) -> Result<ToolOutput> {
    let told = [event::invited(event), changing.change.remove.clone()].concat();
    let (of, changed) = (of_series(context, event), event::changed(&changing.change));
    let what = format!("Changed {of}{changed}{}", with_people("told", &told));
    let undo = json!({"eventId": event.id, "location": changing.event.location});
    let output = output(context, event, json!({}), what)?;
    let output = output.undone_by(NAME, told.is_empty().then_some(undo));
    Ok(output.leaving([event::state(context, event)]))
}

#[async_trait]
impl Outward for Changing {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let invited = event::invited(&event::one(context, &args.event_id).await?);
        let mut people = People::load(context).await?;
        let add = args.add.as_deref().unwrap_or_default();
        let added = people.recipients(context, "add", add).await?;
        Ok([invited, added].concat())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let changing = changing(context, args).await?;
        let Changing { event, change, .. } = &changing;
        event::ahead(context, event)?;
        context.ensure_as_left(&event.title, true, &event::state(context, event))?;
        event::check(change, event)?;
        Ok(changing)
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, change, zone) = (&self.event, &self.change, context.zone());
        let people = event::people(event).chain(&change.add);
        let series = event.series.as_ref().map(|_| "only this date changes");
        let preview = Preview::new("Change a meeting")
            .field("Title", &event.title)
            .reaching("Told of it", people.map(addressee).collect())
            .any(FROM_MAIL, &self.origins)
            .field("When", when(&event.time.span(&zone), &zone))
            .any("Series", series.unwrap_or_default())
            .any("Add", event::addresses(&change.add).join(", "))
            .any("Remove", change.remove.join(", "));
        match &change.location {
            Some(place) => preview.change("Place", &event.location, place),
            None => preview,
        }
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, calendar, key) = provider(context);
        let changed = calendar.change(&account, &self.event.id, &self.change, key);
        done(context, &self, &changed.await.map_err(not_done)?)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let this = changing(context, &args).await?;
        let (account, calendar, key) = provider(context);
        let found = calendar.find_changed(&account, &this.event.id, &this.change, key);
        settled(NAME, found.await, |event| done(context, &this, event))
    }
}
