//! Objects that are to be deleted and created again.
//!
//! A deletion cannot be taken back, so each new object is decided on before the first old one goes: on the
//! state that the deletions will leave, once finalizers and grace periods are over.

use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::commit::overlay::Overlay;
use crate::commit::transaction::Decision;
use crate::door::{Access, Admitted};
use crate::objects;
use crate::request::{Answer, ApiError, DeleteOptions, Place, WriteOptions};
use crate::rules::admission;
use crate::store::{Cause, Expect, Op, Store as _, Stored, View};
use crate::verbs::review::is_review;

/// An object that is to take the place of another one of its name.
#[derive(Clone, Debug)]
pub struct Recreated {
    /// Where both are.
    pub place: Place,
    /// Their name; empty if the new one gets a generated one.
    pub name: String,
    /// The new object.
    pub object: Value,
}

impl Cluster {
    /// Decides on the creation of each object as if all old ones were gone and the new ones before it
    /// were there. Writes nothing; the responses are those of a dry run, in order.
    ///
    /// # Errors
    /// Where the directory cannot be read, or the writer may not create one of them at all; a refused
    /// object has its refusal in its place.
    pub fn check_recreation(
        &self,
        all: &[Recreated],
        options: &WriteOptions,
    ) -> Result<Vec<Result<Answer, ApiError>>, ApiError> {
        let mut admitted = Vec::new();
        for one in all {
            let delete = Access::to("delete", &one.place).object(&one.name);
            let create = Access::to("create", &one.place);
            let user = &options.user;
            admitted.push((one, self.permit(delete, user)?, self.permit(create, user)?));
        }
        let mut answers = Vec::new();
        let cause = Cause::new(&self.writer, "check-recreation");
        self.store.transact(&cause, &mut |view| {
            let mut state = Overlay::after(view, 0);
            let gone: Vec<_> = admitted
                .iter()
                .map(|(_, delete, _)| self.leave(&mut state, *delete))
                .collect();
            answers = admitted
                .iter()
                .zip(gone)
                .map(|((one, _, create), gone)| {
                    self.enter(&mut state, (*create, &one.object), gone?, options)
                })
                .collect();
            Ok(None)
        })?;
        Ok(answers)
    }

    /// Shows the state without the old object; returns it.
    fn leave(&self, state: &mut Overlay<'_>, at: Admitted<'_>) -> Result<Option<Stored>, ApiError> {
        let (place, name) = (at.place(), at.name());
        if name.is_empty() || is_review(place.kind) {
            return Ok(None);
        }
        let Some(stored) = state.get(&objects::key(place, name)?)? else {
            return Ok(None);
        };
        let delete = DeleteOptions::default();
        let mut step = self.delete_step(at, &delete, &delete.write)?;
        let decided = step.decide(state)?;
        drop(step);
        let mut also = decided.also;
        if !matches!(decided.decision, Decision::Remove(..)) {
            // It is only marked now; what its end entails comes when nothing keeps it any more.
            let old = objects::shown_as(place.kind, &stored)?;
            let seed = self.settings().seed();
            also.extend(admission::removed(state, place.kind, &old, seed)?);
        }
        also.push(Op::delete(stored.key.clone(), Expect::Any));
        also.iter().for_each(|op| state.change(op));
        Ok(Some(stored))
    }

    /// Shows the state with the new object, or with the old one if the new one is refused.
    fn enter(
        &self,
        state: &mut Overlay<'_>,
        (at, object): (Admitted<'_>, &Value),
        gone: Option<Stored>,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        let kind = at.place().kind;
        let decided = self.create_step(at, object, options);
        let decided = decided.and_then(|mut step| step.decide(state));
        let decided = match (decided, gone) {
            (Ok(decided), _) => decided,
            (Err(e), None) => return Err(e),
            (Err(e), Some(old)) => {
                state.change(&Op::put(old.key, old.json.to_vec(), Expect::Any));
                return Err(e);
            }
        };
        let object = match decided.decision {
            Decision::Put(key, expect, object) => {
                state.change(&Op::put(key, objects::bytes(kind, &object), expect));
                object
            }
            Decision::Remove(_, _, object) | Decision::Keep(object) => object,
        };
        decided.also.iter().for_each(|op| state.change(op));
        Ok(Answer {
            object,
            warnings: decided.warnings,
            changed: false,
            created: false,
            gone: false,
        })
    }
}
