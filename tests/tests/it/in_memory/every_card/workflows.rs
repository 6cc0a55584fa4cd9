use insta::assert_snapshot;

use super::cards;

#[tokio::test]
async fn proposals_and_memory() {
    assert_snapshot!(cards(&["system_confirmProposal", "system_modifyProposal", "system_resumeWorkflow", "system_provideFeedback"]).await, @"
== system_confirmProposal
Show a part of a proposal again
Proposal: Plan Sunday, 22 November 2026
│ 12:00–13:00 Lunch
│ Tasks for Focus
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== system_confirmProposal
Call a proposal off
Proposal: Plan Sunday, 22 November 2026
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== system_modifyProposal
Change a proposal
Proposal: Plan Sunday, 22 November 2026
Lunch at: 13:00
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== system_resumeWorkflow
Go on with what was left
│ Plan Sunday, 22 November 2026
Why I ask: an administrator wants it asked
[Approve] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== system_provideFeedback
Keep your feedback
About: schedule
Later plans follow: lunch at 13:00
│ Lunch at one, from now on
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
");
    assert_snapshot!(cards(&["system_clearContext", "system_undo"]).await, @r#"
== system_clearContext
Forget what was said here, and call off the proposals that wait
Why I ask: 
• an administrator wants it asked
• it can't be undone
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]

== system_undo
Take back what was done
To take back: Created work block "Focus" on 2026-11-22, 09:00–12:00
Why I ask: an administrator wants it asked
[Approve] [Edit] [Reject] [Reject, and say why] [View full] [Approve, and remember]
"#);
}

#[tokio::test]
async fn workflows() {
    assert_snapshot!(cards(&["workflow_schedule", "workflow_fillWorkBlock"]).await, @r#"
== workflow_schedule
Plan Tuesday, 24 November 2026
│ 09:00–10:30  Focus work (new: a whole focus block)
│     • Write the report (60 min)
│     • Call Dana (30 min)
│ 10:30–10:45  Break (new: after 90 minutes of work)
│ 10:45–12:00  Focus work (new: focus until "Lunch")
│ 12:00–13:00  Lunch (new: lunch at your usual time)
│ 13:00–14:25  Focus work (new: shorter, to keep 15 % of the day free)
│ 15:00–16:00  Tasting (stays: already planned)
│ 16:15–16:45  E-mail (new: e-mail in one go)
│ 
│ Planned: 13 % → 86 % of 8 hours (420 min in 2 gaps were free).
Why I ask: 
• an administrator wants it asked
• this is always asked
[Approve] [Modify] [Cancel] [View full]

== workflow_fillWorkBlock
Fill "Focus" with tasks
When: 2026-11-22 09:00–12:00
Free: 180 min
│ • Write the report (60 min, medium priority, score 30)
│ • Call Dana (30 min, medium priority, score 30)
│ 
│ 2 tasks, everything that fits: 90 of 180 minutes, 90 left free.
Why I ask: 
• an administrator wants it asked
• this is always asked
[Approve] [Modify] [Cancel] [View full]
"#);
    assert_snapshot!(cards(&["workflow_fillEmailBlock"]).await, @"
== workflow_fillEmailBlock
Triage your mail: 2 e-mails wait
Wants an answer (1): Chiyo Tanaka <chiyo@example.com>: Lunch?
To archive (1): Kestrel Weekly <news@kestrel.example>: Ten tables
Why I ask: 
• an administrator wants it asked
• this is always asked
[Approve] [Modify] [Cancel] [View full]
");
}
