use alfred_agent::tool::Settled;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Applied, CellRange, Rows, Sheet, SheetChange};
use async_trait::async_trait;

use super::{SheetView, TOOLSET, editable, entries, find, receipt, typed};
use crate::account::{not_done, not_read};
use crate::documents::{namesake, version};
use crate::outward::{self, Outward, settled};
use crate::prelude::*;

const NAME: &str = "sheets_updateCells";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of sheets_readSheet.
    sheet_id: String,
    /// As of sheets_readSheet, or its first cell.
    range: String,
    /// Rows of cells, as of sheets_appendRows; "" clears one.
    values: Vec<Vec<String>>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Changes cells of a spreadsheet; values, no formulas. A card asks first.",
    );
    outward::tool::<Updating>(def.flow(Flow::UNKNOWN))
}

struct Updating {
    sheet: Sheet,
    range: CellRange,
    expected: Rows,
    values: Rows,
    has_namesake: bool,
}

/// The target range; a single cell is the top left corner of the values.
fn target(sheet: &Sheet, a1: &str, values: &Rows) -> Result<CellRange, ToolError> {
    let mut range = find::range(sheet, a1)?;
    let columns = values.first().map_or(0, Vec::len);
    if range.cells() == 1 {
        let size = |many: usize| u32::try_from(many.max(1)).unwrap_or(u32::MAX);
        (range.rows, range.columns) = (size(values.len()), size(columns));
    }
    let width = range.columns as usize;
    let fits = values.len() == range.rows as usize && values.iter().all(|row| row.len() == width);
    if !fits {
        let problem = text::values_dont_fit(range.rows, range.columns);
        return Err(ToolError::failed(format!("values: {problem}")).say(problem));
    }
    range.check().map_err(not_read)?;
    Ok(range)
}

#[async_trait]
impl Outward for Updating {
    type Arguments = Arguments;

    /// The people with whom the sheet is shared are unknown here.
    async fn recipients(_: &ToolContext, _: &Arguments) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let values = typed("values", &args.values)?;
        let sheet = find::one(context, &args.sheet_id).await?;
        editable(&sheet)?;
        let range = target(&sheet, &args.range, &values)?;
        let (account, port) = (context.account(), &context.accounts.sheets);
        let there = port.read(&account, &sheet.summary.id, &range).await;
        let there = there.map_err(not_read)?;
        let expected = there.ok_or_else(|| ToolError::failed(text::SHEET_GONE))?;
        let title = shown_on_one_line(&sheet.summary.title);
        context.ensure_as_left(&title, true, &json!(entries(&expected)))?;
        if expected == values {
            return Err(refused("values", &args.range, "has these values already."));
        }
        Ok(Self {
            has_namesake: find::has_namesake(context, &sheet.summary).await?,
            sheet,
            range,
            expected,
            values,
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let summary = &self.sheet.summary;
        let preview = Preview::new("Change cells of a sheet")
            .field("Sheet", &summary.title)
            .field("Tab", &self.range.tab)
            .field("Version", version(context, summary.modified))
            .any(text::CAREFUL, namesake(self.has_namesake));
        let old = self.expected.iter().flatten();
        let pairs = old.zip(self.values.iter().flatten());
        let names = (0..self.range.rows).flat_map(|row| {
            (0..self.range.columns).map(move |column| self.range.name_of(row, column))
        });
        let changed = names.zip(pairs).filter(|(_, (old, new))| old != new);
        changed.fold(preview, |preview, (name, (old, new))| {
            preview.change(&name, old.to_string(), new.to_string())
        })
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let (account, key) = (context.account(), &context.call.key);
        let (id, sheets) = (&self.sheet.summary.id, &context.accounts.sheets);
        let change = SheetChange::Update {
            range: self.range.clone(),
            expected: self.expected.clone(),
            values: self.values.clone(),
        };
        let applied = sheets.apply(&account, id, &change, key).await;
        let applied = applied.map_err(not_done)?;
        let output = done(context, &applied)?;
        Ok(undone(output, &applied, &self.expected, &self.values))
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        settle(context, NAME, &args.sheet_id, done).await
    }
}

pub(super) fn undone(
    output: ToolOutput,
    applied: &Applied,
    before: &Rows,
    now: &Rows,
) -> ToolOutput {
    let back = json!({
        "sheetId": applied.sheet.summary.id,
        "range": applied.range.to_string(),
        "values": entries(before),
    });
    output
        .undone_by(NAME, [back])
        .leaving([json!(entries(now))])
}

pub(super) async fn settle(
    context: &ToolContext,
    tool: &str,
    named: &str,
    done: fn(&ToolContext, &Applied) -> Result<ToolOutput, ToolError>,
) -> Result<Settled, ToolError> {
    let sheet = match find::one(context, named).await {
        Ok(sheet) => sheet,
        // The sheet is gone, or its words now match several sheets.
        Err(ToolError::Failed(_)) => return Ok(Settled::Unknown),
        Err(other) => return Err(other),
    };
    let (account, key) = (context.account(), &context.call.key);
    let sheets = &context.accounts.sheets;
    let found = sheets.find_applied(&account, &sheet.summary.id, key);
    settled(tool, found.await, |applied| done(context, applied))
}

fn done(context: &ToolContext, applied: &Applied) -> Result<ToolOutput, ToolError> {
    let sheet = &applied.sheet;
    let view = SheetView::new(context, &sheet.summary);
    let what = format!("Changed {} of \"{}\"", applied.range, view.title);
    let data = json!({"sheet": view, "range": applied.range.to_string()});
    Ok(ToolOutput::data(&data)?.with_receipt(receipt(context, sheet, what)))
}
