use alfred_agent::model::Addressee;
use alfred_core::ports::{Event, Notice, Span};

use super::busy::Busy;
use super::choice::ALTERNATIVES;
use super::clocks::Clocks;
use super::slots::{self, OVER_EVENTS, Wanted};
use super::{TOOLSET, brief, event, moment, output, provider, taken, unseen, when};
use crate::email::addressee;
use crate::fields::description;
use crate::prelude::*;
use crate::user::active;

const NAME: &str = "calendar_rescheduleMeeting";
const FIELD: &str = "newTime";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of title or attendees that fit it alone.
    event_id: String,
    /// The new start: "2026-11-23T10:00", "tomorrow 2:30 pm", or a time alone for the same day.
    new_time: String,
    /// Why, in words that the attendees read.
    reason: Option<String>,
    /// Whether the attendees are told; true when left out.
    notify_attendees: Option<bool>,
}

/// Always an outward effect: attendees see the move even if they aren't notified.
pub fn tool() -> SharedTool {
    let description =
        "Moves a meeting that the person organises; of a series one date. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        .flow(Flow::UNKNOWN)
        .rules(&["When a time is taken, offer the person the times that the tool lists."]);
    outward::tool::<Prepared>(def)
}

struct Prepared {
    event: Event,
    from: Span,
    to: Span,
    notify: bool,
    reason: String,
    unseen: Vec<String>,
    /// Local times of people in other zones.
    there: Vec<String>,
    /// Night or weekend for others, or the person's own event at that time if nobody else is invited.
    note: String,
}

impl Arguments {
    /// Returns the event with its old and new time. Fails if the person doesn't organize it.
    async fn target(&self, context: &ToolContext) -> Result<(Event, Span, Span)> {
        let event = event::one(context, &self.event_id).await?;
        event::ensure_own(&event, "move", "Ask them.")?;
        let from = event::timed(&event)?;
        let day = dst::date_at(from.start, &context.zone());
        let start = moment::start(context, FIELD, &self.new_time, Some(day))?;
        let end = start.checked_add(from.end.duration_since(from.start));
        let end = end.map_err(|_| refused(FIELD, &self.new_time, "is out of range."))?;
        Ok((event, from, Span { start, end }))
    }
}

/// The undo is offered only without attendees, because others would see the meeting move twice.
fn done(
    context: &ToolContext,
    event: &Event,
    from: Option<Span>,
    unseen: &[String],
) -> Result<ToolOutput> {
    let (zone, span) = (context.zone(), event.time.span(&context.zone()));
    let previous = from.map(|from| brief(&from, &zone));
    let data = json!({"previousTime": previous, "notChecked": unseen});
    let what = format!("Moved \"{}\" to {}", event.title, when(&span, &zone));
    let output = output(context, event, data, what)?;
    let back = from.filter(|from| event.attendees.is_empty() && from.start > context.now);
    let undo = back.map(|from| {
        let start = from.start.to_string();
        json!({"eventId": event.id, "newTime": start, "notifyAttendees": false})
    });
    let output = output.undone_by(NAME, undo);
    Ok(output.leaving([event::state(context, event)]))
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let event = event::one(context, &args.event_id).await?;
        Ok(event::addresses(event::people(&event)))
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let reason = description("reason", args.reason.as_deref()).map_err(invalid)?;
        let (event, from, to) = args.target(context).await?;
        context.ensure_as_left(&event.title, true, &event::state(context, &event))?;
        moment::ahead(context, FIELD, &args.new_time, to.start)?;
        if from == to {
            let problem = "is when it takes place already.";
            return Err(refused(FIELD, &args.new_time, problem));
        }
        let addresses = event::addresses(event::people(&event));
        let notify = args.notify_attendees.unwrap_or(true);
        let calendar = &context.accounts.calendar;
        if !notify && !event.attendees.is_empty() {
            let tells = calendar.tells_guests(&context.account()).await;
            if tells.map_err(not_read)? {
                return Err(ToolError::failed(text::outlook_tells_guests(&event.title)));
            }
        }
        let clocks = Clocks::new(context, &active(context).await?, &event::invited(&event));
        let busy = Busy::look(context, &addresses, to, Some(&event)).await?;
        let mut note = clocks.odd_hours(&to);
        if !busy.is_free(&to) && addresses.is_empty() {
            note = OVER_EVENTS.to_owned();
        } else if !busy.is_free(&to) {
            let wanted = Wanted {
                addresses: &addresses,
                clocks: &clocks,
                length: to.end.duration_since(to.start),
                prep: 0,
                from: Some(dst::date_at(to.start, &context.zone())),
                until: None,
                on: &[],
                moving: Some(&event),
            };
            let free = slots::find(context, &wanted, ALTERNATIVES).await?;
            return Err(taken(FIELD, &args.new_time, &free, &context.zone()));
        }
        Ok(Self {
            from,
            to,
            notify,
            reason,
            unseen: busy.unseen,
            there: clocks.elsewhere(&to),
            note,
            event,
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let (event, zone) = (&self.event, context.zone());
        let people: Vec<Addressee> = event::people(event).map(addressee).collect();
        let (attendees, reason) = match (people.is_empty(), self.notify) {
            (true, _) => ("", "Reason (not sent)"),
            (false, true) => ("they are told of the new time", "Reason, for the attendees"),
            (false, false) => (
                "they get no message, and see the new time in their calendars",
                "Reason (not sent)",
            ),
        };
        let series = event.series.as_ref().map(|_| "only this occurrence moves");
        Preview::new("Reschedule a meeting")
            .field("Title", &event.title)
            .reaching("With", people)
            .any("Attendees", attendees)
            .any("Series", series.unwrap_or_default())
            .any(reason, &self.reason)
            .any("For them", self.there.join(", "))
            .any("Note", &self.note)
            .any("Not checked", unseen(&self.unseen))
            .input(FIELD, "When", &[])
            .change("When", when(&self.from, &zone), when(&self.to, &zone))
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, calendar, key) = provider(context);
        let notice = self.notify.then_some(Notice { note: self.reason });
        let moved = calendar.reschedule(&account, &self.event.id, self.to, notice.as_ref(), key);
        let moved = moved.await.map_err(not_done)?;
        done(context, &moved, Some(self.from), &self.unseen)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let (event, _, to) = args.target(context).await?;
        let (account, calendar, key) = provider(context);
        let found = calendar.find_moved(&account, &event.id, to, key).await;
        settled(NAME, found, |moved| done(context, moved, None, &[]))
    }
}
