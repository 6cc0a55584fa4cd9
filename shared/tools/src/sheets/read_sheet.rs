use alfred_core::ports::{Cell, CellRange, Sheet, Tab};

use super::{TOOLSET, range, tab};
use crate::documents::file::{self, RemoteFile};
use crate::prelude::*;

/// Cells per call.
const SHOWN: u32 = 2_000;
/// Characters returned per cell.
const CELL: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title that fit it alone.
    sheet_id: String,
    /// Like "B2:D5" or "Costs!B2:D5"; the whole first tab when left out.
    range: Option<String>,
}

pub fn tool() -> SharedTool {
    let description = "Reads cells of a spreadsheet, and lists its tabs.";
    let def = ToolDef::new(TOOLSET, "sheets_readSheet", description);
    tool::read(def.flow(Flow::UNKNOWN), read)
}

async fn read(context: ToolContext, args: Arguments) -> Result<Value> {
    let sheet: Sheet = file::one(&context, &args.sheet_id).await?;
    let asked = match &args.range {
        Some(a1) => range(&sheet, a1)?,
        None => whole(tab(&sheet, "")?),
    };
    let (given, next) = parts(&asked, tab(&sheet, &asked.tab)?);
    let (account, port) = (context.account(), &context.accounts.sheets);
    let rows = port.read(&account, &sheet.summary.id, &given).await;
    let rows = rows.map_err(not_read)?;
    let mut rows = rows.ok_or_else(|| ToolError::failed(text::SHEET_GONE))?;
    rows.iter_mut().flatten().for_each(shorten);
    let mut read = sheet.view(&context);
    (read["tabs"], read["rows"]) = (json!(sheet.tabs), json!(rows));
    (read["range"], read["mayEdit"]) = (given.to_string().into(), sheet.may_edit.into());
    add(&mut read, "next", json!(next.map(|next| next.to_string())));
    Ok(read)
}

fn whole(tab: &Tab) -> CellRange {
    CellRange {
        tab: tab.name.clone(),
        top: 1,
        left: 1,
        rows: tab.rows.max(1),
        columns: tab.columns.max(1),
    }
}

/// Splits a range into the part for this call, without the empty area after the last cell, and the rest.
fn parts(asked: &CellRange, tab: &Tab) -> (CellRange, Option<CellRange>) {
    let within = |from: u32, many: u32, last: u32| {
        many.min(last.saturating_sub(from).saturating_add(1)).max(1)
    };
    let rows = within(asked.top, asked.rows, tab.rows);
    let columns = within(asked.left, asked.columns, tab.columns).min(SHOWN);
    let shown = rows.min((SHOWN / columns).max(1));
    let part = |top: u32, rows: u32| CellRange {
        top,
        rows,
        columns,
        ..asked.clone()
    };
    let rest = (rows > shown).then(|| part(asked.top + shown, rows - shown));
    (part(asked.top, shown), rest)
}

fn shorten(cell: &mut Cell) {
    if let Cell::Text(text) = cell
        && text.chars().nth(CELL).is_some()
    {
        *text = text.chars().take(CELL).chain(['…']).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_given_in_parts_as_far_as_there_is_something() {
        let tab = Tab {
            name: "Sheet1".into(),
            rows: 1_000,
            columns: 4,
        };
        alfred_testkit::cases::check(include_str!("part_cases.txt"), |asked| {
            let (part, next) = parts(&CellRange::parse(asked).unwrap(), &tab);
            let next = next.map(|next| format!(", then {next}"));
            format!("{part}{}", next.unwrap_or_default())
        });
        let wide = Tab {
            columns: 9_000,
            ..tab
        };
        let (part, next) = parts(&CellRange::parse("A1:XFD3").unwrap(), &wide);
        assert_eq!((part.rows, part.columns), (1, SHOWN));
        assert_eq!(next.unwrap().rows, 2);
    }
}
