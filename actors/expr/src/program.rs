//! What a text with expressions is made into.

use serde_json::Value;

use super::filters::{Filter, Test};
use super::operators::{Binary, Comparison};
use super::values::Reference;

/// A text with expressions, ready to run.
pub(super) enum Program {
    /// One expression, which gives its own value.
    Expression(Expr),
    /// Anything else, which gives text.
    Text(Vec<Stmt>),
}

/// What stands in a text.
pub(super) enum Stmt {
    Raw(Box<str>),
    Emit(Expr),
    If {
        test: Expr,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    For(Box<For>),
    Set(Target, Expr),
    /// `{% set x %}...{% endset %}`; the filter's input is the local name [`PIPED`].
    Capture {
        target: Target,
        filter: Option<Expr>,
        body: Vec<Stmt>,
    },
    With {
        names: Vec<(Target, Expr)>,
        body: Vec<Stmt>,
    },
    FilterBlock {
        filter: Expr,
        body: Vec<Stmt>,
    },
}

pub(super) struct For {
    pub target: Target,
    pub over: Expr,
    pub filter: Option<Expr>,
    /// Whether it mentions `loop`, which is made only then.
    pub says_loop: bool,
    pub body: Vec<Stmt>,
    pub other: Vec<Stmt>,
}

/// What a value is put into.
pub(super) enum Target {
    Name(Box<str>),
    Many(Vec<Target>),
}

/// The local name of what a filter block has captured; no name that can be written.
pub(super) const PIPED: &str = "|";

pub(super) enum Expr {
    Const(Value),
    Path(Path),
    Get(Box<Expr>, Box<Expr>),
    Slice { of: Box<Expr>, start: Option<Box<Expr>>, stop: Option<Box<Expr>>, step: Option<Box<Expr>> },
    Not(Box<Expr>),
    Neg(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    If { test: Box<Expr>, then: Box<Expr>, other: Option<Box<Expr>> },
    Filter { filter: &'static Filter, of: Box<Expr>, args: Args },
    Test { test: &'static Test, of: Box<Expr>, args: Args },
    Range(Vec<Expr>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
}

/// A name and the way from there.
pub(super) struct Path {
    /// Whether the name was set in the template itself.
    pub local: bool,
    pub name: Box<str>,
    pub steps: Vec<Step>,
}

pub(super) enum Step {
    Key(Box<str>),
    Index(i64),
}

impl Path {
    /// Whether it is a given name with nothing but keys.
    pub fn is_keys(&self) -> bool {
        !self.local && self.steps.iter().all(|step| matches!(step, Step::Key(_)))
    }
}

/// What is given to a filter or a test.
#[derive(Default)]
pub(super) struct Args {
    pub positional: Vec<Expr>,
    pub named: Vec<(Box<str>, Expr)>,
}

/// What is referred to, each once.
#[derive(Default)]
pub(super) struct References(Vec<Reference>);

impl References {
    pub fn add(&mut self, reference: Reference) {
        if !self.0.contains(&reference) {
            self.0.push(reference);
        }
    }

    pub fn into_vec(self) -> Vec<Reference> {
        self.0
    }
}
