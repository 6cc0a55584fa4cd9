use alfred_core::ports::{Event, EventChange};

use super::{MOST_ATTENDEES, TOOLSET, event, of_series, output, when};
use crate::email::{addressee, line};
use crate::fields::{MAX_TITLE, NOTHING_WOULD_CHANGE, first_names};
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
    let add = people.all(context, "add", add, &[]).await?;
    let mut remove = Vec::new();
    for named in args.remove.iter().flatten() {
        remove.push(match event::attendee(&event, named) {
            Some(invited) => invited.address.clone(),
            None => people.one(context, "remove", named).await?.address,
        });
    }
    let change = EventChange {
        location: args.location.as_ref().map(|place| line(place)),
        add,
        remove,
    };
    Ok(Changing {
        event,
        change,
        origins: people.origins(),
    })
}

/// The undo is offered only if nobody else is or was invited.
fn done(context: &ToolContext, changing: &Changing, event: &Event) -> Result<ToolOutput> {
    let change = &changing.change;
    let mut what = format!("Changed {}", of_series(context, event));
    match change.location.as_deref() {
        None => {}
        Some("") => what += ", without a place",
        Some(place) => what += &format!(", at {place}"),
    }
    let added: Vec<String> = change.add.iter().map(|one| one.address.clone()).collect();
    let told = [event::invited(event), change.remove.clone()].concat();
    for (verb, people) in [
        ("invited", &added),
        ("removed", &change.remove),
        ("told", &told),
    ] {
        if !people.is_empty() {
            what += &format!(", {verb} {}", first_names(people, 5));
        }
    }
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
        let (mut people, add) = (People::load(context).await?, args.add.as_deref());
        let added = people
            .recipients(context, "add", add.unwrap_or_default())
            .await?;
        Ok([invited, added].concat())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let changing = changing(context, args).await?;
        let Changing { event, change, .. } = &changing;
        event::ahead(context, event)?;
        context.ensure_as_left(&event.title, true, &event::state(context, event))?;
        let invited = event::invited(event);
        if let Some(there) = change.add.iter().find(|one| invited.contains(&one.address)) {
            return Err(refused("add", &there.address, "is invited already."));
        }
        if let Some(other) = change.remove.iter().find(|one| !invited.contains(one)) {
            return Err(refused("remove", other, "isn't invited."));
        }
        if change.is_made(event) {
            return Err(ToolError::failed(NOTHING_WOULD_CHANGE));
        }
        Ok(changing)
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, change, zone) = (&self.event, &self.change, context.zone());
        let people = event.attendees.iter().map(|one| &one.mailbox);
        let people = people.chain(&change.add).map(addressee).collect();
        let series = event
            .series
            .as_ref()
            .map_or("", |_| "only this date changes");
        let add: Vec<&str> = change.add.iter().map(|one| &*one.address).collect();
        let preview = Preview::new("Change a meeting")
            .field("Title", &event.title)
            .reaching("Told of it", people)
            .any(FROM_MAIL, &self.origins)
            .field("When", when(&event.time.span(&zone), &zone))
            .any("Series", series)
            .any("Add", add.join(", "))
            .any("Remove", change.remove.join(", "));
        match &change.location {
            Some(place) => preview.change("Place", &event.location, place),
            None => preview,
        }
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, calendar) = (&self.event.id, &context.accounts.calendar);
        let changed = calendar.change(&account, id, &self.change, key).await;
        done(context, &self, &changed.map_err(not_done)?)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let Some(this) = known(changing(context, &args).await)? else {
            return Ok(Settled::Unknown);
        };
        let (account, key) = (context.account(), &context.call.key);
        let (id, calendar) = (&this.event.id, &context.accounts.calendar);
        let found = calendar.find_changed(&account, id, &this.change, key).await;
        settled(NAME, found, |event| done(context, &this, event))
    }
}
