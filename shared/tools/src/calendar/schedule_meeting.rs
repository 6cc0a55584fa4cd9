use alfred_agent::model::Addressee;
use alfred_core::ports::{Event, Mailbox, NewEvent, Recurrence, Span};
use alfred_planner::TimeBlock;

use super::choice::{Choice, first_free, first_of};
use super::clocks::Clocks;
use super::prep::{self, Prep};
use super::repeat::{self, Later};
use super::slots::Wanted;
use super::{
    Length, TOOLSET, attendees, cancel_meeting, event, length, moment, output, provider, unseen,
    when, with_people,
};
use crate::account::looked;
use crate::email::{addressee, line};
use crate::fields::{MAX_TITLE, description};
use crate::prelude::*;
use crate::user::people::{FROM_MAIL, People};

const NO_VIDEO_CALLS: &str = "Your calendar can't make video calls. I can write a link of yours into the invitation instead.";

const NAME: &str = "calendar_scheduleMeeting";
/// Preferred times per call.
const MOST_TIMES: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Up to 20 people: "@handle", full name, e-mail address or Slack id; left out if nobody is invited.
    attendees: Option<Vec<String>>,
    /// Minutes, 5 to 480; 30 when left out.
    duration: Option<Length>,
    /// Up to 5 starts, the best first: "2026-11-23T10:00", "tomorrow 2:30 pm".
    preferred_times: Option<Vec<String>>,
    /// Whether the person gets a block before it to prepare.
    needs_prep_time: Option<bool>,
    /// "Meeting with" and the names when left out; needed if nobody is invited.
    title: Option<Title>,
    /// What the invitation says.
    description: Option<String>,
    /// Where it is: a room, an address.
    location: Option<Words<MAX_TITLE>>,
    /// Whether it gets a video call.
    video_call: Option<bool>,
    /// RRULE: FREQ=DAILY, WEEKLY or MONTHLY with INTERVAL, BYDAY=MO,TU, COUNT or UNTIL=YYYYMMDD; once when left out.
    repeat: Option<String>,
}

pub fn tool() -> SharedTool {
    let description = "Schedules a meeting and invites its attendees, or adds an event without others (an appointment, a concert) to the calendar; at a preferred time or the first at which everybody is free. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        // Titles and names in a calendar may be other people's words.
        .flow(Flow::UNKNOWN)
        .rules(&["When a time is taken, offer the person the times that the tool lists."]);
    outward::tool::<Prepared>(def)
}

struct Prepared {
    event: NewEvent,
    choice: Choice,
    /// Local times of people in other zones.
    there: Vec<String>,
    /// Notes about the later dates of a series.
    later: Option<Later>,
    /// `None` if no preparation is wanted or that time isn't free.
    prep: Option<Prep>,
    /// When it is, in words; empty if it isn't wanted.
    preparation: String,
    /// The sources of the addresses that were found in the mail.
    origins: String,
}

impl Arguments {
    fn attendees(&self) -> &[String] {
        self.attendees.as_deref().unwrap_or_default()
    }

    fn prep(&self) -> i64 {
        match self.needs_prep_time {
            Some(true) => prep::minutes(length(&self.duration).as_mins()),
            Some(false) | None => 0,
        }
    }

    fn title(&self, attendees: &[Mailbox]) -> Result<String> {
        if let Some(given) = &self.title {
            return Ok(given.value.clone());
        }
        let name = |one: &Mailbox| match one.name.as_str() {
            "" => one.address.clone(),
            name => name.to_owned(),
        };
        let names: Vec<String> = attendees.iter().map(name).collect();
        let whole = match names.as_slice() {
            [] => {
                let error = refused("title", "", "is missing, and nobody else is invited.");
                return Err(error.say("What shall the event be called?"));
            }
            [one] => format!("Meeting with {one}"),
            [first @ .., last] => format!("Meeting with {} and {last}", first.join(", ")),
        };
        Ok(whole.chars().take(MAX_TITLE).collect())
    }

    /// Parses the preferred starts. Fails for a past or nonexistent one.
    fn preferred(&self, context: &ToolContext) -> Result<Vec<Span>> {
        const FIELD: &str = "preferredTimes";
        let given = self.preferred_times.as_deref().unwrap_or_default();
        check_count(FIELD, given.len(), "times", 0..=MOST_TIMES)?;
        let length = length(&self.duration);
        let span = |written: &String| {
            let start = moment::start(context, FIELD, written, None)?;
            moment::ahead(context, FIELD, written, start)?;
            let end = start.checked_add(length);
            let end = end.map_err(|_| refused(FIELD, written, "is out of range."))?;
            Ok(Span { start, end })
        };
        given.iter().map(span).collect()
    }
}

/// Fails if the person's calendar can't create video calls.
async fn video_call(context: &ToolContext, args: &Arguments) -> Result<bool> {
    let wanted = args.video_call == Some(true);
    let (account, calendar) = (context.account(), &context.accounts.calendar);
    if wanted && !calendar.video_calls(&account).await.map_err(not_read)? {
        return Err(ToolError::failed(NO_VIDEO_CALLS));
    }
    Ok(wanted)
}

