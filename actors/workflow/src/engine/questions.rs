//! Questions to people: who is told of them where nobody reads along, and what becomes of that once they are answered.
//!
//! What was told stands in the run's record, so that nobody is told twice, whatever the process goes through.

use std::future::pending;

use futures::future::BoxFuture;
use runs::WriteError;
use storage::records::Run;
use storage::{Row, TenantId, Tx};

use super::Engine;
use super::exec::Phase;
use super::place::Key;
use crate::notices::{self, Question};

/// What is to be told, and what was told before and is over.
#[derive(Default)]
pub(super) struct News {
    asked: Vec<Question>,
    over: Vec<String>,
}

impl News {
    fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.over.is_empty()
    }

    /// Writes it, and what was told into the run's record.
    pub fn write(&self, tx: &mut Tx, tenant: TenantId, run: &mut Row<Run>) -> storage::Result<()> {
        notices::over(tx, tenant, run, &self.over)?;
        run.told.retain(|told| !self.over.contains(told));
        for question in &self.asked {
            notices::waiting(tx, tenant, run, question)?;
            run.told.push(question.id());
        }
        Ok(())
    }
}

impl Engine {
    /// Tells whoever started the run what it asks, where nobody else sees that.
    pub(super) async fn tell_people(&mut self) -> Result<(), WriteError> {
        let news = self.news();
        if news.is_empty() {
            return Ok(());
        }
        self.push_out()?;
        let (tenant, id) = (self.work.tenant, self.work.run.id);
        let write = |tx: &mut Tx| {
            let mut run = tx.require::<Run>(tenant, &id)?;
            news.write(tx, tenant, &mut run)?;
            tx.update(tenant, run).map(drop)
        };
        self.work.write(Vec::new(), write).await?;
        self.told(news);
        Ok(())
    }

    /// What people are to be told now.
    pub(super) fn news(&mut self) -> News {
        if self.told.is_empty() && self.state.forms.is_empty() && self.halt.is_none() {
            return News::default();
        }
        let mut asked = self.questions();
        let over = self.told.iter().filter(|told| asked.iter().all(|question| question.id() != **told));
        let over = over.cloned().collect();
        asked.retain(|question| !self.told.contains(&question.id()));
        if self.work.readers() > self.own_readers() {
            asked.clear();
        }
        News { asked, over }
    }

    /// What was written is known.
    pub(super) fn told(&mut self, news: News) {
        self.told.retain(|told| !news.over.contains(told));
        self.told.extend(news.asked.iter().map(Question::id));
    }

    /// Returns when nobody reads along any more, where somebody does and is asked something of which nobody was told.
    pub(super) fn until_alone(&mut self) -> BoxFuture<'static, ()> {
        let seen = !(self.state.forms.is_empty() && self.halt.is_none())
            && self.questions().iter().any(|question| !self.told.contains(&question.id()));
        match seen {
            true => Box::pin(self.work.readers_gone(self.own_readers())),
            false => Box::pin(pending()),
        }
    }

    /// The run that started this one reads along and shows it to nobody.
    fn own_readers(&self) -> usize {
        usize::from(self.asked.parent.is_some())
    }

    /// What the run asks people at present, oldest first.
    fn questions(&mut self) -> Vec<Question> {
        let mut forms = std::mem::take(&mut self.state.forms);
        forms.retain(|id, key| self.form_of(*key).is_some_and(|form| form.form_id == *id));
        self.state.forms = forms;
        let forms = self.state.forms.values().filter_map(|key| self.form_of(*key).cloned());
        let mut questions: Vec<_> = forms.map(|form| Question::Form(Box::new(form))).collect();
        if let Some(halt) = self.halt.as_ref().filter(|halt| halt.asks()) {
            questions.push(Question::Halt(halt.why.clone()));
        }
        questions
    }

    /// The form that an execution waits for.
    fn form_of(&self, key: Key) -> Option<&runs::event::flow::FormRequired> {
        let exec = self.state.exec(key).filter(|exec| exec.phase == Phase::Active && !exec.retrying)?;
        exec.form.as_deref()
    }
}
