//! Converts a sequence of text blocks to Markdown.

/// The maximum number of cells in a row; further cells are dropped.
const MAX_CELLS: usize = 1024;
/// The maximum depth of nested tables.
const MAX_TABLE_DEPTH: usize = 16;

/// Accepts the text of a document in its order and writes Markdown, up to a size limit.
pub(super) struct Flow {
    out: String,
    room: usize,
    full: bool,
    line: String,
    heading: Option<u8>,
    marker: Option<String>,
    /// The size in bytes of cells whose row has not ended.
    held: usize,
    /// Whether the last written block was a list item.
    in_list: bool,
    /// Whether whitespace is preserved.
    literal: bool,
    tables: Vec<Table>,
    /// The number of open tables that are nested too deeply and therefore ignored.
    deeper_tables: u64,
}

#[derive(Default)]
struct Table {
    rows: usize,
    row: Vec<Vec<String>>,
    in_cell: bool,
}

impl Flow {
    /// Creates a flow with space for `room` bytes.
    pub fn new(room: usize) -> Self {
        Self {
            out: String::new(),
            room,
            full: false,
            line: String::new(),
            heading: None,
            marker: None,
            held: 0,
            in_list: false,
            literal: false,
            tables: Vec::new(),
            deeper_tables: 0,
        }
    }

    /// Whether there was more text than the available space.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Appends to the current block. Consecutive whitespace counts as one space.
    pub fn text(&mut self, text: &str) {
        if self.line.len() + text.len() > self.room {
            self.full = true;
            return;
        }
        if self.literal {
            self.line.push_str(text);
            return;
        }
        for piece in text.split_inclusive(is_blank) {
            let word = piece.trim_end_matches(is_blank);
            self.line.push_str(word);
            let open = !self.line.is_empty() && !self.line.ends_with([' ', '\n']);
            if word.len() < piece.len() && open {
                self.line.push(' ');
            }
        }
    }

    /// Begins a new line within the block.
    pub fn line_break(&mut self) {
        if self.literal {
            self.line.push('\n');
        } else if !self.line.is_empty() {
            self.line.truncate(self.line.trim_end().len());
            self.line.push('\n');
        }
    }

    /// Ends the block and begins a plain one.
    pub fn block(&mut self) {
        self.flush();
        self.heading = None;
    }

    /// Ends the block and begins another of the same kind: a line within a table cell.
    pub fn block_within(&mut self) {
        self.flush();
    }

    /// Removes and returns the text of the current block.
    pub fn take_line(&mut self) -> String {
        std::mem::take(&mut self.line)
    }

    /// Ends the block and begins a heading of this level, from 1.
    pub fn heading(&mut self, level: u8) {
        self.flush();
        self.heading = Some(level.clamp(1, 6));
    }

    /// Ends the block. The next one is a list item at nesting depth `depth`, from 0.
    pub fn item(&mut self, depth: usize, number: Option<u32>) {
        self.flush();
        let indent = "  ".repeat(depth.min(8));
        self.marker = Some(match number {
            Some(number) => format!("{indent}{number}. "),
            None => format!("{indent}- "),
        });
    }

    /// Discards a list item if nothing has been written to it.
    pub fn end_item(&mut self) {
        self.flush();
        self.marker = None;
    }

    /// Begins a section in which whitespace is preserved.
    pub fn literal_begin(&mut self) {
        self.flush();
        self.literal = true;
    }

    /// Writes the text since `literal_begin` as a code block.
    pub fn literal_end(&mut self) {
        if !self.literal {
            return;
        }
        self.literal = false;
        let code = std::mem::take(&mut self.line);
        let code = code.trim_matches('\n').trim_end();
        if code.trim().is_empty() {
            return;
        }
        self.marker = None;
        match self.tables.is_empty() {
            true => self.write("\n\n", &fenced(code, "")),
            false => self.write_block(code.to_owned(), "\n\n"),
        }
    }

    /// Removes the current cell if it is empty.
    pub fn cell_undo(&mut self) {
        self.flush();
        if let Some(table) = self.tables.last_mut()
            && table.row.last().is_some_and(Vec::is_empty)
        {
            table.row.pop();
        }
    }

    /// Begins a table. A table within a table cell becomes blocks of that cell.
    pub fn table_begin(&mut self) {
        self.flush();
        if self.tables.len() >= MAX_TABLE_DEPTH {
            self.deeper_tables += 1;
        } else {
            self.tables.push(Table::default());
        }
    }

    pub fn row_begin(&mut self) {
        self.row_end();
    }

    pub fn cell_begin(&mut self) {
        self.flush();
        if let Some(table) = self.tables.last_mut() {
            if table.row.len() < MAX_CELLS {
                table.row.push(Vec::new());
            }
            table.in_cell = true;
        }
    }

