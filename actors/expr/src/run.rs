//! Evaluates programs.

use serde_json::{Map, Value};

use super::args::FilterArgs;
use super::budget::{Budget, TEXT, check_depth, too_long};
use super::error::TemplateError;
use super::operators::{self, Comparison};
use super::program::{Args, Expr, For, PIPED, Path, Program, Step, Stmt, Target};
use super::val::{Val, kind};
use super::values::Values;

type Outcome<T> = Result<T, TemplateError>;

/// Maximum number of values that `range` returns.
const RANGE: usize = 10_000;

/// Evaluates a program. `depth` is the nesting depth of the result within the surrounding value.
pub(super) fn evaluate<'a>(
    program: &'a Program,
    values: &'a Values,
    budget: &mut Budget,
    depth: usize,
) -> Outcome<Value> {
    let mut run = Run { values, locals: Vec::new(), budget };
    match program {
        Program::Expression(expr) => match run.expression(expr)? {
            Val::Borrowed(value) => run.budget.copy(value, depth),
            computed => {
                let value = computed.into_json(run.budget)?;
                check_depth(&value, depth)?;
                Ok(value)
            }
        },
        Program::Text(statements) => {
            let mut out = String::new();
            run.statements(statements, &mut out)?;
            Ok(Value::String(out))
        }
    }
}

/// The state of one evaluation.
pub(super) struct Run<'a, 'b> {
    values: &'a Values,
    /// Names that the template itself has set, innermost last.
    locals: Vec<(&'a str, Val<'a>)>,
    pub budget: &'b mut Budget,
}

