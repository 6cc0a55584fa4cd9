//! A person's calendar as blocks of a day, in their time zone. A busy timed event is a `meeting`, a busy whole day is
//! `blocked`. Other whole days, such as birthdays, are only named. Declined and free events are left out.

use alfred_core::digest::sha256_hex;
use alfred_core::id::{BlockId, EventId};
use alfred_core::ports::{AccountError, Attendance, Event, EventPage, EventTime, Span};
use alfred_planner::{BlockType, DayClock, Span as Stretch, Task, TimeBlock, block, conflicts};

use super::BlockView;
use crate::fields::{MAX_TITLE, bad};
use crate::prelude::*;

const CALENDAR_NOT_READ: &str =
    "The calendar could not be read just now, so its meetings are missing here.";

/// Prefix of the ids of meetings that are only in the calendar.
pub const PREFIX: &str = "evt_";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meetings {
    found: Vec<Meeting>,
    /// A sentence on what is missing.
    pub note: Option<String>,
    /// Titles of whole-day events that take no time, which are other people's words.
    pub all_day: Vec<String>,
    /// Whether no calendar is connected.
    pub unconnected: bool,
    pub unread: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Meeting {
    event_id: EventId,
    block: TimeBlock,
}

impl Meetings {
    /// The meetings of a day, for planning around them. Fails if the calendar can't be read.
    pub async fn load(context: &ToolContext, clock: &DayClock) -> Result<Self> {
        let page = events(context, clock.date(), clock.date()).await;
        Ok(Self::from_page(&page.map_err(unread)?, clock))
    }

    /// The meetings of a day, for showing them. If the calendar can't be read, the note says so.
    pub async fn load_or_note(context: &ToolContext, clock: &DayClock) -> Self {
        let days = Self::of_days_or_note(context, std::slice::from_ref(clock)).await;
        days.into_iter().next().unwrap_or_default()
    }

    /// The meetings of consecutive days, with one request. Fails without a calendar.
    pub async fn of_days(
        context: &ToolContext,
        clocks: &[DayClock],
    ) -> Result<Vec<Self>, AccountError> {
        let (Some(first), Some(last)) = (clocks.first(), clocks.last()) else {
            return Ok(Vec::new());
        };
        let page = read(context, first.date(), last.date()).await?;
        let on = |clock| Self::from_page(&page, clock);
        Ok(clocks.iter().map(on).collect())
    }

    /// Like `of_days`; errors become a note, or `unconnected`.
    pub async fn of_days_or_note(context: &ToolContext, clocks: &[DayClock]) -> Vec<Self> {
        match Self::of_days(context, clocks).await {
            Ok(days) => days,
            Err(error) => {
                let mut none = Self::default();
                if is_unconnected(&error) {
                    none.unconnected = true;
                } else {
                    tracing::warn!(%error, "days are shown without their calendar");
                    none.note = Some(CALENDAR_NOT_READ.to_owned());
                    none.unread = true;
                }
                vec![none; clocks.len()]
            }
        }
    }

    fn from_page(page: &EventPage, clock: &DayClock) -> Self {
        let (events, missing) = (page.events.iter(), page.unreadable.len());
        let all_day = events.clone().filter(|one| is_all_day(one, clock.date()));
        Self {
            all_day: all_day.map(title).collect(),
            found: events.filter_map(|one| Meeting::on(one, clock)).collect(),
            note: (missing > 0).then(|| entries_not_read(missing)),
            ..Self::default()
        }
    }

    /// These blocks and the meetings, sorted. A meeting that equals a block is left out.
    pub fn with(&self, blocks: &[TimeBlock]) -> Vec<TimeBlock> {
        let mut all = blocks.to_vec();
        let is_new = |one: &&Meeting| !blocks.iter().any(|block| one.is(block));
        let new = self.found.iter().filter(is_new);
        all.extend(new.map(|meeting| meeting.block.clone()));
        block::sort(&mut all);
        all
    }

    /// Which of these blocks and the meetings overlap `block`, without the meeting that equals it.
    pub fn conflicts(&self, blocks: &[TimeBlock], block: &TimeBlock) -> Vec<TimeBlock> {
        let mut all = self.with(blocks);
        for meeting in self.found.iter().filter(|meeting| meeting.is(block)) {
            all.retain(|other| other.id != meeting.block.id);
        }
        conflicts(&all, block.span).cloned().collect()
    }

    /// The meetings that overlap a block, without the one that equals it.
    pub fn on<'a>(&'a self, block: &'a TimeBlock) -> impl Iterator<Item = &'a TimeBlock> {
        let others = self.found.iter().filter(|meeting| !meeting.is(block));
        let meetings = others.map(|meeting| &meeting.block);
        meetings.filter(|it| it.kind == BlockType::Meeting && it.span.overlaps(block.span))
    }

    /// A block or meeting, with the id of its event if it is in the calendar.
    pub fn view(&self, block: &TimeBlock, tasks: &[Task]) -> BlockView {
        let mut found = self.found.iter();
        let event = found.find(|meeting| meeting.block.id == block.id || meeting.is(block));
        let mut view = BlockView::new(block, tasks);
        add(&mut view.0, "eventId", json!(event.map(|it| &it.event_id)));
        view
    }
}

pub(crate) fn entries_not_read(count: usize) -> String {
    match count {
        1 => "One entry of the calendar could not be read and is missing here.".into(),
        n => format!("{n} entries of the calendar could not be read and are missing here."),
    }
}

impl Meeting {
    fn on(event: &Event, clock: &DayClock) -> Option<Self> {
        let (kind, span) = takes(event, clock)?;
        Some(Self {
            block: TimeBlock {
                // The inviter writes the title, and events that Alfred books may have text from anywhere.
                tainted: true,
                ..TimeBlock::new(block_id(&event.id), kind, &title(event), span)
            },
            event_id: event.id.clone(),
        })
    }

    fn is(&self, block: &TimeBlock) -> bool {
        let one = |block: &TimeBlock| (block.kind, block.span);
        one(&self.block) == one(block) && self.block.title == block.title
    }
}

/// The kind and time of an event on that day; `None` if it isn't on it or takes no time.
fn takes(event: &Event, clock: &DayClock) -> Option<(BlockType, Stretch)> {
    if !event.busy {
        return None;
    }
    match event.time {
        EventTime::Timed { start, end } => Some((BlockType::Meeting, clock.project(start, end)?)),
        EventTime::AllDay { first, last } => {
            let is_on = (first..=last).contains(&clock.date());
            is_on.then_some((BlockType::Blocked, Stretch::WHOLE_DAY))
        }
    }
}

/// Whether it covers the whole day and takes no time: a birthday, a trip.
fn is_all_day(event: &Event, date: Date) -> bool {
    let EventTime::AllDay { first, last } = event.time else {
        return false;
    };
    let comes = event.attendance != Attendance::Declined;
    comes && !event.busy && (first..=last).contains(&date)
}

/// On one line of at most 200 characters.
fn title(event: &Event) -> String {
    match text::one_line(&event.title).as_str() {
        "" => text::UNTITLED_EVENT.to_owned(),
        title => title.chars().take(MAX_TITLE).collect(),
    }
}

/// The events of these days, both included; none without a calendar.
pub(super) async fn events(
    context: &ToolContext,
    first: Date,
    last: Date,
) -> Result<EventPage, AccountError> {
    match read(context, first, last).await {
        Err(error) if is_unconnected(&error) => Ok(EventPage::default()),
        page => page,
    }
}

pub(crate) const fn is_unconnected(error: &AccountError) -> bool {
    use AccountError::{NotConnected, NotGranted};
    matches!(error, NotConnected(_) | NotGranted(_))
}

async fn read(context: &ToolContext, first: Date, last: Date) -> Result<EventPage, AccountError> {
    let span: Span = EventTime::AllDay { first, last }.span(&context.zone());
    let calendar = &context.accounts.calendar;
    calendar.events(&context.account(), span).await
}

/// The clock of a day in the person's time zone; `field` names the date in errors.
pub(crate) fn clock(context: &ToolContext, field: &str, date: Date) -> Result<DayClock> {
    DayClock::new(date, &context.zone()).map_err(|error| bad(&error).of(field))
}

/// Stable hash of the event id, which may have characters that our ids don't allow.
fn block_id(event: &EventId) -> BlockId {
    let digest = sha256_hex(event.as_str().as_bytes());
    BlockId(format!("{PREFIX}{}", &digest[..32]))
}

fn unread(error: AccountError) -> ToolError {
    tracing::warn!(%error, "a calendar can't be read");
    ToolError::failed(match error {
        AccountError::Refused { reason } => {
            format!("The calendar could not be read, so nothing was planned around it: {reason}")
        }
        AccountError::Expired(service) => text::account_expired(service),
        AccountError::NotConnected(_)
        | AccountError::NotGranted(_)
        | AccountError::NotReached { .. }
        | AccountError::Unknown { .. } => {
            "The calendar could not be read just now, so nothing was planned around it. Try again later."
                .to_owned()
        }
    })
}
