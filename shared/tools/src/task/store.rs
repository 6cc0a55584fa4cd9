//! Stored tasks, one item each.

use alfred_core::id::TaskId;
use alfred_core::ports::{Condition, Item, Query, Range};
use alfred_planner::{Score, Task, TaskStatus};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::BTreeSet;

use super::TaskView;
use crate::entity::{Candidate, Field, Noun};
use crate::prelude::*;

const READS_AT_ONCE: usize = 16;
/// How long a completed task stays in the list. The history of tasks keeps it longer.
const COMPLETED_KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

#[derive(Clone, Debug)]
pub struct StoredTask {
    pub task: Task,
    /// `None` for a new one.
    version: Option<u64>,
}

/// Lists the asking person's tasks, oldest first. Reads all pages.
pub async fn list(context: &ToolContext) -> Result<Vec<Task>> {
    let stored = list_stored(context).await?.into_iter();
    Ok(stored.map(|stored| stored.task).collect())
}

/// Like [`list`], with the version of each item.
pub async fn list_stored(context: &ToolContext) -> Result<Vec<StoredTask>> {
    let query = Query::state(keys::tasks(&context.team, context.user_id()), Range::All);
    let items = query.all(&*context.store).await?.into_iter();
    items.map(StoredTask::read).collect()
}

/// Returns the person's tasks with these ids, without those that are gone.
pub async fn find<'a>(
    context: &ToolContext,
    ids: impl IntoIterator<Item = &'a TaskId>,
) -> Result<Vec<Task>> {
    let stored = find_stored(context, ids).await?.into_iter();
    Ok(stored.map(|stored| stored.task).collect())
}

/// Like [`find`], with the version of each item.
pub async fn find_stored<'a>(
    context: &ToolContext,
    ids: impl IntoIterator<Item = &'a TaskId>,
) -> Result<Vec<StoredTask>> {
    let ids: BTreeSet<TaskId> = ids.into_iter().cloned().collect();
    let mut reads = Vec::with_capacity(ids.len());
    for id in &ids {
        reads.push(StoredTask::load(context, id.as_str()));
    }
    let reads = stream::iter(reads).buffered(READS_AT_ONCE);
    let found: Vec<Option<StoredTask>> = reads.try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

impl StoredTask {
    pub const fn new(task: Task) -> Self {
        let version = None;
        Self { task, version }
    }

    fn read(item: Item) -> Result<Self> {
        let version = Some(item.version);
        let task = item.decode("task")?;
        Ok(Self { task, version })
    }

    pub fn write(&self, context: &ToolContext) -> Result<Write> {
        let key = keys::task(&context.team, context.user_id(), &self.task.id);
        let body = serde_json::to_value(&self.task).map_err(Failure::bug)?;
        let write = Write::over(key, self.version.unwrap_or(0), body);
        Ok(match self.task.status {
            TaskStatus::Completed => write.kept(context.now, COMPLETED_KEPT),
            TaskStatus::Backlog | TaskStatus::Scheduled => write,
        })
    }
}

#[async_trait]
impl Entity for StoredTask {
    const NOUN: Noun = Noun {
        name: "task",
        label: "Task",
        argument: "taskId",
        id_prefix: "tsk_",
        empty: "is empty: say which task.",
        unknown: "isn't among the tasks.",
        hint: "task_viewTasks gives the ids.",
        create: "task_createTask",
        update: "task_updateTask",
        delete: "task_deleteTask",
    };

    fn id(&self) -> &str {
        self.task.id.as_str()
    }

    fn title(&self) -> &str {
        &self.task.title
    }

    fn fields(&self, _: &ToolContext) -> Vec<Field> {
        let task = &self.task;
        let due = task.due_date.map_or(String::new(), short_date);
        vec![
            Field::argument("title", &task.title),
            Field::argument("description", &task.description),
            Field::argument("estimatedMinutes", task.estimated_minutes),
            Field::argument("priority", task.priority),
            Field::argument("dueDate", task.due_date).reading(due),
            Field::created("source", task.source),
            Field::changed("status", task.status),
            Field::compared("blocks", &task.blocks),
        ]
    }

    fn view(&self, context: &ToolContext) -> Value {
        let score = Score::new(&self.task, today(context), &context.zone());
        json!(TaskView::new(self.task.clone(), score))
    }

    fn is_tainted(&self) -> bool {
        self.task.tainted
    }

    fn absorb_taint(&mut self, context: &ToolContext) {
        self.task.tainted |= context.tainted;
    }

    /// Only a task of the backlog can be created as it was.
    fn is_creatable(&self) -> bool {
        self.task.status == TaskStatus::Backlog
    }

    async fn load(context: &ToolContext, id: &str) -> Result<Option<Self>> {
        let key = keys::task(&context.team, context.user_id(), &TaskId(id.to_owned()));
        context.store.get(&key).await?.map(Self::read).transpose()
    }

    /// Open tasks, then completed ones.
    async fn candidates(context: &ToolContext, group: usize) -> Result<Option<Vec<Candidate>>> {
        if group > 1 {
            return Ok(None);
        }
        let mut tasks = list_stored(context).await?;
        tasks.retain(|one| (one.task.status == TaskStatus::Completed) == (group == 1));
        let candidate = |one: &Self| Candidate::of(one, Some(super::line(&one.task)));
        Ok(Some(tasks.iter().map(candidate).collect()))
    }

    fn writes(context: &ToolContext, old: Option<&Self>, new: Option<&Self>) -> Result<Vec<Write>> {
        Ok(match (old, new) {
            (_, Some(new)) => vec![new.write(context)?],
            (Some(old), None) => {
                let key = keys::task(&context.team, context.user_id(), &old.task.id);
                vec![Write::delete(key, old.version.map(Condition::Version))]
            }
            (None, None) => Vec::new(),
        })
    }
}
