//! What people read about documents and sheets.

/// Nothing to be added.
pub fn nothing_to_append() -> String {
    "There is nothing to add: it is empty.".into()
}

/// A passage that isn't there exactly once.
pub fn passage_found(times: usize) -> String {
    match times {
        0 => "That passage isn't in the document.".into(),
        more => format!(
            "That passage is in the document {more} times; a longer one is needed to tell them apart."
        ),
    }
}

/// A document that was changed by somebody else.
pub fn document_changed() -> String {
    "The document was changed in the meantime, so nothing was done. Please look at it again.".into()
}

/// A document that isn't there.
pub fn document_gone() -> String {
    "The document isn't there any more.".into()
}

/// A document that can't be changed.
pub fn document_read_only() -> String {
    "This document can only be read here.".into()
}

/// A passage with parts that aren't text.
pub fn passage_not_plain() -> String {
    "That passage holds more than text, such as the lines of a table; please change it in the document itself.".into()
}

/// A document that takes no more.
pub fn document_full() -> String {
    "The document is as long as it can be, so nothing was added.".into()
}

/// A document in which nothing can be suggested.
pub fn no_suggestions() -> String {
    "Suggestions can't be made in this document.".into()
}

/// A document or sheet without a name.
pub fn title_missing() -> String {
    "The title is empty, or has nothing that could be the name of a file.".into()
}

/// A file of which no text can be read.
pub fn document_unreadable() -> String {
    "The file is damaged, or isn't what its name says, so it can't be read.".into()
}

/// A file of letters nobody can tell.
pub fn file_not_utf8() -> String {
    "The file isn't text in UTF-8, so it can't be read.".into()
}

/// A CSV file that breaks off, and so isn't written to.
pub fn sheet_damaged() -> String {
    "A quotation in this sheet doesn't end, so I don't write to it; please repair it first.".into()
}

/// A sheet that isn't there.
pub fn sheet_gone() -> String {
    "The sheet isn't there any more.".into()
}

/// A sheet that can't be changed.
pub fn sheet_read_only() -> String {
    "This sheet can only be read here.".into()
}

/// A tab that isn't there.
pub fn no_such_tab(name: &str) -> String {
    format!("The sheet has no tab \u{201c}{name}\u{201d}.")
}

/// Cells that no sheet has.
pub fn no_such_cells() -> String {
    "No sheet has these cells.".into()
}

/// Cells far below or beside what is there.
pub fn cells_too_far() -> String {
    "These cells are too far outside of what the sheet holds.".into()
}

/// What names no cells.
pub fn not_a_range(named: &str) -> String {
    format!("I can't tell which cells \u{201c}{named}\u{201d} are.")
}

/// More cells than a call takes.
pub fn too_many_cells(most: usize) -> String {
    format!("These are too many cells at once; {most} go at most.")
}

/// A text that no cell holds.
pub fn cell_too_long(most: usize) -> String {
    format!("A cell holds {most} characters at most, and one of these texts is longer.")
}

/// A sheet that can't grow any more.
pub fn sheet_full() -> String {
    "The sheet is full: it has as many cells as a sheet may have.".into()
}

/// Values that don't fill their range.
pub fn values_dont_fit(rows: u32, columns: u32) -> String {
    let rows = if rows == 1 {
        "a row".to_owned()
    } else {
        format!("{rows} rows")
    };
    format!("The values don't fit: these cells are {rows} of {columns}.")
}

/// Cells that were changed by somebody else.
pub fn cells_changed() -> String {
    "These cells were changed in the meantime, so nothing was done. Please look at them again."
        .into()
}

/// Where documents are.
pub fn in_documents() -> &'static str {
    "your documents"
}

/// Where sheets are.
pub fn in_sheets() -> &'static str {
    "your sheets"
}

/// The title of a card.
pub fn create_document_title() -> &'static str {
    "Create a document"
}

/// The title of a card.
pub fn append_document_title() -> &'static str {
    "Add to a document"
}

/// The title of a card: a change, or one that is left for others to accept.
pub fn update_document_title(as_suggestion: bool) -> &'static str {
    match as_suggestion {
        true => "Suggest a change of a document",
        false => "Change a document",
    }
}

/// On a card: what is otherwise in a document.
pub fn lines_label() -> &'static str {
    "Lines"
}

/// On a card: that a title doesn't say which document or sheet it is, where it doesn't.
pub fn namesake(has_namesake: bool) -> &'static str {
    match has_namesake {
        true => {
            "You have another one with this title. Please make sure that this is the one you mean."
        }
        false => "",
    }
}

/// Receipt of a new document.
pub fn created_document(title: &str) -> String {
    format!("Created the document \"{title}\"")
}

/// Receipt of text at a document's end.
pub fn added_to_document(title: &str) -> String {
    format!("Added to \"{title}\"")
}

/// Receipt of a passage that was replaced.
pub fn changed_document(title: &str) -> String {
    format!("Changed \"{title}\"")
}

/// Receipt of a change that others may accept.
pub fn suggested_in_document(title: &str) -> String {
    format!("Suggested a change of \"{title}\"")
}

/// The title of a card.
pub fn create_sheet_title() -> &'static str {
    "Create a sheet"
}

/// The title of a card.
pub fn append_rows_title(rows: usize) -> String {
    match rows {
        1 => "Add a row to a sheet".into(),
        more => format!("Add {more} rows to a sheet"),
    }
}

/// The title of a card.
pub fn update_cells_title() -> &'static str {
    "Change cells of a sheet"
}

/// Receipt of a new sheet.
pub fn created_sheet(title: &str) -> String {
    format!("Created the sheet \"{title}\"")
}

/// Receipt of new rows.
pub fn appended_rows(rows: u32, title: &str) -> String {
    match rows {
        1 => format!("Added a row to \"{title}\""),
        more => format!("Added {more} rows to \"{title}\""),
    }
}

/// Receipt of cells that were changed.
pub fn updated_cells(range: &str, title: &str) -> String {
    format!("Changed {range} of \"{title}\"")
}
