//! The catalogue: one line a tool.

use alfred_agent::tool::{SharedTool, Toolset};
use std::sync::LazyLock;

use crate::{
    approval, calendar, content, documents, email, files, focus, job, preference, schedule, sheets,
    slack, system, task, time, toolset_open, user, web, workflow,
};

static TOOLS: LazyLock<Vec<SharedTool>> = LazyLock::new(|| {
    vec![
        time::now::tool(),
        time::convert::tool(),
        time::add::tool(),
        user::list::tool(),
        user::lookup::tool(),
        preference::update_preferences::tool(),
        schedule::view_schedule::tool(),
        schedule::view_week::tool(),
        schedule::create_time_block::tool(),
        schedule::move_time_block::tool(),
        schedule::delete_time_block::tool(),
        schedule::fill_work_block::tool(),
        schedule::find_gaps::tool(),
        schedule::batch_create_blocks::tool(),
        schedule::analyze_utilization::tool(),
        task::create_task::tool(),
        task::view_tasks::tool(),
        task::delete_task::tool(),
        task::update_task::tool(),
        task::complete_task::tool(),
        task::get_backlog_with_scores::tool(),
        task::assign_to_time_block::tool(),
        task::suggest_for_duration::tool(),
        email::view_emails::tool(),
        email::read_email::tool(),
        email::process_email::tool(),
        email::send_email::tool(),
        email::draft_replies::tool(),
        email::discard_drafts::tool(),
        email::analyze_tone::tool(),
        email::set_tone::tool(),
        email::check_answered::tool(),
        email::create_task_from_email::tool(),
        email::get_backlog::tool(),
        email::categorize_email::tool(),
        email::batch_categorize::tool(),
        email::group_by_sender::tool(),
        email::archive_batch::tool(),
        email::restore_batch::tool(),
        email::mark_batch::tool(),
        calendar::view_meetings::tool(),
        calendar::find_times::tool(),
        calendar::schedule_meeting::tool(),
        calendar::reschedule_meeting::tool(),
        calendar::cancel_meeting::tool(),
        calendar::answer_invitation::tool(),
        documents::find_documents::tool(),
        documents::read_document::tool(),
        documents::create_document::tool(),
        documents::append_to_document::tool(),
        documents::update_document::tool(),
        sheets::find_sheets::tool(),
        sheets::read_sheet::tool(),
        sheets::create_sheet::tool(),
        sheets::append_rows::tool(),
        sheets::update_cells::tool(),
        job::create_job::tool(),
        job::view_jobs::tool(),
        job::update_job::tool(),
        job::delete_job::tool(),
        slack::send_message::tool(),
        web::search::tool(),
        web::read_page::tool(),
        approval::list::tool(),
        approval::state::tool(),
        system::present_proposal::tool(),
        system::await_confirmation::tool(),
        system::confirm_proposal::tool(),
        system::modify_proposal::tool(),
        system::show_workflow_history::tool(),
        system::resume_workflow::tool(),
        system::provide_feedback::tool(),
        system::show_patterns::tool(),
        system::clear_context::tool(),
        system::undo::tool(),
        workflow::schedule::tool(),
        workflow::fill_work_block::tool(),
        workflow::fill_email_block::tool(),
        focus::make_room::tool(),
        content::check_length::tool(),
        toolset_open::tool(),
    ]
});

/// Every tool, in the order in which models see them.
#[must_use]
pub fn catalogue() -> Vec<SharedTool> {
    TOOLS.clone()
}

/// The tool of this name.
#[must_use]
pub fn tool(name: &str) -> Option<SharedTool> {
    TOOLS.iter().find(|tool| tool.def().name == name).cloned()
}

/// The tool that takes something back: one of the catalogue, or one that nothing else calls.
#[must_use]
pub(crate) fn inverse(name: &str) -> Option<SharedTool> {
    match name {
        files::RESTORE => Some(files::restore()),
        name => tool(name),
    }
}

