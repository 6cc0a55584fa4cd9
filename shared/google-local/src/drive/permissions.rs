//! Who may see a file (<https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions>). Its owner is
//! the account's, and isn't kept.

use axum::http::Method;
use serde_json::{Value, json};

use super::File;
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

pub(super) const ALL: &str = "/drive/v3/files/{fileId}/permissions";
pub(super) const ONE: &str = "/drive/v3/files/{fileId}/permissions/{permissionId}";

fn id_of(address: &str) -> String {
    address.bytes().map(|byte| format!("{byte:02}")).collect()
}

fn permission(address: &str, role: &str) -> Value {
    json!({
        "kind": "drive#permission",
        "id": id_of(address),
        "type": "user",
        "role": role,
        "emailAddress": address,
        "displayName": address.split('@').next(),
    })
}

pub(super) fn shown(file: &File) -> Value {
    let all = file.shared.iter();
    all.map(|(address, role)| permission(address, role))
        .collect()
}

fn role(body: &Value) -> Result<String, ApiError> {
    match body["role"].as_str() {
        Some(role @ ("reader" | "commenter" | "writer")) => Ok(role.to_owned()),
        _ => Err(ApiError::invalid("The specified role is invalid.")),
    }
}

pub(super) fn create(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = scene.asked.body()?;
    let (role, address) = (role(&body)?, body["emailAddress"].as_str());
    let address = address.filter(|address| body["type"] == "user" && address.contains('@'));
    let address = address.ok_or_else(|| ApiError::invalid("Bad Request."))?;
    let file = scene.editable(scene.asked.param("fileId"))?;
    file.shared.insert(address.to_lowercase(), role.clone());
    Ok(permission(address, &role).into())
}

/// Another role, or its end.
pub(super) fn change(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let file = scene.editable(asked.param("fileId"))?;
    let mut all = file.shared.keys();
    let address = all.find(|address| id_of(address) == asked.param("permissionId"));
    let address = address.cloned().ok_or_else(ApiError::not_found)?;
    if asked.verb == Method::DELETE {
        file.shared.remove(&address);
        return Ok(Given::Nothing);
    }
    let role = role(&asked.body()?)?;
    file.shared.insert(address.clone(), role.clone());
    Ok(permission(&address, &role).into())
}
