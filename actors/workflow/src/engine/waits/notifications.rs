//! Notifies users whose decision a run needs while no client reads its stream. Withdraws the notifications once the decision is
//! made.
//!
//! The announced questions are part of the run's record, so that a crash does not cause a second notification.

use futures::future::BoxFuture;
use runs::Work;
use runs::event::flow::FormRequired;
use storage::records::Run;
use storage::{Row, TenantId, Tx};

use super::halt::Halt;
use crate::engine::state::{Key, Phase, State};
use crate::notices::{self, Question};

/// Changes to the notifications of a run.
#[derive(Default)]
pub struct Changes {
    /// Questions to announce.
    new: Vec<Question>,
    /// Ids of announced questions that are settled.
    settled: Vec<String>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.settled.is_empty()
    }

    /// Writes the notifications, and updates the announced questions in the run's record.
    pub fn write(&self, tx: &mut Tx, tenant: TenantId, run: &mut Row<Run>) -> storage::Result<()> {
        notices::mark_done(tx, tenant, run, &self.settled)?;
        run.told.retain(|id| !self.settled.contains(id));
        run.notices.retain(|id, _| !self.settled.contains(id));
        for question in &self.new {
            let notice = notices::waiting(tx, tenant, run, question)?;
            run.told.push(question.id());
            run.notices.insert(question.id(), notice);
        }
        Ok(())
    }
}

/// Tracks which questions of the run were announced.
pub struct Notifications {
    announced: Vec<String>,
}

impl Notifications {
    pub fn new(work: &Work) -> Self {
        Self { announced: work.run.told.clone() }
    }

    /// Computes which questions to announce or withdraw now.
    pub fn changes(&self, work: &Work, state: &mut State, halt: Option<&Halt>) -> Changes {
        if self.announced.is_empty() && state.forms.is_empty() && halt.is_none() {
            return Changes::default();
        }
        forget_settled(state);
        let mut new = questions(state, halt);
        let settled = self.announced.iter().filter(|id| new.iter().all(|question| question.id() != **id));
        let settled = settled.cloned().collect();
        new.retain(|question| !self.announced.contains(&question.id()));
        if work.readers() > 0 {
            new.clear();
        }
        Changes { new, settled }
    }

    /// Updates the announced questions after the changes were written.
    pub fn applied(&mut self, changes: &Changes) {
        self.announced.retain(|id| !changes.settled.contains(id));
        self.announced.extend(changes.new.iter().map(Question::id));
    }

    /// Whether a question was not announced because readers have seen it.
    pub fn has_unannounced(&self, state: &State, halt: Option<&Halt>) -> bool {
        !(state.forms.is_empty() && halt.is_none())
            && questions(state, halt).iter().any(|question| !self.announced.contains(&question.id()))
    }

    /// Returns when the last reader has left, if readers have seen a question that was not announced. Otherwise never returns.
    pub fn readers_gone(
        &self,
        work: &Work,
        state: &mut State,
        halt: Option<&Halt>,
    ) -> BoxFuture<'static, ()> {
        forget_settled(state);
        // Boxed, because most waiting runs have no reader and need no memory for one.
        match self.has_unannounced(state, halt) {
            true => Box::pin(work.readers_gone(0)),
            false => Box::pin(std::future::pending()),
        }
    }
}

/// Removes forms that no execution waits for any more.
fn forget_settled(state: &mut State) {
    let mut forms = std::mem::take(&mut state.forms);
    forms.retain(|id, key| form_of(state, *key).is_some_and(|form| form.form_id == *id));
    state.forms = forms;
}

/// Returns the open questions of the run, oldest first.
fn questions(state: &State, halt: Option<&Halt>) -> Vec<Question> {
    let forms = state
        .forms
        .iter()
        .filter_map(|(id, key)| form_of(state, *key).filter(|form| form.form_id == *id).cloned());
    let mut questions: Vec<_> = forms.map(|form| Question::Form(Box::new(form))).collect();
    if let Some(halt) = halt.filter(|halt| halt.needs_decision()) {
        questions.push(Question::Halt(halt.why.clone()));
    }
    questions
}

/// Returns the form that an execution waits for.
fn form_of(state: &State, key: Key) -> Option<&FormRequired> {
    let exec = state.exec(key).filter(|exec| exec.phase == Phase::Active && !exec.retrying)?;
    exec.form.as_deref()
}
