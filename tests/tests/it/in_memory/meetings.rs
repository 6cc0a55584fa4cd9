use alfred_core::Role;
use alfred_core::ports::{
    AccountError, Attendance, Attendee, Calendar, Event, EventTime, Mailbox, Span,
};
use alfred_testkit::conformance::mail::owner;
use alfred_testkit::{MemoryCalendar, When, calls, fixtures};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::calls_of;
use crate::in_memory::world::{World, dm, results};

const BEN: &str = "ben@example.com";

struct Office {
    world: World,
    calendar: Arc<MemoryCalendar>,
}

/// Two dates of Ana's team meeting, and drinks with an external organizer. Ben is busy on Monday at three;
/// Chiyo shares no calendar.
fn events() -> Vec<Event> {
    let mut events = Vec::new();
    for day in ["2026-11-23", "2026-11-30"] {
        let (start, end) = (format!("{day}T10:00:00Z"), format!("{day}T11:00:00Z"));
        let mut team = fixtures::event(&format!("team/{day}"), "Team", &start, &end);
        (team.own, team.series) = (true, Some("team".into()));
        team.attendees = vec![Attendee {
            mailbox: Mailbox::new("Ben Okafor", BEN),
            attendance: Attendance::Accepted,
        }];
        events.push(team);
    }
    let mut drinks = fixtures::event(
        "drinks",
        "Supplier drinks",
        "2026-11-26T17:00:00Z",
        "2026-11-26T18:00:00Z",
    );
    drinks.organizer = Some(Mailbox::new("Tom Lindqvist", "tom@nordwood.example"));
    drinks.attendance = Attendance::Unanswered;
    drinks.attendees = vec![Attendee {
        mailbox: owner(),
        attendance: Attendance::Unanswered,
    }];
    events.push(drinks);
    events
}

/// The model makes this call; the answer to the calendar call `lost` never arrives.
async fn office(tool: &'static str, arguments: Value, lost: Option<&'static str>) -> Office {
    let call = calls(&[("c1", tool, &arguments.to_string())]);
    let mut world = World::new(crate::in_memory::world::calling(call)).await;
    world.register("U2", "Ben", Role::Member).await;
    world.register("U3", "Chiyo", Role::Member).await;
    let at = |text: &str| text.parse().unwrap();
    let busy = Span {
        start: at("2026-11-23T14:00:00Z"),
        end: at("2026-11-23T15:00:00Z"),
    };
    let calendar = world.has_events(events(), &[(BEN, &[busy])]);
    if let Some(lost) = lost {
        let detail = "lost".into();
        let error = AccountError::Unknown { detail };
        world.faults.fail_next(lost, When::After, error);
    }
    Office { world, calendar }
}

impl Office {
    async fn result(&mut self, said: &str) -> Value {
        self.world.ask(dm("U1", "1.1", said)).await;
        assert!(waiting(&self.world).await.is_empty(), "a look asks nobody");
        let run = self.world.root().await;
        results(&self.world.steps(&run.id).await).remove(0)
    }

    async fn approved(&mut self, said: &str) -> (String, String) {
        self.world.ask(dm("U1", "1.1", said)).await;
        let told = self.calendar.told(&ana());
        assert!(told.is_empty(), "nothing before the yes: {told:?}");
        let approval = waiting(&self.world).await.remove(0);
        let card = self.world.answers().pop().unwrap();
        for _ in 0..2 {
            self.world.decide(&approval, "approval_approve").await;
        }
        self.world.settle().await;
        assert_eq!(self.calendar.told(&ana()).len(), 1, "told once");
        (card, self.world.answers().pop().unwrap())
    }

    async fn event(&self, id: &str) -> Option<Event> {
        self.calendar.event(&ana(), &id.into()).await.unwrap()
    }
}

