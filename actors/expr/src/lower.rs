//! Converts the parser's syntax tree to an owned program with resolved names, and collects its references.

use minijinja::machinery::ast;
use serde_json::{Number, Value};

use super::error::TemplateError;
use super::filters;
use super::operators::{self, Binary, Comparison};
use super::program::{Args, Expr, For, PIPED, Path, References, Step, Stmt, Target};
use super::values::Reference;

/// Maximum nesting depth of expressions and statements.
const NESTING: usize = 250;

/// The state of one conversion.
pub(super) struct Lowering<'r> {
    references: &'r mut References,
    /// Names that the template itself has set, innermost last.
    locals: Vec<Box<str>>,
    says_loop: bool,
    depth: usize,
}

type Lowered<T> = Result<T, TemplateError>;

impl<'r> Lowering<'r> {
    pub fn new(references: &'r mut References) -> Self {
        Self { references, locals: Vec::new(), says_loop: false, depth: 0 }
    }

    pub fn statements(&mut self, statements: &[ast::Stmt<'_>]) -> Lowered<Vec<Stmt>> {
        self.deeper(|this| statements.iter().map(|statement| this.statement(statement)).collect())
    }

    fn deeper<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.depth += 1;
        if self.depth > NESTING {
            return fault("an expression is nested too deep");
        }
        let lowered = lower(self);
        self.depth -= 1;
        lowered
    }

