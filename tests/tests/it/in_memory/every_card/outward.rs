use insta::assert_snapshot;

use super::cards;

#[tokio::test]
async fn mails() {
    assert_snapshot!(cards(&["email_processEmail"]).await, @r#"
== email_processEmail
Send an e-mail reply
To: Chiyo Tanaka <chiyo@example.com> ⚠️ not known to your workspace
Subject: Re: Lunch?
Answers: "Lunch?", 2026-11-20 09:00 from Chiyo Tanaka <chiyo@example.com>
Quotes: the e-mail it answers, below your text, each line behind “>”
Then: the e-mail is marked as processed
│ At one, then.
│ 
│ On Fri, 20 Nov 2026 at 09:00, Chiyo Tanaka <chiyo@example.com> wrote:
│ > Lunch?.
Why I ask: 
• an administrator wants it asked
• this is always asked
• it reaches other people
• you didn't name chiyo@example.com, and your workspace doesn't know them
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

== email_processEmail
Archive an e-mail
E-mail: Chiyo Tanaka <chiyo@example.com>: Lunch?
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_processEmail
Make a task of an e-mail
E-mail: Chiyo Tanaka <chiyo@example.com>: Lunch?
Title: Lunch
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
"#);
    assert_snapshot!(cards(&["email_sendEmail", "email_draftReplies", "email_discardDrafts"]).await, @"
== email_sendEmail
Send an e-mail
To: 3 people, 2 outside your workspace
• zoe@harbour.example ⚠️ not known to your workspace
• chiyo@example.com (copy) ⚠️ not known to your workspace
• Ben <ben@example.com>
Subject: Tables
│ Five of them.
Why I ask: 
• an administrator wants it asked
• this is always asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

== email_draftReplies
Keep 1 draft
│ Re: Lunch?
│ To: Chiyo Tanaka <chiyo@example.com>
│ Subject: Re: Lunch?
│ 
│ At one, then.
│ 
│ On Fri, 20 Nov 2026 at 09:00, Chiyo Tanaka <chiyo@example.com> wrote:
│ > Lunch?.
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_discardDrafts
Delete 1 draft
│ Those you have edited since stay.
Why I ask: 
• an administrator wants it asked
• it can't be undone
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
    assert_snapshot!(cards(&["email_setTone", "email_archiveBatch", "email_restoreBatch", "email_markBatch", "email_createTaskFromEmail"]).await, @"
== email_setTone
Remember how you write e-mails
Formality: + 4/10
Sounds: + warm, brief
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_archiveBatch
Archive 2 e-mails
Reason: Done with
│ Chiyo Tanaka <chiyo@example.com>: Lunch?
│ Kestrel Weekly <news@kestrel.example>: Ten tables
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_restoreBatch
Put 2 e-mails back
│ Chiyo Tanaka <chiyo@example.com>: Lunch? → unread
│ Kestrel Weekly <news@kestrel.example>: Ten tables → read
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_markBatch
Mark 2 e-mails for processing
│ Chiyo Tanaka <chiyo@example.com>: Lunch?
│ Kestrel Weekly <news@kestrel.example>: Ten tables
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== email_createTaskFromEmail
Make a task of an e-mail
E-mail: Chiyo Tanaka <chiyo@example.com>: Lunch?
Title: Answer Chiyo
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
}

#[tokio::test]
async fn meetings() {
    assert_snapshot!(cards(&["calendar_scheduleMeeting"]).await, @"
== calendar_scheduleMeeting
Schedule a meeting
With: Ben <ben@example.com>
Title: Meeting with Ben
When: Monday 2026-11-23, 09:00–09:45 (Europe/Berlin)
Minutes: 45
Preparation: 08:45–09:00, as a block in your day
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

== calendar_scheduleMeeting
Schedule a meeting
With: Ben <ben@example.com>
Title: Meeting with Ben
When: Tuesday 2026-11-24, 10:00–10:30 (Europe/Berlin)
Minutes: 30
Repeats: every week, 4 times
Looked ahead: nobody is known to be busy on the 4 dates until 2026-12-15
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
    assert_snapshot!(cards(&["calendar_cancelMeeting", "calendar_answerInvitation"]).await, @"
== calendar_cancelMeeting
Cancel a meeting
With: 2 people, 1 outside your workspace
• Mallory <mallory@evil.example> ⚠️ not known to your workspace
• Ben <ben@example.com>
Title: Quarterly review
When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin)
Attendees: they are told that it is off
Undo: it can't be brought back; a new meeting is a new invitation
Why I ask: 
• an administrator wants it asked
• it reaches other people
• you didn't name mallory@evil.example, and your workspace doesn't know them
[Approve] [Reject] [Reject, and say why] [View full]

== calendar_answerInvitation
Answer an invitation
To: Ben <ben@example.com>
Title: Tasting
When: Tuesday 2026-11-24, 15:00–16:00 (Europe/Berlin)
Answer: decline
│ I am away then.
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
    assert_snapshot!(cards(&["calendar_rescheduleMeeting"]).await, @"
== calendar_rescheduleMeeting
Reschedule a meeting
With: 2 people, 1 outside your workspace
• Mallory <mallory@evil.example> ⚠️ not known to your workspace
• Ben <ben@example.com>
Title: Quarterly review
Attendees: they are told of the new time
Reason, for the attendees: The train is late
Not checked: mallory@evil.example (I can't see these calendars)
When: Monday 2026-11-23, 10:00–11:00 (Europe/Berlin) → Monday 2026-11-23, 14:00–15:00 (Europe/Berlin)
Why I ask: 
• an administrator wants it asked
• it reaches other people
• you didn't name mallory@evil.example, and your workspace doesn't know them
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
}

#[tokio::test]
async fn messages() {
    assert_snapshot!(cards(&["slack"]).await, @"
== slack_sendMessage
Send a Slack message
To: Ben (@ben), a direct message
│ Lunch at noon?
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

== slack_sendMessage
Send a Slack message
To: #general, a public channel
In the thread of: 2026-11-21 10:00:00
│ Lunch at noon?
Why I ask: 
• an administrator wants it asked
• it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
}