impl<'a> Run<'a, '_> {
    fn statements(&mut self, statements: &'a [Stmt], out: &mut String) -> Outcome<()> {
        statements.iter().try_for_each(|statement| self.statement(statement, out))
    }

    fn scoped(&mut self, statements: &'a [Stmt], out: &mut String) -> Outcome<()> {
        let outside = self.locals.len();
        let outcome = self.statements(statements, out);
        self.locals.truncate(outside);
        outcome
    }

    fn captured(&mut self, statements: &'a [Stmt]) -> Outcome<Val<'a>> {
        let mut text = String::new();
        self.scoped(statements, &mut text)?;
        Ok(Val::Own(Value::String(text)))
    }

    /// Evaluates a filter expression with `value` as its input.
    fn piped(&mut self, filter: &'a Expr, value: Val<'a>) -> Outcome<Val<'a>> {
        self.locals.push((PIPED, value.named()));
        let value = self.expression(filter);
        self.locals.pop();
        value
    }

    fn write(&mut self, text: &str, out: &mut String) -> Outcome<()> {
        if out.len() + text.len() > TEXT {
            return Err(too_long());
        }
        self.budget.bytes(text.len())?;
        out.push_str(text);
        Ok(())
    }

    fn emit(&mut self, value: &Val<'_>, out: &mut String) -> Outcome<()> {
        let text = value.text(self.budget)?;
        self.write(&text, out)
    }

    fn statement(&mut self, statement: &'a Stmt, out: &mut String) -> Outcome<()> {
        self.budget.steps(1)?;
        match statement {
            Stmt::Raw(text) => self.write(text, out),
            Stmt::Emit(expr) => {
                let value = self.expression(expr)?;
                self.emit(&value, out)
            }
            Stmt::If { test, then, other } => {
                let branch = if self.expression(test)?.is_true() { then } else { other };
                self.statements(branch, out)
            }
            Stmt::For(each) => self.each(each, out),
            Stmt::Set(target, expr) => {
                let value = self.expression(expr)?;
                self.bind(target, value)
            }
            Stmt::Capture { target, filter, body } => {
                let mut value = self.captured(body)?;
                if let Some(filter) = filter {
                    value = self.piped(filter, value)?;
                }
                self.bind(target, value)
            }
            Stmt::With { names, body } => {
                let outside = self.locals.len();
                for (target, expr) in names {
                    let value = self.expression(expr)?;
                    self.bind(target, value)?;
                }
                self.scoped(body, out)?;
                self.locals.truncate(outside);
                Ok(())
            }
            Stmt::FilterBlock { filter, body } => {
                let text = self.captured(body)?;
                let value = self.piped(filter, text)?;
                self.emit(&value, out)
            }
        }
    }

    fn each(&mut self, each: &'a For, out: &mut String) -> Outcome<()> {
        let mut items = self.expression(&each.over)?.items(self.budget)?;
        let outside = self.locals.len();
        if let Some(filter) = &each.filter {
            let mut selected = Vec::new();
            for item in items {
                let item = item.named();
                self.bind(&each.target, item.clone())?;
                if self.expression(filter)?.is_true() {
                    selected.push(item);
                }
                self.locals.truncate(outside);
            }
            items = selected;
        }
        if items.is_empty() {
            return self.scoped(&each.other, out);
        }
        let count = items.len();
        for (index, item) in items.into_iter().enumerate() {
            self.budget.steps(1)?;
            self.bind(&each.target, item)?;
            if each.says_loop {
                self.budget.values(8)?;
                self.locals.push(("loop", Val::Own(about(index, count)).named()));
            }
            self.statements(&each.body, out)?;
            self.locals.truncate(outside);
        }
        Ok(())
    }

    fn bind(&mut self, target: &'a Target, value: Val<'a>) -> Outcome<()> {
        match target {
            Target::Name(name) => {
                self.budget.bytes(64)?;
                // Through repeated assignment, a value could become so deep that dropping it overflows the stack.
                if let Val::Own(value) = &value {
                    check_depth(value, 0)?;
                }
                self.locals.push((name, value.named()));
                Ok(())
            }
            Target::Many(targets) => {
                let parts = value.items(self.budget)?;
                if parts.len() != targets.len() {
                    let why = format!("{} values cannot be put into {} names", parts.len(), targets.len());
                    return Err(TemplateError(why));
                }
                targets.iter().zip(parts).try_for_each(|(target, part)| self.bind(target, part))
            }
        }
    }

    /// Evaluates an expression.
    pub fn expression(&mut self, expr: &'a Expr) -> Outcome<Val<'a>> {
        self.budget.steps(1)?;
        match expr {
            Expr::Const(value) => Ok(Val::Borrowed(value)),
            Expr::Path(path) => self.path(path),
            Expr::Get(of, key) => {
                let of = self.expression(of)?;
                let key = self.expression(key)?;
                get(of, key.json(), self.budget)
            }
            Expr::Slice { of, start, stop, step } => {
                let of = self.expression(of)?;
                let bounds = [self.bound(start)?, self.bound(stop)?, self.bound(step)?];
                slice(of, bounds, self.budget)
            }
            Expr::Not(of) => Ok(truth(!self.expression(of)?.is_true())),
            Expr::Neg(of) => operators::negate(self.expression(of)?.json()).map(Val::Own),
            Expr::And(left, right) => {
                let left = self.expression(left)?;
                if left.is_true() { self.expression(right) } else { Ok(left) }
            }
            Expr::Or(left, right) => {
                let left = self.expression(left)?;
                if left.is_true() { Ok(left) } else { self.expression(right) }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                operators::binary(*op, left, right, self.budget)
            }
            Expr::Compare(first, rest) => self.compare(first, rest).map(truth),
            Expr::If { test, then, other } => match (self.expression(test)?.is_true(), other) {
                (true, _) => self.expression(then),
                (false, Some(other)) => self.expression(other),
                (false, None) => Ok(Val::Undefined),
            },
            Expr::Filter { filter, of, args } => {
                let of = self.expression(of)?;
                let args = self.args(args)?;
                (filter.apply)(of, args, self.budget).map_err(|error| within(filter.name, error))
            }
            Expr::Test { test, of, args } => {
                let of = self.expression(of)?;
                let args = self.args(args)?;
                (test.holds)(&of, args, self.budget).map(truth).map_err(|error| within(test.name, error))
            }
            Expr::Range(bounds) => self.range(bounds),
            Expr::List(items) => {
                let items = items.iter().map(|item| self.expression(item)).collect::<Outcome<Vec<_>>>()?;
                Val::list(items, self.budget)
            }
            Expr::Map(fields) => {
                let mut map = Map::new();
                for (name, value) in fields {
                    let name = self.expression(name)?.text(self.budget)?.into_owned();
                    self.budget.text(name.len())?;
                    self.budget.values(1)?;
                    map.insert(name, self.expression(value)?.into_json(self.budget)?);
                }
                Ok(Val::Own(Value::Object(map)))
            }
        }
    }

    fn path(&mut self, path: &'a Path) -> Outcome<Val<'a>> {
        let mut value = if path.local {
            let found = self.locals.iter().rev().find(|(name, _)| *name == &*path.name);
            found.map_or(Val::Undefined, |(_, value)| value.clone())
        } else {
            self.values.get(&*path.name).map_or(Val::Undefined, |value| Val::Borrowed(value))
        };
        for step in &path.steps {
            value = match step {
                Step::Key(key) => value.field(key, self.budget)?,
                Step::Index(index) => value.item(*index, self.budget)?,
            };
        }
        Ok(value)
    }

    fn compare(&mut self, first: &'a Expr, rest: &'a [(Comparison, Expr)]) -> Outcome<bool> {
        let mut left = self.expression(first)?;
        for (how, right) in rest {
            let right = self.expression(right)?;
            if !operators::compare(*how, left.json(), right.json(), self.budget)? {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    fn args(&mut self, args: &'a Args) -> Outcome<FilterArgs<'a>> {
        let mut filter_args = FilterArgs::default();
        for arg in &args.positional {
            filter_args.push(self.expression(arg)?);
        }
        for (name, arg) in &args.named {
            filter_args.push_named(name, self.expression(arg)?);
        }
        Ok(filter_args)
    }

    fn bound(&mut self, expr: &'a Option<Box<Expr>>) -> Outcome<Option<i64>> {
        let Some(expr) = expr else { return Ok(None) };
        let value = self.expression(expr)?;
        match value.json() {
            Value::Null => Ok(None),
            number => match number.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(TemplateError("the bounds of a slice are whole numbers".into())),
            },
        }
    }

    fn range(&mut self, bounds: &'a [Expr]) -> Outcome<Val<'a>> {
        let mut numbers = Vec::new();
        for bound in bounds {
            let number = self.expression(bound)?.json().as_i64();
            numbers.push(number.ok_or_else(|| TemplateError("`range` takes whole numbers".into()))?);
        }
        let (start, stop, step) = match numbers[..] {
            [stop] => (0, stop, 1),
            [start, stop] => (start, stop, 1),
            [start, stop, step] => (start, stop, step),
            _ => return Err(TemplateError("`range` takes one to three numbers".into())),
        };
        let step = usize::try_from(step).ok().filter(|step| *step > 0);
        let step = step.ok_or_else(|| TemplateError("the step of a `range` is 1 or more".into()))?;
        let numbers: Vec<Val<'a>> =
            (start..stop).step_by(step).take(RANGE + 1).map(|number| Val::Own(Value::from(number))).collect();
        if numbers.len() > RANGE {
            return Err(TemplateError(format!("a `range` has at most {RANGE} numbers")));
        }
        Val::list(numbers, self.budget)
    }
}

fn truth<'a>(truth: bool) -> Val<'a> {
    Val::Own(Value::Bool(truth))
}

fn within(name: &str, error: TemplateError) -> TemplateError {
    TemplateError(format!("`{name}`: {error}"))
}

/// The value of the name `loop`.
fn about(index: usize, count: usize) -> Value {
    serde_json::json!({
        "index": index + 1, "index0": index, "first": index == 0, "last": index + 1 == count,
        "length": count, "revindex": count - index, "revindex0": count - index - 1,
    })
}

/// Returns the part of a value at a computed key.
fn get<'a>(of: Val<'a>, key: &Value, budget: &mut Budget) -> Outcome<Val<'a>> {
    match key {
        Value::String(name) => of.field(name, budget),
        Value::Null => Ok(Val::Undefined),
        key => match key.as_i64() {
            Some(index) => of.item(index, budget),
            None => Err(TemplateError(format!("{} is no name and no place", kind(key)))),
        },
    }
}

fn slice<'a>(of: Val<'a>, [start, stop, step]: [Option<i64>; 3], budget: &mut Budget) -> Outcome<Val<'a>> {
    let step = usize::try_from(step.unwrap_or(1)).ok().filter(|step| *step > 0);
    let step = step.ok_or_else(|| TemplateError("the step of a slice is 1 or more".into()))?;
    let is_text = of.json().is_string();
    let items = of.items(budget)?;
    let place = |bound: i64| match usize::try_from(bound) {
        Ok(bound) => bound.min(items.len()),
        Err(_) => items.len().saturating_sub(usize::try_from(bound.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let (start, stop) = (start.map_or(0, place), stop.map_or(items.len(), place));
    let selected: Vec<Val<'a>> = items.into_iter().take(stop).skip(start).step_by(step).collect();
    if is_text {
        let text: String = selected.iter().filter_map(|item| item.json().as_str()).collect();
        return Ok(Val::Own(Value::from(text)));
    }
    Val::list(selected, budget)
}
