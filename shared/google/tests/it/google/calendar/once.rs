//! Each change of a calendar is made once, whatever fails.

use super::calls::calendar;
use crate::google::once::{Change, once};

const PATCH: &[&str] = &["calendar.events.patch", "calendar.events.get"];
const DELETE: &[&str] = &["calendar.events.delete", "calendar.events.get"];

#[tokio::test]
async fn each_change_is_made_once() {
    let made = Change {
        port: calendar,
        given: "",
        methods: &["calendar.events.insert"],
        make: "make Lunch key ben",
        find: "made? key",
        look: "notices",
        shows: r#"Invited ben@example.com "2026-12-14T12:00:00Z" "At noon""#,
        survives: |_, _| true,
        is_known_at_once: true,
    };
    // An occurrence of Ana's own series.
    let moved = Change {
        methods: PATCH,
        make: "move team_20261123T100000Z key 12-14T14:00/15:00 «The room is taken»",
        find: "moved? team_20261123T100000Z key 12-14T14:00/15:00",
        shows: concat!(
            r#"Changed ben@example.com "2026-12-14T14:00:00Z" "#,
            r#""What we did,\nwhat we do next\n\nNote of 21 November 2026: The room is taken""#
        ),
        ..made
    };
    let changed = Change {
        methods: PATCH,
        make: "change team_20261123T100000Z key add=chiyo@example.com place=Opera",
        find: "changed? team_20261123T100000Z key add=chiyo@example.com place=Opera",
        shows: concat!(
            r#"Changed ben@example.com "2026-11-23T10:00:00Z" "What we did,\nwhat we do next""#,
            "\n",
            r#"Invited chiyo@example.com "2026-11-23T10:00:00Z" "What we did,\nwhat we do next""#
        ),
        ..made
    };
    let cancelled = Change {
        methods: DELETE,
        make: "cancel team_20261123T100000Z key",
        find: "cancelled? team_20261123T100000Z key",
        shows: "Cancelled ben@example.com null null",
        ..made
    };
    let answered = Change {
        methods: PATCH,
        make: "answer review key declined «I'm away»",
        find: "answered? review key declined",
        shows: r#"Answered ben@example.com "2026-11-24T14:30:00Z" """#,
        ..made
    };
    for change in [made, moved, changed, cancelled, answered] {
        once(change).await;
    }
}
