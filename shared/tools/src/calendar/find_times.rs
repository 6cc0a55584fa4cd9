use super::clocks::Clocks;
use super::slots::{self, Slot, Wanted};
use super::{Length, TOOLSET, attendees, length};
use crate::prelude::*;
use crate::user::people::People;

const CHOICES: usize = 3;
/// Free times among which the choices are picked: several full days.
const CONSIDERED: usize = 100;
/// Preferred distance between the choices.
const APART: SignedDuration = SignedDuration::from_hours(2);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of calendar_scheduleMeeting.
    attendees: Vec<String>,
    /// Minutes; 30 when left out.
    duration: Option<Length>,
    /// First day: "friday", "2026-11-27"; today when left out.
    from: Option<Day>,
    /// Last day; at most ten days are searched.
    until: Option<Day>,
}

pub fn tool() -> SharedTool {
    let description =
        "Up to three times at which everybody is free, in each time zone. Books nothing.";
    let def = ToolDef::new(TOOLSET, "calendar_findTimes", description).flow(Flow::UNKNOWN);
    tool::full(def, find)
}

async fn find(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let (from, until) = args.days(&context)?;
    let mut people = People::load(&context).await?;
    let attendees = attendees(&context, &mut people, &args.attendees, 1).await?;
    let addresses: Vec<String> = attendees.into_iter().map(|one| one.address).collect();
    let clocks = Clocks::new(&context, &people.known, &addresses);
    let wanted = Wanted {
        addresses: &addresses,
        clocks: &clocks,
        length: length(&args.duration),
        prep: 0,
        from: Some(from),
        until,
        on: &[],
        moving: None,
    };
    let free = slots::find(&context, &wanted, CONSIDERED).await?;
    let chosen = spread(&free.slots);
    let proposal = |slot: &Slot| {
        let mut shown = clocks.times(&slot.span);
        let against = slot.notes(&clocks, free.buffer);
        add(&mut shown, "against", json!(against));
        shown
    };
    let mut found = json!({"times": chosen.iter().map(proposal).collect::<Vec<_>>()});
    add(&mut found, "notChecked", json!(free.unseen));
    let note: String = match chosen.len() {
        0 => "No time within these days and your working hours is free for everybody.".into(),
        1 => "Only this one is free for everybody within these days.".into(),
        CHOICES.. => String::new(),
        more => format!("Only these {more} are free for everybody within these days."),
    };
    add(&mut found, "note", note.into());
    let label = |slot: &Slot| short_moment(slot.span.start, &context.zone());
    Ok(ToolOutput::data(&found)?.offering(chosen.iter().map(label)))
}

/// Picks from the best times some that are [`APART`], then fills up with the next times.
fn spread(slots: &[Slot]) -> Vec<Slot> {
    let best = slots.first().map(|slot| slot.against);
    let alike = slots.iter().filter(|slot| Some(slot.against) == best);
    let apart = alike.map(|slot| (slot, APART));
    let minute = SignedDuration::from_mins(1);
    let any = slots.iter().map(|slot| (slot, minute));
    let mut chosen: Vec<Slot> = Vec::new();
    for (slot, apart) in apart.chain(any) {
        let near = |other: &Slot| other.span.start.duration_since(slot.span.start).abs() < apart;
        if chosen.len() < CHOICES && !chosen.iter().any(near) {
            chosen.push(*slot);
        }
    }
    chosen.sort_by_key(|slot| (slot.against, slot.span.start));
    chosen
}

impl Arguments {
    /// Parses the days to search. Fails if they are past or in the wrong order.
    fn days(&self, context: &ToolContext) -> Result<(Date, Option<Date>)> {
        let first = Day::or_today(self.from.as_ref(), context)?;
        if let Some(text) = self.from.as_ref().filter(|_| first < request_date(context)) {
            return Err(refused("from", text, "is past."));
        }
        let Some(text) = &self.until else {
            return Ok((first, None));
        };
        let last = text.on(context)?;
        if last < today(context) {
            return Err(refused("until", text, "is over."));
        }
        if last < first {
            let problem = format!("is before the first day, {}.", short_date(first));
            return Err(refused("until", text, problem));
        }
        Ok((first, Some(last)))
    }
}