    /// Converts statements with their own scope, and removes the names of that scope afterwards.
    fn scoped<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let outside = self.locals.len();
        let lowered = lower(self);
        self.locals.truncate(outside);
        lowered
    }

    fn statement(&mut self, statement: &ast::Stmt<'_>) -> Lowered<Stmt> {
        Ok(match statement {
            ast::Stmt::EmitRaw(raw) => Stmt::Raw(raw.raw.into()),
            ast::Stmt::EmitExpr(emit) => Stmt::Emit(self.expression(&emit.expr)?),
            ast::Stmt::IfCond(cond) => Stmt::If {
                test: self.expression(&cond.expr)?,
                then: self.statements(&cond.true_body)?,
                other: self.statements(&cond.false_body)?,
            },
            ast::Stmt::ForLoop(each) => Stmt::For(Box::new(self.each(each)?)),
            ast::Stmt::Set(set) => {
                let expr = self.expression(&set.expr)?;
                Stmt::Set(self.target(&set.target)?, expr)
            }
            ast::Stmt::SetBlock(set) => {
                let body = self.scoped(|this| this.statements(&set.body))?;
                let filter = set.filter.as_ref().map(|filter| self.expression(filter)).transpose()?;
                Stmt::Capture { target: self.target(&set.target)?, filter, body }
            }
            ast::Stmt::WithBlock(with) => self.scoped(|this| {
                let mut names = Vec::new();
                for (target, expr) in &with.assignments {
                    let expr = this.expression(expr)?;
                    names.push((this.target(target)?, expr));
                }
                Ok(Stmt::With { names, body: this.statements(&with.body)? })
            })?,
            ast::Stmt::FilterBlock(block) => {
                let body = self.scoped(|this| this.statements(&block.body))?;
                Stmt::FilterBlock { filter: self.expression(&block.filter)?, body }
            }
            ast::Stmt::Template(_) | ast::Stmt::AutoEscape(_) | ast::Stmt::Do(_) => {
                return fault("only `if`, `for`, `set`, `with`, `filter` and `raw` can be used in templates");
            }
        })
    }

    fn each(&mut self, each: &ast::ForLoop<'_>) -> Lowered<For> {
        if each.recursive {
            return fault("a loop cannot be recursive");
        }
        let over = self.expression(&each.iter)?;
        let outer = std::mem::take(&mut self.says_loop);
        let (target, filter, body) = self.scoped(|this| {
            let target = this.target(&each.target)?;
            let filter = each.filter_expr.as_ref().map(|filter| this.expression(filter)).transpose()?;
            this.locals.push("loop".into());
            Ok((target, filter, this.statements(&each.body)?))
        })?;
        let says_loop = std::mem::replace(&mut self.says_loop, outer);
        let other = self.scoped(|this| this.statements(&each.else_body))?;
        Ok(For { target, over, filter, says_loop, body, other })
    }

    fn target(&mut self, target: &ast::Expr<'_>) -> Lowered<Target> {
        match target {
            ast::Expr::Var(var) => {
                self.locals.push(var.id.into());
                Ok(Target::Name(var.id.into()))
            }
            ast::Expr::List(list) => self.targets(&list.items),
            ast::Expr::Tuple(tuple) => self.targets(&tuple.items),
            _ => fault("a value can be set to a name only"),
        }
    }

    fn targets(&mut self, targets: &[ast::Expr<'_>]) -> Lowered<Target> {
        let targets = targets.iter().map(|target| self.target(target));
        Ok(Target::Many(targets.collect::<Lowered<_>>()?))
    }

    pub fn expression(&mut self, expr: &ast::Expr<'_>) -> Lowered<Expr> {
        self.deeper(|this| this.shallow(expr))
    }

    fn shallow(&mut self, expr: &ast::Expr<'_>) -> Lowered<Expr> {
        Ok(match expr {
            ast::Expr::Const(constant) => Expr::Const(self.constant(&constant.value)?),
            ast::Expr::Var(_) | ast::Expr::GetAttr(_) | ast::Expr::GetItem(_) => self.path(expr)?,
            ast::Expr::Slice(slice) => Expr::Slice {
                of: self.boxed(&slice.expr)?,
                start: self.optional(slice.start.as_ref())?,
                stop: self.optional(slice.stop.as_ref())?,
                step: self.optional(slice.step.as_ref())?,
            },
            ast::Expr::UnaryOp(unary) => {
                let of = self.boxed(&unary.expr)?;
                match (&unary.op, *of) {
                    (ast::UnaryOpKind::Not, of) => Expr::Not(Box::new(of)),
                    (ast::UnaryOpKind::Neg, Expr::Const(Value::Number(number))) => {
                        Expr::Const(operators::negate(&Value::Number(number))?)
                    }
                    (ast::UnaryOpKind::Neg, of) => Expr::Neg(Box::new(of)),
                }
            }
            ast::Expr::BinOp(binary) => self.binary(binary)?,
            ast::Expr::Compare(compare) => {
                let first = self.boxed(&compare.expr)?;
                let rest = compare.ops.iter().map(|op| Ok((comparison(op.op), self.expression(&op.expr)?)));
                Expr::Compare(first, rest.collect::<Lowered<_>>()?)
            }
            ast::Expr::IfExpr(cond) => Expr::If {
                test: self.boxed(&cond.test_expr)?,
                then: self.boxed(&cond.true_expr)?,
                other: self.optional(cond.false_expr.as_ref())?,
            },
            ast::Expr::Filter(filter) => {
                let Some(found) = filters::filter(filter.name) else {
                    return fault(format!("there is no filter {:?}", filter.name));
                };
                let of = match &filter.expr {
                    Some(of) => self.boxed(of)?,
                    None => Box::new(Expr::Path(Path { local: true, name: PIPED.into(), steps: Vec::new() })),
                };
                Expr::Filter { filter: found, of, args: self.args(&filter.args)? }
            }
            ast::Expr::Test(test) => {
                let Some(found) = filters::test(test.name) else {
                    return fault(format!("there is no test {:?}", test.name));
                };
                Expr::Test { test: found, of: self.boxed(&test.expr)?, args: self.args(&test.args)? }
            }
            ast::Expr::Call(call) => self.call(call)?,
            ast::Expr::List(list) => Expr::List(self.expressions(&list.items)?),
            ast::Expr::Tuple(tuple) => Expr::List(self.expressions(&tuple.items)?),
            ast::Expr::Map(map) => {
                let fields = map.keys.iter().zip(&map.values);
                let fields = fields.map(|(key, value)| Ok((self.expression(key)?, self.expression(value)?)));
                Expr::Map(fields.collect::<Lowered<_>>()?)
            }
        })
    }

    fn binary(&mut self, binary: &ast::BinOp<'_>) -> Lowered<Expr> {
        let (left, right) = (self.boxed(&binary.left)?, self.boxed(&binary.right)?);
        let op = match binary.op {
            ast::BinOpKind::ScAnd => return Ok(Expr::And(left, right)),
            ast::BinOpKind::ScOr => return Ok(Expr::Or(left, right)),
            ast::BinOpKind::Add => Binary::Add,
            ast::BinOpKind::Sub => Binary::Sub,
            ast::BinOpKind::Mul => Binary::Mul,
            ast::BinOpKind::Div => Binary::Div,
            ast::BinOpKind::FloorDiv => Binary::FloorDiv,
            ast::BinOpKind::Rem => Binary::Rem,
            ast::BinOpKind::Pow => Binary::Pow,
            ast::BinOpKind::Concat => Binary::Concat,
            compared => {
                let how = match compared {
                    ast::BinOpKind::Eq => Comparison::Eq,
                    ast::BinOpKind::Ne => Comparison::Ne,
                    ast::BinOpKind::Lt => Comparison::Lt,
                    ast::BinOpKind::Lte => Comparison::Le,
                    ast::BinOpKind::Gt => Comparison::Gt,
                    ast::BinOpKind::Gte => Comparison::Ge,
                    _ => Comparison::In,
                };
                return Ok(Expr::Compare(left, vec![(how, *right)]));
            }
        };
        Ok(Expr::Binary(op, left, right))
    }

    fn call(&mut self, call: &ast::Call<'_>) -> Lowered<Expr> {
        match call.identify_call() {
            ast::CallType::Function("range") => {
                let args = self.args(&call.args)?;
                if !args.named.is_empty() || !(1..=3).contains(&args.positional.len()) {
                    return fault("`range` takes one to three numbers");
                }
                Ok(Expr::Range(args.positional))
            }
            ast::CallType::Function("dict") => {
                let args = self.args(&call.args)?;
                if !args.positional.is_empty() {
                    return fault("`dict` takes names with values");
                }
                let field =
                    |(name, value): (Box<str>, Expr)| (Expr::Const(Value::String(name.into())), value);
                Ok(Expr::Map(args.named.into_iter().map(field).collect()))
            }
            ast::CallType::Function(name) => fault(format!("there is no function {name:?}")),
            ast::CallType::Method(_, name) => {
                fault(format!("values have no functions, so none is called {name:?}"))
            }
            ast::CallType::Object(_) => fault("a value cannot be called"),
        }
    }

    fn args(&mut self, call_args: &[ast::CallArg<'_>]) -> Lowered<Args> {
        let mut args = Args::default();
        for arg in call_args {
            match arg {
                ast::CallArg::Pos(expr) => args.positional.push(self.expression(expr)?),
                ast::CallArg::Kwarg(name, expr) => args.named.push(((*name).into(), self.expression(expr)?)),
                ast::CallArg::PosSplat(_) | ast::CallArg::KwargSplat(_) => {
                    return fault("arguments cannot be unpacked with `*`");
                }
            }
        }
        Ok(args)
    }

    fn path(&mut self, expr: &ast::Expr<'_>) -> Lowered<Expr> {
        let path = self.way(expr)?;
        self.note(&path);
        Ok(path)
    }

    /// Converts a name with its steps to a path. From the first step that has to be computed on, it is no longer a
    /// path.
    fn way(&mut self, expr: &ast::Expr<'_>) -> Lowered<Expr> {
        let (of, key) = match expr {
            ast::Expr::Var(var) => return Ok(self.name(var.id)),
            ast::Expr::GetAttr(get) => (self.way(&get.expr)?, Expr::Const(Value::from(get.name))),
            ast::Expr::GetItem(get) => (self.way(&get.expr)?, self.expression(&get.subscript_expr)?),
            other => return self.expression(other),
        };
        let step = match &key {
            Expr::Const(Value::String(key)) => Some(Step::Key(key.as_str().into())),
            Expr::Const(key) => key.as_i64().map(Step::Index),
            _ => None,
        };
        Ok(match (of, step) {
            (Expr::Path(mut path), Some(step)) => {
                path.steps.push(step);
                Expr::Path(path)
            }
            (of, _) => {
                self.note(&of);
                Expr::Get(Box::new(of), Box::new(key))
            }
        })
    }

    fn name(&mut self, name: &str) -> Expr {
        let local = self.locals.iter().any(|local| &**local == name);
        self.says_loop |= local && name == "loop";
        Expr::Path(Path { local, name: name.into(), steps: Vec::new() })
    }

    fn note(&mut self, expr: &Expr) {
        if let Expr::Path(path) = expr
            && !path.local
        {
            self.references.add(reference(path));
        }
    }

    fn constant(&self, value: &minijinja::Value) -> Lowered<Value> {
        if value.is_none() || value.is_undefined() {
            return Ok(Value::Null);
        }
        if let Some(text) = value.as_str() {
            return Ok(Value::from(text));
        }
        if value.kind() == minijinja::value::ValueKind::Bool {
            return Ok(Value::Bool(value.is_true()));
        }
        let number = if value.is_integer() {
            i64::try_from(value.clone())
                .map(Number::from)
                .ok()
                .or_else(|| u64::try_from(value.clone()).map(Number::from).ok())
        } else {
            f64::try_from(value.clone()).ok().and_then(Number::from_f64)
        };
        match number {
            Some(number) => Ok(Value::Number(number)),
            None => fault(format!("{value} is too large a number")),
        }
    }

    fn boxed(&mut self, expr: &ast::Expr<'_>) -> Lowered<Box<Expr>> {
        self.expression(expr).map(Box::new)
    }

    fn optional(&mut self, expr: Option<&ast::Expr<'_>>) -> Lowered<Option<Box<Expr>>> {
        expr.map(|expr| self.boxed(expr)).transpose()
    }

    fn expressions(&mut self, exprs: &[ast::Expr<'_>]) -> Lowered<Vec<Expr>> {
        exprs.iter().map(|expr| self.expression(expr)).collect()
    }
}

/// Returns the leading keys of a path as a reference.
fn reference(path: &Path) -> Reference {
    let keys = path.steps.iter().map_while(|step| match step {
        Step::Key(key) => Some(key.to_string()),
        Step::Index(_) => None,
    });
    std::iter::once(path.name.to_string()).chain(keys).collect()
}

fn comparison(op: ast::CompareOpKind) -> Comparison {
    match op {
        ast::CompareOpKind::Eq => Comparison::Eq,
        ast::CompareOpKind::Ne => Comparison::Ne,
        ast::CompareOpKind::Lt => Comparison::Lt,
        ast::CompareOpKind::Lte => Comparison::Le,
        ast::CompareOpKind::Gt => Comparison::Gt,
        ast::CompareOpKind::Gte => Comparison::Ge,
        ast::CompareOpKind::In => Comparison::In,
        ast::CompareOpKind::NotIn => Comparison::NotIn,
    }
}

fn fault<T>(what: impl Into<String>) -> Lowered<T> {
    Err(TemplateError(what.into()))
}
