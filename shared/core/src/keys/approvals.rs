use crate::id::{ApprovalId, SessionId, TeamId, UserId};
use crate::keys::people::users;
use crate::ports::Key;

pub fn approval(team: &TeamId, id: &ApprovalId) -> Key {
    Key::state(approval_partition(team, id), "approval")
}

pub fn approval_partition(team: &TeamId, id: &ApprovalId) -> String {
    format!("{team}#approval#{id}")
}

/// The partition of a person's open approvals.
pub fn approvals(team: &TeamId, user: &UserId) -> String {
    format!("{team}#{user}#approvals")
}

/// The index entry of an open approval.
pub fn pending(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(approvals(team, user), id.as_str())
}

/// An open approval. The key sorts between the person and `spend`, so that one query reads all.
pub fn open_approval(team: &TeamId, user: &UserId, id: &ApprovalId) -> Key {
    Key::state(users(team), format!("{user}#proposal#{id}"))
}

pub fn remembered(team: &TeamId, user: &UserId, session: &SessionId, digest: &str) -> Key {
    let call = format!("{session}#{digest}");
    Key::state(format!("{team}#{user}#remembered"), call)
}
