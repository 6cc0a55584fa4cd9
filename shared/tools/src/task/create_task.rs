use alfred_core::id::TaskId;
use alfred_planner::task::ESTIMATE;
use alfred_planner::{Priority, Task, TaskSource, TaskStatus, parse_date};

use super::{TOOLSET, TaskView, store};
use crate::fields::{description, title};
use crate::prelude::*;

const DEFAULT_MINUTES: i64 = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What is to be done.
    title: String,
    /// More about it.
    description: Option<String>,
    /// Minutes it will take; 30 when left out.
    estimated_minutes: Option<i64>,
    /// How much it matters; medium when left out.
    priority: Option<Priority>,
    /// By which day: "2026-11-21", "tomorrow" or a weekday.
    due_date: Option<String>,
    /// Where the task came from; chat when left out.
    source: Option<TaskSource>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_createTask",
        "Adds a task to the person's backlog. From an e-mail: email_createTaskFromEmail.",
    )
    // The output contains only the arguments, which the run has already read.
    .flow(Flow::NEUTRAL)
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(
        def,
        async |context, args: Arguments| Ok(preview(args.task(&context)?)),
        create,
    )
}

fn preview(task: Task) -> Preview {
    let due = task.due_date.map(|due| due.to_string());
    Preview::new("Create a task")
        .field("Title", task.title)
        .field("Minutes", task.estimated_minutes.to_string())
        .field("Priority", task.priority.to_string())
        .any("Due", due.unwrap_or_default())
        .any("Description", task.description)
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let task = args.task(&context)?;
    let priority = args
        .priority
        .map(|priority| format!(", {priority} priority"));
    let due = task.due_date.map(|due| format!(", due {due}"));
    let action = format!(
        "Created task \"{}\"{}{}",
        task.title,
        due.unwrap_or_default(),
        priority.unwrap_or_default()
    );
    let writes = vec![store::create(&context, &task)?];
    let (undo, left) = (json!({ "taskId": task.id }), store::left(&task));
    let created = json!({"task": TaskView::scored(&context, task)});
    Ok(ToolOutput::data(&created)?
        .with_effect(action, writes)
        .at_place("your backlog")
        .undone_by("task_deleteTask", [undo])
        .leaving([left]))
}

/// Arguments that create a deleted task again. A tainted task has no undo, because its text would then count as
/// the person's own.
pub(super) fn again(task: &Task) -> Option<Value> {
    let mut again = json!({
        "title": task.title,
        "estimatedMinutes": task.estimated_minutes,
        "priority": task.priority,
        "source": task.source,
    });
    if !task.description.is_empty() {
        again["description"] = task.description.as_str().into();
    }
    if let Some(due) = task.due_date {
        again["dueDate"] = due.to_string().into();
    }
    (!task.tainted && task.status == TaskStatus::Backlog).then_some(again)
}

impl Arguments {
    fn task(&self, context: &ToolContext) -> Result<Task, ToolError> {
        let today = today(context);
        let due = |text: &String| parse_date("dueDate", text, today);
        let due_date = self.due_date.as_ref().map(due).transpose();
        let minutes = self.estimated_minutes.unwrap_or(DEFAULT_MINUTES);
        Ok(Task {
            id: TaskId::new(context.ids.as_ref()),
            title: title("title", &self.title).map_err(invalid)?,
            description: description("description", self.description.as_deref())
                .map_err(invalid)?,
            status: TaskStatus::Backlog,
            priority: self.priority.unwrap_or(Priority::Medium),
            estimated_minutes: within("estimatedMinutes", minutes, &ESTIMATE).map_err(invalid)?,
            due_date: due_date.map_err(invalid)?,
            source: self.source.unwrap_or(TaskSource::Chat),
            created_at: context.now,
            block_id: None,
            tainted: context.tainted,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[tokio::test]
    async fn what_is_left_out_has_its_default() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        let (data, action) = harness
            .done("task_createTask", json!({"title": " Call\nAna "}))
            .await;
        assert_eq!(action.unwrap(), "Created task \"Call Ana\"");
        let id = data["task"]["id"].as_str().unwrap();
        assert!(id.starts_with("tsk_"), "{id}");
        assert_eq!(
            data["task"],
            json!({
                "id": id, "title": "Call Ana", "description": "", "status": "backlog",
                "priority": "medium", "estimatedMinutes": 30, "dueDate": null, "source": "chat",
                "createdAt": "2026-11-21T12:00:00Z", "score": 30,
                "scoreBreakdown": {"priority": 30, "age": 0, "urgency": 0},
            })
        );
    }

    #[tokio::test]
    async fn all_of_it_is_kept_and_due_is_in_the_persons_zone() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z").zone("Pacific/Auckland");
        let args = json!({
            "title": "Report", "description": "Q4", "estimatedMinutes": 1_440,
            "priority": "high", "dueDate": "tomorrow", "source": "email",
        });
        harness.ok("task_createTask", args).await;
        let listed = harness.ok("task_viewTasks", json!({})).await;
        let task = &listed["tasks"][0];
        assert_eq!(task["dueDate"], "2026-11-23");
        assert_eq!(
            task["scoreBreakdown"],
            json!({"priority": 50, "age": 0, "urgency": 22})
        );
        assert_eq!(task["description"], "Q4");
        assert_eq!(task["source"], "email");
        assert_eq!(task["estimatedMinutes"], 1_440);
    }
}
