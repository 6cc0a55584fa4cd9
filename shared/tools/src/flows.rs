//! What is private, untrusted and outward: one row a tool. Anything read with
//! the owner's credentials or from their memory is private; anything another
//! person or the web wrote is untrusted; what is written for later runs to
//! follow steers. The gate reads it as part of the tool's definition.
//!
//! A tool that knows better of a single result says so there
//! (`ToolOutput::bringing`): tasks and blocks made of other people's words are
//! untrusted when they are read again.

use alfred_agent::tool::{Flow, ToolDef};

const TABLE: &[(&str, Flow)] = &[
    ("time_now", Flow::NEUTRAL),
    ("time_convert", Flow::NEUTRAL),
    ("time_add", Flow::NEUTRAL),
    // Names and handles are other people's words.
    ("user_list", Flow::FOREIGN),
    ("user_lookup", Flow::FOREIGN),
    // The text of a custom personality goes into prompts.
    ("preference_updatePreferences", Flow::PRIVATE.steering()),
    ("schedule_viewSchedule", Flow::PRIVATE),
    ("schedule_viewWeek", Flow::PRIVATE),
    ("schedule_createTimeBlock", Flow::PRIVATE),
    ("schedule_moveTimeBlock", Flow::PRIVATE),
    ("schedule_deleteTimeBlock", Flow::PRIVATE),
    ("schedule_fillWorkBlock", Flow::PRIVATE),
    // Times and sums alone, whatever the meetings are called.
    ("schedule_findGaps", Flow::PRIVATE),
    ("schedule_batchCreateBlocks", Flow::PRIVATE),
    ("schedule_analyzeUtilization", Flow::PRIVATE),
    // It gives back what it was given, which was said where it was asked.
    ("task_createTask", Flow::NEUTRAL),
    ("task_viewTasks", Flow::PRIVATE),
    ("task_deleteTask", Flow::PRIVATE),
    ("task_updateTask", Flow::PRIVATE),
    ("task_completeTask", Flow::PRIVATE),
    ("task_getBacklogWithScores", Flow::PRIVATE),
    ("task_assignToTimeBlock", Flow::PRIVATE),
    ("task_suggestForDuration", Flow::PRIVATE),
    // Mail is other people's words to the owner alone, an id or a subject of it too.
    ("email_viewEmails", Flow::UNKNOWN),
    ("email_readEmail", Flow::UNKNOWN),
    ("email_processEmail", Flow::UNKNOWN),
    ("email_getBacklog", Flow::UNKNOWN),
    ("email_categorizeEmail", Flow::UNKNOWN),
    ("email_batchCategorize", Flow::UNKNOWN),
    ("email_groupBySender", Flow::UNKNOWN),
    ("email_archiveBatch", Flow::UNKNOWN),
    ("email_restoreBatch", Flow::UNKNOWN),
    ("email_createTaskFromEmail", Flow::UNKNOWN),
    // Titles and names in a calendar are what others wrote too.
    ("calendar_scheduleMeeting", Flow::UNKNOWN),
    ("calendar_rescheduleMeeting", Flow::UNKNOWN),
    // Outward by its effect; its answers name other people.
    ("slack_sendMessage", Flow::FOREIGN),
    ("approval_list", Flow::PRIVATE),
    ("approval_state", Flow::PRIVATE),
    // What proposals are made of: titles and mails of others too.
    ("system_presentProposal", Flow::UNKNOWN),
    ("system_awaitConfirmation", Flow::UNKNOWN),
    // A part chosen steers as words do; a no doesn't (`confirm_proposal.rs`).
    ("system_confirmProposal", Flow::PRIVATE.steering()),
    // The proposal follows its words, and habits follow the proposal.
    ("system_modifyProposal", Flow::PRIVATE.steering()),
    ("system_showWorkflowHistory", Flow::UNKNOWN),
    ("system_resumeWorkflow", Flow::UNKNOWN),
    // Later plans follow it.
    ("system_provideFeedback", Flow::PRIVATE.steering()),
    ("system_showPatterns", Flow::PRIVATE),
    ("system_clearContext", Flow::PRIVATE),
    ("toolset_open", Flow::NEUTRAL),
];

/// The definition of a tool, with its row of the table. A tool without a row
/// counts as private and untrusted.
#[must_use]
pub fn def(name: &'static str, description: &'static str) -> ToolDef {
    let row = TABLE.iter().find(|(tool, _)| *tool == name);
    let flow = row.map_or(Flow::UNKNOWN, |(_, flow)| *flow);
    ToolDef::new(name, description).flow(flow)
}

/// What stored things of the owner bring in: other people's words too, where
/// these may have shaped them.
#[must_use]
pub fn of_stored(tainted: bool) -> Flow {
    if tainted {
        Flow::UNKNOWN
    } else {
        Flow::PRIVATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use alfred_agent::tool::Effect;

    #[test]
    fn every_tool_has_one_row_and_follows_it() {
        for tool in catalogue() {
            let def = tool.def();
            let rows: Vec<_> = TABLE.iter().filter(|(name, _)| *name == def.name).collect();
            assert_eq!(rows.len(), 1, "{}", def.name);
            assert_eq!(def.flow, rows[0].1, "{}", def.name);
        }
        for (name, _) in TABLE {
            assert!(crate::tool(name).is_some(), "a row for {name}, no tool");
        }
    }

    #[test]
    fn only_what_reads_or_stores_no_persons_data_is_neutral() {
        for tool in catalogue() {
            let def = tool.def();
            if def.flow == Flow::NEUTRAL && def.name != "task_createTask" {
                assert_eq!(def.effect, Effect::Read, "{}", def.name);
                assert!(
                    ["time", "toolset"].contains(&def.category()),
                    "{}",
                    def.name
                );
            }
        }
    }
}