/// The tools of a toolset; empty when there is none of this name.
#[must_use]
pub fn toolset(name: &str) -> Vec<SharedTool> {
    let its = |tool: &&SharedTool| tool.def().toolset.name == name;
    TOOLS.iter().filter(its).cloned().collect()
}

/// The names of all toolsets, each once, in the order of the catalogue.
#[must_use]
pub fn toolsets() -> Vec<&'static str> {
    let mut names = Vec::new();
    for tool in TOOLS.iter() {
        let name = &*tool.def().toolset.name;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Every toolset that may be opened, with what it is for.
#[must_use]
pub fn purposes() -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for Toolset { name, purpose, .. } in TOOLS.iter().map(|tool| &tool.def().toolset) {
        if !purpose.is_empty() && !found.contains(&(name, purpose)) {
            found.push((name, purpose));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use alfred_agent::tool::{ApprovalDefault, Effect, ToolDef};
    use alfred_core::Role;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_read_toolset_verb_noun() {
        let mut seen = HashSet::new();
        for tool in catalogue() {
            let ToolDef { name, toolset, .. } = tool.def();
            assert!(seen.insert(name.clone()), "{name} twice");
            let (of, verb) = name.split_once('_').unwrap();
            // Mail is two toolsets of one name.
            let part = (of, &*toolset.name) == ("email", "triage");
            assert!(of == toolset.name || part, "{name}");
            assert!(of.bytes().all(|b| b.is_ascii_lowercase()), "{name}");
            assert!(verb.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            assert!(verb.bytes().all(|b| b.is_ascii_alphabetic()), "{name}");
            assert!(name.len() <= 64, "{name}: the longest name providers take");
        }
    }

    #[test]
    fn every_tool_is_found_by_name_and_in_its_toolset() {
        let mut found = 0;
        for category in toolsets() {
            for member in toolset(category) {
                assert_eq!(tool(&member.def().name).unwrap().def(), member.def());
                found += 1;
            }
        }
        assert_eq!(found, catalogue().len());
        assert!(tool("time_travel").is_none() && toolset("travel").is_empty());
    }

    #[test]
    fn whoever_only_reads_is_open_to_guests_and_nobody_else_is() {
        for tool in catalogue() {
            let def = tool.def();
            assert_eq!(
                def.allows(Role::Guest),
                def.effect == Effect::Read,
                "{}",
                def.name
            );
        }
    }

    #[test]
    fn only_what_reads_or_stores_no_persons_data_is_neutral() {
        for tool in catalogue() {
            let def = tool.def();
            if def.flow == Flow::NEUTRAL && def.name != "task_createTask" {
                assert_eq!(def.effect, Effect::Read, "{}", def.name);
                assert!(
                    ["content", "time", "toolset"].contains(&&*def.toolset.name),
                    "{}",
                    def.name
                );
            }
        }
    }

    /// What the gate knows of each tool, to be looked over.
    #[test]
    fn what_each_tool_does_asks_brings_in_and_lets_out() {
        let row = |tool: &SharedTool| {
            let ToolDef {
                name,
                effect,
                approval,
                flow,
                blind_undo,
                adds,
                ..
            } = tool.def();
            let effect = format!("{effect:?}");
            let asks = match approval {
                ApprovalDefault::Free => "",
                ApprovalDefault::Ask => "asks",
                ApprovalDefault::Always => "always asks",
            };
            let flows = [
                (flow.private, "private"),
                (flow.untrusted, "untrusted"),
                (flow.leaves, "leaves"),
                (flow.steers, "steers"),
                (*blind_undo, "blind-undo"),
                (*adds, "adds"),
            ];
            let flows = flows.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
            let flows: Vec<&str> = flows.collect();
            let row = format!("{name:<31}{effect:<17}{asks:<13}{}", flows.join(" "));
            row.trim_end().to_owned()
        };
        let rows: Vec<String> = catalogue().iter().map(row).collect();
        assert_snapshot!(rows.join("\n"), @"
time_now                       Read
time_convert                   Read
time_add                       Read
user_list                      Read                          untrusted
user_lookup                    Read                          untrusted
preference_updatePreferences   ReversibleWrite               private steers
schedule_viewSchedule          Read                          private
schedule_viewWeek              Read                          private
schedule_createTimeBlock       ReversibleWrite               private adds
schedule_moveTimeBlock         ReversibleWrite               private
schedule_deleteTimeBlock       Destructive      asks         private
schedule_fillWorkBlock         ReversibleWrite               private blind-undo
schedule_findGaps              Read                          private
schedule_batchCreateBlocks     ReversibleWrite               private blind-undo
schedule_analyzeUtilization    Read                          private
task_createTask                ReversibleWrite               adds
task_viewTasks                 Read                          private
task_deleteTask                Destructive      asks         private
task_updateTask                ReversibleWrite               private blind-undo
task_completeTask              ReversibleWrite               private
task_getBacklogWithScores      Read                          private
task_assignToTimeBlock         ReversibleWrite               private blind-undo
task_suggestForDuration        Read                          private
email_viewEmails               Read                          private untrusted
email_readEmail                Read                          private untrusted
email_processEmail             Outward          always asks  private untrusted
email_sendEmail                Outward          always asks  private untrusted
email_draftReplies             ReversibleWrite               private untrusted adds
email_discardDrafts            Destructive      asks         private untrusted
email_analyzeTone              Read                          private untrusted
email_setTone                  ReversibleWrite               private steers
email_checkAnswered            Read                          private untrusted
email_createTaskFromEmail      ReversibleWrite               private untrusted adds
email_getBacklog               Read                          private untrusted
email_categorizeEmail          Read                          private untrusted
email_batchCategorize          Read                          private untrusted
email_groupBySender            Read                          private untrusted
email_archiveBatch             ReversibleWrite               private untrusted blind-undo
email_restoreBatch             ReversibleWrite               private untrusted blind-undo
email_markBatch                ReversibleWrite               private untrusted blind-undo
calendar_viewMeetings          Read                          private untrusted
calendar_findTimes             Read                          private untrusted
calendar_scheduleMeeting       Outward          asks         private untrusted
calendar_rescheduleMeeting     Outward          asks         private untrusted
calendar_cancelMeeting         Outward          asks         private untrusted
calendar_answerInvitation      Outward          asks         private untrusted
docs_findDocuments             Read                          private untrusted
docs_readDocument              Read                          private untrusted
docs_createDocument            ReversibleWrite               private leaves adds
docs_appendToDocument          Outward          asks         private untrusted
docs_updateDocument            Outward          asks         private untrusted
sheets_findSheets              Read                          private untrusted
sheets_readSheet               Read                          private untrusted
sheets_createSheet             ReversibleWrite               private adds
sheets_appendRows              Outward          asks         private untrusted
sheets_updateCells             Outward          asks         private untrusted
job_createJob                  ReversibleWrite               steers adds
job_viewJobs                   Read                          private
job_updateJob                  ReversibleWrite               private steers blind-undo
job_deleteJob                  ReversibleWrite               private steers
slack_sendMessage              Outward          asks         untrusted
web_search                     Read                          untrusted leaves
web_readPage                   Read                          untrusted leaves
approval_list                  Read                          private
approval_state                 Read                          private
system_presentProposal         Read                          private untrusted
system_awaitConfirmation       Read                          private untrusted
system_confirmProposal         ReversibleWrite               private steers
system_modifyProposal          ReversibleWrite               private steers
system_showWorkflowHistory     Read                          private untrusted
system_resumeWorkflow          ReversibleWrite               private untrusted
system_provideFeedback         ReversibleWrite               private steers
system_showPatterns            Read                          private
system_clearContext            Destructive      asks         private
system_undo                    ReversibleWrite               private blind-undo
workflow_schedule              ReversibleWrite  always asks  private untrusted
workflow_fillWorkBlock         ReversibleWrite  always asks  private untrusted
workflow_fillEmailBlock        ReversibleWrite  always asks  private untrusted
focus_makeRoom                 ReversibleWrite  always asks  private untrusted
content_checkLength            Read
toolset_open                   Read
");
    }

    fn walk(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    visit(name, value);
                    walk(value, visit);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
            _ => {}
        }
    }

    #[test]
    fn schemas_are_flat_closed_and_described() {
        for tool in catalogue() {
            let name = &tool.def().name;
            let schema = tool.schema();
            walk(&schema, &mut |key, _| {
                assert!(
                    !["$ref", "$defs", "oneOf", "anyOf", "allOf"].contains(&key),
                    "{name} has {key}"
                );
            });
            assert_eq!(schema["type"], "object", "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
            for (field, property) in schema["properties"].as_object().unwrap() {
                let text = property["description"].as_str().unwrap_or_default();
                assert!(text.len() > 10, "{name}.{field} is not described");
                assert!(!field.contains('_'), "{name}.{field} is not camelCase");
            }
        }
    }

    /// What each toolset costs a turn that it is part of, as the models of OpenAI count.
    #[test]
    fn the_tokens_of_every_toolset() {
        let count = |text: &str| bpe_openai::o200k_base().count(text);
        let mut sum = (0, 0, 0);
        let mut lines = vec!["toolset      tools schemas rules".to_owned()];
        for name in toolsets() {
            let tools = toolset(name);
            let schemas = tools.iter().map(|tool| {
                let spec = tool.spec();
                let function = serde_json::json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters});
                count(&serde_json::json!({"type": "function", "function": function}).to_string())
            });
            let rules = tools.iter().flat_map(|tool| tool.def().rules);
            let rules = rules.map(|rule| count(rule)).sum::<usize>();
            let (many, schemas) = (tools.len(), schemas.sum::<usize>());
            lines.push(format!("{name:<12} {many:>5} {schemas:>7} {rules:>5}"));
            sum = (sum.0 + many, sum.1 + schemas, sum.2 + rules);
        }
        let (many, schemas, rules) = sum;
        lines.push(format!("{:<12} {many:>5} {schemas:>7} {rules:>5}", "all"));
        assert_snapshot!(lines.join("\n"), @"
toolset      tools schemas rules
time             3     418    16
user             2     120    16
preference       1     327     0
schedule         9    1247    22
task             8    1117     0
email           10    1642    47
triage           7     704    50
calendar         6     948    32
docs             5     431     0
sheets           5     515     0
job              4     815     0
slack            1     120     0
web              2     212    82
approval         2     110    24
system          10    1110    43
workflow         3    1308   108
focus            1     115     0
content          1     101     0
toolset          1     356     0
all             81   11716   440
");
    }

    #[test]
    fn no_schema_has_what_providers_refuse_or_nobody_needs() {
        for tool in catalogue() {
            let name = &tool.def().name;
            walk(&tool.schema(), &mut |key, value| match key {
                "anyOf" | "allOf" | "const" => panic!("{name} has {key}: {value}"),
                "type" => assert!(!value.is_array(), "{name} has the union {value}"),
                "format" | "default" | "minimum" | "maximum" | "maxItems" | "minItems" => {
                    assert!(value.is_object(), "{name} has {key}: {value}");
                }
                _ => {}
            });
        }
    }

    #[test]
    fn the_interface_of_every_tool() {
        let specs: Vec<Value> = catalogue()
            .iter()
            .map(|tool| {
                let spec = tool.spec();
                serde_json::json!({
                    "name": spec.name,
                    "description": spec.description,
                    "rules": tool.def().rules,
                    "parameters": spec.parameters,
                })
            })
            .collect();
        insta::with_settings!({ sort_maps => true }, {
            insta::assert_json_snapshot!("tools", specs);
        });
    }
}
