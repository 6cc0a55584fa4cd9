//! The list of all tools.

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
        email::drafts::discard(),
        email::analyze_tone::tool(),
        email::set_tone::tool(),
        email::check_answered::tool(),
        email::create_task_from_email::tool(),
        email::get_backlog::tool(),
        email::categorize_email::tool(),
        email::batch_categorize::tool(),
        email::group_by_sender::tool(),
        email::batch::archive(),
        email::batch::restore(),
        email::batch::mark(),
        calendar::view_meetings::tool(),
        calendar::find_times::tool(),
        calendar::schedule_meeting::tool(),
        calendar::reschedule_meeting::tool(),
        calendar::change_meeting::tool(),
        calendar::cancel_meeting::tool(),
        calendar::answer_invitation::tool(),
        documents::find_documents(),
        documents::read_document::tool(),
        documents::create_document::tool(),
        documents::delete_document::tool(),
        documents::delete_document::restore(),
        documents::share_document::tool(),
        documents::change::append(),
        documents::change::update(),
        sheets::find_sheets(),
        sheets::read_sheet::tool(),
        sheets::create_sheet::tool(),
        sheets::change::append(),
        sheets::change::update(),
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

/// All tools, in the order in which models see them.
pub fn catalogue() -> Vec<SharedTool> {
    TOOLS.clone()
}

pub fn tool(name: &str) -> Option<SharedTool> {
    TOOLS.iter().find(|tool| tool.def().name == name).cloned()
}

/// The tool that an undo calls: one of the catalogue, or `files::restore`, which is only for undo.
pub(crate) fn inverse(name: &str) -> Option<SharedTool> {
    match name {
        files::RESTORE => Some(files::restore()),
        name => tool(name),
    }
}

/// The name and purpose of each toolset that a model may open.
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
            // E-mail tools are in two toolsets, `email` and `triage`.
            let part = (of, &*toolset.name) == ("email", "triage");
            assert!(of == toolset.name || part, "{name}");
            assert!(of.bytes().all(|b| b.is_ascii_lowercase()), "{name}");
            assert!(verb.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
            assert!(verb.bytes().all(|b| b.is_ascii_alphabetic()), "{name}");
            assert!(name.len() <= 64, "{name}: the longest name providers take");
        }
    }

    #[test]
    fn guests_may_call_exactly_the_read_tools() {
        for tool in catalogue() {
            let def = tool.def();
            let reads = def.effect == Effect::Read;
            assert_eq!(def.allows(Role::Guest), reads, "{}", def.name);
        }
    }

    #[test]
    fn only_what_reads_or_stores_no_persons_data_is_neutral() {
        for tool in catalogue() {
            let def = tool.def();
            if def.flow == Flow::NEUTRAL && def.name != "task_createTask" {
                assert_eq!(def.effect, Effect::Read, "{}", def.name);
                let is_neutral = ["content", "time", "toolset"].contains(&&*def.toolset.name);
                assert!(is_neutral, "{}", def.name);
            }
        }
    }

    /// Arguments of a schema in alphabetical order: `*` is required, `()` has the choices, `{}` the nested arguments.
    fn arguments(schema: &Value) -> String {
        let none = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let mut names: Vec<&String> = properties.keys().collect();
        names.sort();
        let argument = |name: &String| {
            let property = &properties[name];
            let item = &property["items"];
            let required = schema["required"].as_array();
            let mut line = name.clone();
            if required.is_some_and(|all| all.iter().any(|one| one == name)) {
                line.push('*');
            }
            if let Some(choices) = property["enum"].as_array().or(item["enum"].as_array()) {
                let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
                line += &format!("({})", choices.join("|"));
            }
            for nested in [arguments(property), arguments(item)] {
                if !nested.is_empty() {
                    line += &format!("{{{nested}}}");
                }
            }
            line
        };
        let lines: Vec<String> = names.into_iter().map(argument).collect();
        lines.join(" ")
    }

    fn row(tool: &SharedTool) -> String {
        let (def, effect) = (tool.def(), format!("{:?}", tool.def().effect));
        let asks = match def.approval {
            ApprovalDefault::Free => "",
            ApprovalDefault::Ask => "asks",
            ApprovalDefault::Always => "always asks",
        };
        let flows = [
            (def.flow.private, "private"),
            (def.flow.untrusted, "untrusted"),
            (def.flow.leaves, "leaves"),
            (def.flow.steers, "steers"),
            (def.blind_undo, "blind-undo"),
            (def.adds, "adds"),
        ];
        let flows = flows.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
        let flows = flows.collect::<Vec<_>>().join(" ");
        let (name, arguments) = (&def.name, arguments(&tool.schema()));
        let row = format!("{name:<31}{effect:<17}{asks:<13}{flows:<33}{arguments}");
        row.trim_end().to_owned() + "\n"
    }

    /// Compares the tools with the reviewed `catalogue.txt`: what the gate and the models know of each.
    #[test]
    fn every_tool_is_as_reviewed() {
        let rows: String = catalogue().iter().map(row).collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/catalogue.txt");
        alfred_testkit::play::assert_reviewed(path, include_str!("catalogue.txt"), &rows);
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

    /// No schema has what providers refuse, or what nobody needs.
    #[test]
    fn schemas_are_flat_closed_and_described() {
        const REFUSED: [&str; 6] = ["$ref", "$defs", "oneOf", "anyOf", "allOf", "const"];
        const UNNEEDED: &str = "format default minimum maximum maxItems minItems";
        for tool in catalogue() {
            let name = &tool.def().name;
            let schema = tool.schema();
            walk(&schema, &mut |key, value| {
                assert!(!REFUSED.contains(&key), "{name} has {key}: {value}");
                let is_field = value.is_object();
                let is_unneeded = UNNEEDED.split(' ').any(|unneeded| unneeded == key);
                assert!(is_field || !is_unneeded, "{name} has {key}: {value}");
                let is_union = key == "type" && value.is_array();
                assert!(!is_union, "{name}: the union {value}");
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
}