    pub fn cell_end(&mut self) {
        self.flush();
        if let Some(table) = self.tables.last_mut() {
            table.in_cell = false;
        }
    }

    pub fn row_end(&mut self) {
        self.cell_end();
        let depth = self.tables.len();
        let Some(table) = self.tables.last_mut() else { return };
        let row = std::mem::take(&mut table.row);
        let mut filled = row.iter().filter(|cell| !cell.is_empty());
        let (first, second) = (filled.next(), filled.next());
        if first.is_none() {
            return;
        }
        // A table that only serves the layout of a page, or cells of nested tables.
        let many = |cell: &Vec<String>| cell.len() > 1 || cell[0].len() > 200;
        if depth == 1 {
            self.held = 0;
        }
        let is_layout = second.is_none() && table.rows == 0 && first.is_some_and(many);
        if is_layout || depth > 1 {
            let outer = self.tables.pop();
            for block in row.into_iter().flatten() {
                self.write_block(block, "\n\n");
            }
            self.tables.extend(outer);
            return;
        }
        let cells: Vec<String> = row.iter().map(|blocks| cell_text(blocks)).collect();
        table.rows += 1;
        let is_first = table.rows == 1;
        self.write_row(&cells, is_first);
    }

    pub fn table_end(&mut self) {
        if self.deeper_tables > 0 {
            self.deeper_tables -= 1;
            return self.flush();
        }
        self.row_end();
        self.tables.pop();
        self.in_list = false;
    }

    /// Writes a complete row. A separator line after the first row makes it the table header.
    pub fn write_row(&mut self, cells: &[String], is_first: bool) {
        let mut row = String::from("|");
        for cell in cells {
            row.push(' ');
            row.push_str(&cell.replace(['\n', '\r', '\t'], " ").replace('|', "\\|"));
            row.push_str(" |");
        }
        if is_first {
            row.push_str("\n|");
            row.push_str(&" --- |".repeat(cells.len()));
        }
        self.write(if is_first { "\n\n" } else { "\n" }, &row);
    }

    fn flush(&mut self) {
        if self.literal {
            return self.literal_end();
        }
        let line = std::mem::take(&mut self.line);
        let mut text = line.trim();
        if text.is_empty() {
            return;
        }
        if let Some(item) = bulleted(text).filter(|_| self.heading.is_none()) {
            self.marker.get_or_insert_with(|| "- ".into());
            text = item;
        }
        let in_list = self.marker.as_ref().is_some_and(|_| self.in_list);
        let gap = if in_list { "\n" } else { "\n\n" };
        self.in_list = self.marker.is_some();
        let block = match (self.heading, self.marker.take()) {
            (Some(level), _) => {
                format!("{} {}", "#".repeat(usize::from(level)), text.replace('\n', " "))
            }
            (None, Some(marker)) => format!("{marker}{}", text.replace('\n', "\n  ")),
            (None, None) => text.to_owned(),
        };
        self.write_block(block, gap);
    }

    /// Writes to the innermost cell, or otherwise to the output.
    fn write_block(&mut self, block: String, gap: &str) {
        let cell =
            self.tables.iter_mut().rev().find(|table| table.in_cell).and_then(|table| table.row.last_mut());
        match cell {
            Some(cell) => {
                self.held += block.len();
                self.full |= self.out.len() + self.held > self.room;
                if !self.full {
                    cell.push(block);
                }
            }
            None => self.write(gap, &block),
        }
    }

    fn write(&mut self, gap: &str, block: &str) {
        let gap = if self.out.is_empty() { "" } else { gap };
        if self.out.len() + gap.len() + block.len() > self.room {
            self.full = true;
            return;
        }
        self.out.push_str(gap);
        self.out.push_str(block);
    }

    pub fn finish(mut self) -> String {
        self.flush();
        self.deeper_tables = 0;
        while !self.tables.is_empty() {
            self.table_end();
        }
        self.out
    }
}

/// Whitespace that counts as a space. The non-breaking space is not included.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn cell_text(blocks: &[String]) -> String {
    let bare = |block: &String| {
        let block = block.trim_start_matches(['#', ' ']);
        block.strip_prefix("- ").unwrap_or(block).to_owned()
    };
    blocks.iter().map(bare).collect::<Vec<_>>().join(" ")
}

/// The text after a bullet character that begins a list item.
pub(super) fn bulleted(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['•', '◦', '▪', '‣', '●', '■', '○', '\u{b7}'])?;
    let item = rest.trim_start();
    (item.len() < rest.len() && !item.is_empty()).then_some(item)
}

/// Formats code as a block in a fence that does not occur in the code.
pub(super) fn fenced(code: &str, language: &str) -> String {
    let longest = code.lines().map(|line| line.trim_start().bytes().take_while(|b| *b == b'`').count());
    let fence = "`".repeat(longest.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}
