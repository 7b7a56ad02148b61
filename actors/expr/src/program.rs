//! The compiled form of a text with expressions.

use serde_json::Value;

use super::filters::{Filter, Test};
use super::operators::{Binary, Comparison};
use super::values::Reference;

/// A compiled text with expressions.
pub(super) enum Program {
    /// A single expression, which evaluates to its own value.
    Expression(Expr),
    /// Anything else, which evaluates to a text.
    Text(Vec<Stmt>),
}

/// A statement or a literal part of a text.
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
    /// `{% set x %}...{% endset %}`. The input of the filter is the local name [`PIPED`].
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
    /// Whether the body mentions `loop`, which is created only then.
    pub says_loop: bool,
    pub body: Vec<Stmt>,
    pub other: Vec<Stmt>,
}

/// The target of an assignment.
pub(super) enum Target {
    Name(Box<str>),
    Many(Vec<Target>),
}

/// The local name of the text that a filter block has captured. It is not a name that a template can contain.
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

/// A name, and the steps from its value.
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
    /// Whether it is a given name followed only by keys.
    pub fn is_keys(&self) -> bool {
        !self.local && self.steps.iter().all(|step| matches!(step, Step::Key(_)))
    }
}

/// The arguments of a filter or a test.
#[derive(Default)]
pub(super) struct Args {
    pub positional: Vec<Expr>,
    pub named: Vec<(Box<str>, Expr)>,
}

/// The references of a template, without duplicates.
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
