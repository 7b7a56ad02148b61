//! The reviewed table: one line per operation, in the form that people read and in the form that the test compares.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use super::callers::Who;

/// The text above the lines.
const HEAD: &str = "\
# Who may call what, and what becomes of those who may not. The test `every_operation_by_every_caller` sees to it
# that this is so; UNDERSTUDY_WRITE_TABLE=1 rewrites it, keeping the remarks. Every line is to be thought about.
#
# The owner has made everything and has shared what can be shared: with the viewer and, to change it, with the
# editor. Both are plain members by their role; the owner's role is `editor`. User, admin and service account
# (of the role `editor`) were granted nothing. The stranger administers another tenant. The impersonator is the
# admin in the owner's name.
#
#   pass  is let through: what comes is no matter of rights      401   has to say who they are
#   404   there is no such thing, as far as they are told        role  403, needs a higher role
#   level 403, sees it and may not do that to it                 act   403, not in another's name
#   session  403, not by an API token                            self  403, only in another's name
#
# The last column: the scope that an API token needs, tried with each scope alone and with none. `any` is any
# scope, `none needed` also takes a token without scopes, `open` needs no credentials.
";

/// A line: a cell for each kind of caller, and the scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub cells: Vec<String>,
    pub scope: String,
}

/// A table, with the remarks that stand above lines.
#[derive(Default)]
pub struct Table {
    pub lines: BTreeMap<String, Line>,
    remarks: BTreeMap<String, Vec<String>>,
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/access/table.txt"))
}

impl Table {
    pub fn reviewed() -> Self {
        let text = std::fs::read_to_string(path()).unwrap_or_default();
        let mut table = Self::default();
        let mut remarks = Vec::new();
        // The head ends at the first empty line.
        for line in text.lines().skip_while(|line| !line.is_empty()) {
            if line.starts_with("# ") {
                remarks.push(line.to_owned());
                continue;
            }
            let Some((left, scope)) = line.split_once('|').filter(|_| !line.starts_with('#')) else {
                continue;
            };
            let mut words = left.split_whitespace().map(str::to_owned);
            let Some(operation) = words.next() else { continue };
            if !remarks.is_empty() {
                table.remarks.insert(operation.clone(), std::mem::take(&mut remarks));
            }
            let line = Line { cells: words.collect(), scope: scope.trim().to_owned() };
            table.lines.insert(operation, line);
        }
        table
    }

    /// Takes over the remarks of another table.
    pub fn with_remarks_of(mut self, other: &Self) -> Self {
        self.remarks = other.remarks.clone();
        self
    }

    /// Writes the table, with the operations in this order.
    pub fn write(&self, order: &[String]) {
        std::fs::write(path(), self.show(order)).expect("written");
    }

    pub fn show(&self, order: &[String]) -> String {
        let width = order.iter().map(String::len).max().unwrap_or_default();
        let mut text = HEAD.to_owned();
        let mut area = "";
        for operation in order {
            let Some(line) = self.lines.get(operation) else { continue };
            let of = operation.split('.').next().unwrap_or_default();
            if of != area {
                area = of;
                let heads: Vec<_> = Who::ALL.iter().map(|who| who.name().to_owned()).collect();
                let _ = writeln!(text, "\n## {:<1$}{2}", area, width - 3, row(&heads, "scope"));
            }
            for remark in self.remarks.get(operation).into_iter().flatten() {
                let _ = writeln!(text, "{remark}");
            }
            let _ = writeln!(text, "{:<width$}{}", operation, row(&line.cells, &line.scope));
        }
        text
    }
}

/// The cells of a line, aligned.
pub fn row(cells: &[String], scope: &str) -> String {
    let cells: String = cells.iter().map(|cell| format!(" {cell:<8}")).collect();
    format!(" {cells} | {scope}")
}
