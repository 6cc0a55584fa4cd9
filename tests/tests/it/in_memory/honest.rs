//! Counts the approvals of honest requests after a run has read mail. The owner's literal words aren't asked
//! about; derived values are, and so are all outward effects.

use alfred_core::Role;
use alfred_core::ports::Mailbox;
use alfred_testkit::fixtures::mail;

use crate::in_memory::approvals::waiting;
use crate::in_memory::proposing::calls_of;
use crate::in_memory::world::{World, dm, script};

/// Requests about the owner's own data, and the calls a model makes of them.
const OWN: &str = r#"
my work day starts at 8 -> preference_updatePreferences {"workStartTime": "08:00"}
I work from 10 to 4 now -> preference_updatePreferences {"workStartTime": "10:00", "workEndTime": "16:00"}
lunch takes 45 minutes -> preference_updatePreferences {"lunchDuration": 45}
Mittag ist ab jetzt um 12:30 -> preference_updatePreferences {"lunchTime": "12:30"}
I'm in Lisbon this week -> preference_updatePreferences {"timezone": "Europe/Lisbon"}
be more detailed -> preference_updatePreferences {"verbosity": "detailed"}
half an hour for lunch from now on -> preference_updatePreferences {"lunchDuration": 30}
add a task to call Pia -> task_createTask {"title": "Call Pia"}
make the report high priority -> task_updateTask {"taskId": "report", "priority": "high"}
rename the report to Q3 figures -> task_updateTask {"taskId": "report", "title": "Q3 figures"}
the report takes 90 minutes -> task_updateTask {"taskId": "report", "estimatedMinutes": 90}
the badges are done -> task_completeTask {"taskId": "badges"}
block 15:00 to 16:00 for the report -> schedule_createTimeBlock {"title": "Report", "type": "work", "date": "2026-11-21", "startTime": "15:00", "endTime": "16:00"}
move the deep work to 12:00 -> schedule_moveTimeBlock {"blockId": "deep work", "newStartTime": "12:00"}
remember: no calls before 10:00 -> system_provideFeedback {"type": "suggestion", "category": "schedule", "message": "no calls before 10:00", "changes": {"noMeetingsBefore": "10:00"}}
"#;

const OUTWARD: &str = r#"
tell Ben that lunch is at noon -> slack_sendMessage {"to": "Ben", "text": "Lunch is at noon."}
tell Ben that I'm late -> slack_sendMessage {"to": "Ben", "text": "I'm late."}
ask Ben for the slides -> slack_sendMessage {"to": "Ben", "text": "Could you send me the slides?"}
"#;

const THERE: &str = r#"
task_createTask {"title": "Report"}
task_createTask {"title": "Order badges"}
schedule_createTimeBlock {"title": "Deep work", "type": "work", "date": "2026-11-21", "startTime": "13:00", "endTime": "14:00"}
"#;

fn tasks(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.is_empty());
    lines.map(|line| line.split_once(" -> ").unwrap())
}

/// Asks this with mail, two tasks and a block. Returns the number of cards, and the answer.
async fn questions(request: &str, call: &str) -> (usize, String) {
    let read = r#"email_readEmail {"emailId": "m1"}"#;
    let turns = script(&[read, call, ": Here is where it stands."]);
    let mut world = World::new(turns).await;
    world.register("U2", "Ben", Role::Member).await;
    let pia = Mailbox::new("Pia", "pia@x.example");
    world.has_mails(vec![mail("m1", pia, "Hello", "See you soon.")]);
    for (tool, arguments) in calls_of(THERE) {
        let made = world.called(tool, arguments).await;
        assert_eq!(made["success"], true, "{tool}: {made}");
    }
    let asked = format!("read Pia's mail, and {request}");
    world.ask(dm("U1", "9.1", &asked)).await;
    (
        waiting(&world).await.len(),
        world.answers().pop().unwrap_or_default(),
    )
}

#[tokio::test]
async fn an_honest_task_on_ones_own_things_is_rarely_asked_about() {
    let mut asked = Vec::new();
    for (request, call) in tasks(OWN) {
        let (count, answer) = questions(request, call).await;
        if count > 0 {
            asked.push(request);
        } else {
            assert!(answer.contains('✓'), "{request}: {answer}");
        }
    }
    // The model turned "half an hour" into thirty minutes.
    assert_eq!(asked, ["half an hour for lunch from now on"]);
}

#[tokio::test]
async fn what_reaches_others_is_asked_about_once() {
    for (request, call) in tasks(OUTWARD) {
        assert_eq!(questions(request, call).await.0, 1, "{request}");
    }
}