fn done(
    context: &ToolContext,
    event: &Event,
    prep: Option<Prep>,
    rule: Option<&Recurrence>,
    mut data: Value,
) -> Result<ToolOutput> {
    let (zone, repeats) = (context.zone(), rule.map(text::repeats));
    let block = prep.as_ref().map(|prep| &prep.block);
    data["repeats"] = json!(repeats);
    let shown = |block: &TimeBlock| json!({"id": block.id, "time": block.span.to_string()});
    data["prepBlock"] = json!(block.map(shown));
    let when = when(&event.time.span(&zone), &zone);
    let invited = event::invited(event);
    let alone = invited.is_empty();
    let verb = if alone { "Added" } else { "Scheduled" };
    let mut what = format!("{verb} \"{}\" for {when}", event.title);
    if !event.location.is_empty() {
        what += &format!(", at {}", line(&event.location));
    }
    if let Some(repeats) = repeats {
        what += &format!(", {repeats}");
    }
    what += &with_people("invited", &invited);
    if let Some(TimeBlock { title, span, .. }) = block {
        what += &format!(", added \"{title}\" to your day at {span}");
    }
    let whole = event.series.as_ref().unwrap_or(&event.id);
    let undo = (alone && prep.is_none()).then(|| json!({"eventId": whole}));
    let mut output = output(context, event, data, what)?.undone_by(cancel_meeting::NAME, undo);
    output.writes = prep.map(|prep| prep.writes).unwrap_or_default();
    Ok(output.leaving([event::state(context, event)]))
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let (mut people, given) = (People::load(context).await?, args.attendees());
        people.recipients(context, "attendees", given).await
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let text = description("description", args.description.as_deref()).map_err(invalid)?;
        let preferred = args.preferred(context)?;
        let rule = repeat::rule(args.repeat.as_deref())?;
        repeat::begins(context, rule.as_ref(), &preferred)?;
        let mut people = People::load(context).await?;
        let attendees = attendees(context, &mut people, args.attendees(), 0).await?;
        let title = args.title(&attendees)?;
        let addresses = event::addresses(&attendees);
        let clocks = Clocks::new(context, &people.known, &addresses);
        let zone = context.zone();
        let first = preferred.first();
        let wanted = Wanted {
            addresses: &addresses,
            clocks: &clocks,
            length: length(&args.duration),
            prep: args.prep(),
            from: first.map(|first| dst::date_at(first.start, &zone)),
            until: None,
            on: rule.as_ref().map_or(&[], |rule| &rule.days),
            moving: None,
        };
        let choice = match preferred.as_slice() {
            [] => first_free(context, &wanted).await?,
            times => first_of(context, times, &wanted).await?,
        };
        let span = choice.span;
        let prep = Prep::before(context, &span, args.prep(), &title).await?;
        let first = rule.as_ref().map_or("", |_| ", before the first one");
        let preparation = match &prep {
            _ if args.needs_prep_time != Some(true) => String::new(),
            Some(prep) => format!("{}, as a block in your day{first}", prep.block.span),
            None => "none, the time before is taken".to_owned(),
        };
        let later = match &rule {
            Some(rule) => Some(repeat::look(context, rule, span, &wanted).await?),
            None => None,
        };
        let place = args.location.as_ref().map(|place| line(place));
        Ok(Self {
            there: clocks.elsewhere(&span),
            later,
            event: NewEvent {
                title,
                span,
                time_zone: zone.iana_name().unwrap_or("UTC").to_owned(),
                description: text,
                location: place.unwrap_or_default(),
                attendees,
                repeat: rule,
                video_call: video_call(context, args).await?,
            },
            choice,
            prep,
            preparation,
            origins: people.origins(),
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let event = &self.event;
        let people: Vec<Addressee> = event.attendees.iter().map(addressee).collect();
        let (title, link) = if people.is_empty() {
            ("Add to your calendar", "its link is in the event")
        } else {
            (
                "Schedule a meeting",
                "its link goes out with the invitation",
            )
        };
        let mut preview = Preview::new(title)
            .field("Title", &event.title)
            .reaching("With", people)
            .any(FROM_MAIL, &self.origins)
            .field("When", when(&event.span, &context.zone()))
            .any("Place", &event.location)
            .field("Minutes", super::minutes(&event.span).to_string())
            .input("preferredTimes", "When", &[])
            .input("duration", "Minutes", &[])
            .any("For them", self.there.join(", "));
        if let Some((rule, later)) = event.repeat.as_ref().zip(self.later.as_ref()) {
            preview = preview.field("Repeats", text::repeats(rule));
            preview = preview.field("Looked ahead", &later.dates);
        }
        preview = preview
            .any("Video call", if event.video_call { link } else { "" })
            .any("Preparation", &self.preparation);
        let odd_later = self.later.as_ref().and_then(|later| later.odd.as_ref());
        for line in self.choice.against.iter().chain(odd_later) {
            preview = preview.field("Note", line);
        }
        let preview = preview.any("Not checked", unseen(&self.choice.unseen));
        preview.body(&event.description)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, calendar, key) = provider(context);
        let event = calendar.create(&account, &self.event, key).await;
        let event = event.map_err(not_done)?;
        let data = json!({"notChecked": self.choice.unseen, "notes": self.choice.against});
        done(context, &event, self.prep, self.event.repeat.as_ref(), data)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let (account, key) = (context.account(), &context.call.key);
        let found = context.accounts.calendar.find_created(&account, key).await;
        let event = match looked(NAME, found)? {
            Ok(event) => event,
            Err(nothing) => return Ok(nothing),
        };
        let span = event.time.span(&context.zone());
        let prep = Prep::before(context, &span, args.prep(), &event.title).await?;
        let rule = repeat::rule(args.repeat.as_deref())?;
        let data = json!({"notChecked": [], "notes": []});
        let output = done(context, &event, prep, rule.as_ref(), data)?;
        Ok(Settled::Done(Box::new(output)))
    }
}