#[tokio::test]
async fn the_next_meeting_is_told_with_its_people() {
    let mut office = office("calendar_viewMeetings", json!({}), None).await;
    let found = office.result("What is my next meeting?").await;
    assert_json_snapshot!(found["meetings"][0], @r#"
{
  "attendees": [
    "Ben Okafor <ben@example.com> (accepted)"
  ],
  "date": "2026-11-23",
  "duration": 60,
  "endTime": "12:00",
  "eventId": "team/2026-11-23",
  "seriesId": "team",
  "startTime": "11:00",
  "title": "Team",
  "weekday": "Monday"
}
"#);
}

#[tokio::test]
async fn whether_somebody_is_free_is_told_or_that_they_dont_share_it() {
    let at_three = json!({"person": "Ben", "from": "2026-11-23T15:00"});
    let mut shared = office("calendar_viewMeetings", at_three, None).await;
    assert_json_snapshot!(shared.result("Is Ben free on Monday at 3?").await, @r#"
{
  "busy": [
    {
      "date": "2026-11-23",
      "endTime": "15:30",
      "startTime": "15:00",
      "weekday": "Monday"
    }
  ],
  "free": false,
  "from": "2026-11-23 15:00",
  "person": "Ben <ben@example.com>",
  "shared": true,
  "success": true,
  "until": "2026-11-23 15:30"
}
"#);
    let hidden = json!({"person": "Chiyo", "from": "2026-11-23"});
    let mut hidden = office("calendar_viewMeetings", hidden, None).await;
    assert_json_snapshot!(hidden.result("What's on Chiyo's calendar?").await, @r#"
{
  "busy": [],
  "from": "2026-11-23 00:00",
  "note": "Chiyo doesn't share a calendar with you, so nobody can tell from here when they are free.",
  "person": "Chiyo <chiyo@example.com>",
  "shared": false,
  "success": true,
  "until": "2026-11-24 00:00"
}
"#);
}

#[tokio::test]
async fn finding_a_time_books_nothing() {
    let wanted = json!({"attendees": ["Ben"], "from": "2026-11-23", "until": "2026-11-23"});
    let mut office = office("calendar_findTimes", wanted, None).await;
    let found = office.result("Find a time with Ben on Monday").await;
    let starts = found["times"].as_array().unwrap().iter();
    let starts: Vec<&str> = starts
        .map(|one| one["startTime"].as_str().unwrap())
        .collect();
    assert_snapshot!(starts.join(" "), @"09:00 13:00 16:00");
    assert!(office.calendar.told(&ana()).is_empty());
}

#[tokio::test]
async fn a_meeting_is_cancelled_once_even_if_that_isnt_heard() {
    let mut seen = Vec::new();
    for lost in [None, Some("calendar.cancel")] {
        let id = json!({"eventId": "team/2026-11-23"});
        let mut office = office("calendar_cancelMeeting", id, lost).await;
        seen.push(office.approved("Cancel the team meeting on Monday").await);
        assert_eq!(office.event("team/2026-11-23").await, None);
        assert!(office.event("team/2026-11-30").await.is_some());
    }
    assert_eq!(seen[0], seen[1]);
    assert_snapshot!(seen[0].0, @r#"
Cancel a meeting
With: Ben Okafor <ben@example.com>
Title: Team
When: Monday 2026-11-23, 11:00–12:00 (Europe/Berlin)
Series: only this date goes
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(seen[0].1, @r#"
Here is where it stands.
✓ Cancelled "Team" of Monday 2026-11-23, 11:00–12:00 (Europe/Berlin), told ben@example.com (your calendar)
"#);
}

#[tokio::test]
async fn a_series_is_cancelled_whole_by_its_own_id() {
    let id = json!({"eventId": "team"});
    let mut office = office("calendar_cancelMeeting", id, None).await;
    let (card, reply) = office.approved("Cancel all team meetings").await;
    assert_eq!(office.event("team/2026-11-30").await, None);
    assert_snapshot!(card, @r#"
Cancel a meeting
With: Ben Okafor <ben@example.com>
Title: Team
When: Monday 2026-11-23, 11:00–12:00 (Europe/Berlin)
Series: every date of it goes, past ones too
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(reply, @r#"
Here is where it stands.
✓ Cancelled every date of "Team", told ben@example.com (your calendar)
"#);
}

#[tokio::test]
async fn an_invitation_is_declined_once_with_a_note() {
    let mut seen = Vec::new();
    for lost in [None, Some("calendar.respond")] {
        let no = json!({"eventId": "drinks", "answer": "declined", "note": "I'm on a train."});
        let mut office = office("calendar_answerInvitation", no, lost).await;
        seen.push(
            office
                .approved("Decline Tom's drinks, I'm on a train")
                .await,
        );
        let drinks = office.event("drinks").await.unwrap();
        assert_eq!(drinks.attendance, Attendance::Declined);
        assert_eq!(office.calendar.notes(&ana()), ["I'm on a train."]);
    }
    assert_eq!(seen[0], seen[1]);
    assert_snapshot!(seen[0].0, @r#"
Answer an invitation
To: Tom Lindqvist <tom@nordwood.example> ⚠️ not known to your workspace
Title: Supplier drinks
When: Thursday 2026-11-26, 18:00–19:00 (Europe/Berlin)
Answer: decline
│ I'm on a train.
Why I ask: 
• it reaches other people
• you didn't name tom@nordwood.example, and your workspace doesn't know them
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(seen[0].1, @r#"
Here is where it stands.
✓ Declined "Supplier drinks" of Thursday 2026-11-26, 18:00–19:00 (Europe/Berlin), told tom@nordwood.example (your calendar)
"#);
}

#[tokio::test]
async fn a_weekly_meeting_is_one_card_and_one_invitation() {
    let mut seen = Vec::new();
    for lost in [None, Some("calendar.create")] {
        let weekly = json!({
            "attendees": ["Ben"], "title": "Sync", "preferredTimes": ["2026-11-24T05:00"],
            "repeat": "FREQ=WEEKLY;COUNT=3",
        });
        let mut office = office("calendar_scheduleMeeting", weekly, lost).await;
        seen.push(
            office
                .approved("Meet Ben every Tuesday at five in the morning")
                .await,
        );
        let span = Span {
            start: "2026-11-24T00:00:00Z".parse().unwrap(),
            end: "2027-02-01T00:00:00Z".parse().unwrap(),
        };
        let page = office.calendar.events(&ana(), span).await.unwrap();
        let sync = page.events.iter().filter(|event| event.title == "Sync");
        let starts: Vec<String> = sync
            .map(|event| match event.time {
                EventTime::Timed { start, .. } => start.to_string(),
                EventTime::AllDay { .. } => panic!("{event:?}"),
            })
            .collect();
        let expected = ["2026-11-24", "2026-12-01", "2026-12-08"];
        assert_eq!(starts, expected.map(|day| format!("{day}T04:00:00Z")));
    }
    assert_eq!(seen[0], seen[1]);
    assert_snapshot!(seen[0].0, @r#"
Schedule a meeting
With: Ben <ben@example.com>
Title: Sync
When: Tuesday 2026-11-24, 05:00–05:30 (Europe/Berlin)
Minutes: 30
Repeats: every week, 3 times
Looked ahead: nobody is known to be busy on the 3 dates until 2026-12-08
Note: outside 08:00–19:00 on a weekday for Ben: Tue 05:00 (Europe/Berlin)
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(seen[0].1, @r#"
Here is where it stands.
✓ Scheduled "Sync" for Tuesday 2026-11-24, 05:00–05:30 (Europe/Berlin), every week, 3 times, invited ben@example.com (your calendar)
"#);
}

const IMPOSSIBLE: &str = r#"
calendar_cancelMeeting {"eventId": "drinks"}
calendar_cancelMeeting {"eventId": "Team Ben"}
calendar_answerInvitation {"eventId": "team/2026-11-23", "answer": "declined"}
calendar_scheduleMeeting {"attendees": ["Ben"], "preferredTimes": ["2026-11-20T10:00"]}
calendar_scheduleMeeting {"attendees": ["Ben"], "preferredTimes": ["2026-11-24T24:00"]}
calendar_scheduleMeeting {"attendees": ["Ben"], "preferredTimes": ["2027-03-28T02:30"]}
calendar_findTimes {"attendees": ["Nobody"]}
"#;

#[tokio::test]
async fn what_cant_be_done_is_refused_before_anybody_is_asked() {
    let mut said = Vec::new();
    for (tool, arguments) in calls_of(IMPOSSIBLE) {
        let mut office = office(tool, arguments, None).await;
        let refused = office.result("Do it").await;
        said.push(refused["error"].as_str().unwrap().to_owned());
        assert!(office.calendar.told(&ana()).is_empty());
    }
    assert_snapshot!(said.join("\n"), @r#"
eventId: "drinks" is somebody else's event, which only its organiser can cancel. It can be declined. calendar_answerInvitation does that.
eventId: "Team Ben" is not clear, two match: one on 2026-11-23 11:00 (team/2026-11-23), one on 2026-11-30 11:00 (team/2026-11-30). Give the id.
eventId: "team/2026-11-23" is an own event, and no invitation. It can be cancelled. calendar_cancelMeeting does that.
preferredTimes: "2026-11-20T10:00" is past; it is 2026-11-21 10:00 now.
preferredTimes: "24:00" can only be the end of something; the start of the day is 00:00.
preferredTimes: "2027-03-28T02:30" does not exist on 2027-03-28 in Europe/Berlin: clocks go from 02:00 to 03:00.
attendees: "Nobody" is nobody Alfred knows. An e-mail address or an @handle would do. user_lookup finds people.
"#);
}
