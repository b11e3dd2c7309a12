//! Many requests at once, as controllers make them: what is admitted is one commit, and each change
//! in it has a reason of its own.

use std::ops::Range;

use jiff::Timestamp;

use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::commit::round::WORTH_A_THREAD;
use crate::commit::transaction::Step;
use crate::door::{Access, Admitted};
use crate::objects;
use crate::request::part::Part;
use crate::request::{Answer, ApiError, DeleteOptions, Place, WriteOptions};
use crate::store::{Batch, Cause, Revision, Store as _, StoreError};
use crate::sys::threads::map;
use crate::verbs::patch::PatchType;
use crate::verbs::review::is_review;

/// One request of a batch. What its options say of the writer's epoch is not looked at: the batch
/// has one.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the object is or will be.
    pub place: Place,
    /// The operation.
    pub verb: Verb,
    /// How, and why.
    pub options: WriteOptions,
}

/// The operation of a request.
#[derive(Clone, Debug)]
pub enum Verb {
    /// A new object.
    Create(Value),
    /// Another spec and other metadata for an object.
    Update(String, Value),
    /// Another status for an object.
    UpdateStatus(String, Value),
    /// A patch of an object, or of its status where the last says so.
    Patch(String, PatchType, Value, bool),
    /// Other finalizers in the spec of a namespace.
    Finalize(String, Value),
    /// The node of a Pod, as a `Binding` names it.
    Bind(String, Value),
    /// The end of an object; the write options in here are not looked at.
    Delete(String, Box<DeleteOptions>),
}

impl Verb {
    /// The verb of the API, and the subresource that it is about.
    fn in_api(&self) -> (&'static str, &'static str) {
        match self {
            Self::Create(_) => ("create", ""),
            Self::Update(..) => ("update", ""),
            Self::UpdateStatus(..) => ("update", "status"),
            Self::Patch(_, _, _, status) => ("patch", if *status { "status" } else { "" }),
            Self::Finalize(..) => ("update", "finalize"),
            Self::Bind(..) => ("create", "binding"),
            Self::Delete(..) => ("delete", ""),
        }
    }

    /// The name of the object, also of a new one that has a name already.
    pub(crate) fn called(&self) -> &str {
        match self {
            Self::Create(object) => objects::meta(object, "name"),
            verb => verb.name().unwrap_or_default(),
        }
    }

    /// The name of the object that is meant; none for a new one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Create(_) => None,
            Self::Update(name, _)
            | Self::UpdateStatus(name, _)
            | Self::Patch(name, ..)
            | Self::Finalize(name, _)
            | Self::Bind(name, _)
            | Self::Delete(name, _) => Some(name),
        }
    }
}

impl Request {
    /// The attributes that authorization decides on. A new object has no name there yet.
    pub(crate) fn access(&self) -> Access<'_> {
        let (verb, part) = self.verb.in_api();
        let name = self.verb.name().unwrap_or_default();
        Access::to(verb, &self.place).object(name).part(part)
    }
}

impl Cluster {
    /// Does requests in order, each on the state that the ones before it leave, in one commit
    /// where they fit in one. A refused request does not keep the others from being done.
    ///
    /// # Errors
    /// Where nothing could be written at all; [`StoreError::Fenced`] where another leader has
    /// taken over since `epoch` began.
    pub fn batch(
        &self,
        writer: &str,
        epoch: Option<u64>,
        requests: &[Request],
    ) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        let answers = self.batch_in_order(writer, epoch, requests, &[])?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Runs requests in the name of the cluster's user.
    ///
    /// # Errors
    /// Where nothing could be written at all.
    pub fn all(&self, requests: &[Request]) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        self.batch(&self.writer, None, requests)
    }

    /// Runs requests that depend on earlier ones: `needs` holds for each the range of those that
    /// must have succeeded; otherwise it is skipped, with the result `None`.
    ///
    /// # Errors
    /// As for [`Cluster::batch`].
    pub fn batch_in_order(
        &self,
        writer: &str,
        epoch: Option<u64>,
        requests: &[Request],
        needs: &[Range<usize>],
    ) -> Result<Vec<Option<Result<Answer, ApiError>>>, StoreError> {
        let admitted = self.admit_batch(epoch, requests)?;
        let asked: Vec<_> = requests.iter().zip(admitted).collect();
        let steps = map(&asked, WORTH_A_THREAD, &|_, (request, admitted)| {
            let step = match admitted {
                Ok(at) => self.step_of(*at, request).map_err(ApiError::into_status),
                Err(refused) => Err(refused.clone()),
            };
            step.unwrap_or_else(|e| Step::refused(request.place.kind, &request.options, e))
        });
        self.run_in_order(writer, epoch, steps, needs)
    }

    pub(crate) fn step_of<'s>(
        &'s self,
        at: Admitted<'s>,
        request: &'s Request,
    ) -> Result<Step<'s>, ApiError> {
        let options = &request.options;
        match &request.verb {
            Verb::Create(object) if is_review(at.place().kind) => {
                self.review_step(at, object, options)
            }
            Verb::Create(object) => self.create_step(at, object, options),
            Verb::Update(_, object) => self.update_step(at, object, options, Part::Whole),
            Verb::UpdateStatus(_, object) => self.update_step(at, object, options, Part::Status),
            Verb::Patch(_, how, patch, status) => {
                self.patch_step(at, (*how, patch), (*status).into(), options)
            }
            Verb::Finalize(_, object) => self.update_step(at, object, options, Part::Finalize),
            Verb::Bind(_, binding) => self.bind_step(at, binding, options),
            Verb::Delete(_, delete) => self.delete_step(at, delete, options),
        }
    }

    /// Moves the clock of a virtual cluster forward; returns the cluster's revision and time.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub fn move_clock(
        &self,
        writer: &str,
        rule: &str,
        epoch: Option<u64>,
        to: Timestamp,
    ) -> Result<(Revision, Timestamp), StoreError> {
        let batch = Batch {
            epoch,
            at: Some(to),
            ..Batch::default()
        };
        let done = self.store.commit(&Cause::new(writer, rule), batch)?;
        Ok((done.revision, done.time))
    }

    /// Begins a new leader's epoch, which fences off every earlier one; returns it.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub fn lead(&self, writer: &str) -> Result<u64, StoreError> {
        let batch = Batch {
            lead: true,
            ..Batch::default()
        };
        Ok(self.store.commit(&Cause::new(writer, "lead"), batch)?.epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::testing::{fresh, place, pod};
    use crate::{Past, Range as Keys};

    fn request(resource: &str, verb: Verb, rule: &str, trigger: Option<Revision>) -> Request {
        let options = WriteOptions {
            rule: rule.to_owned(),
            trigger,
            ..WriteOptions::default()
        };
        Request {
            place: place(resource),
            verb,
            options,
        }
    }

    #[test]
    fn a_batch_is_one_commit_whose_changes_have_reasons_of_their_own() {
        let cluster = fresh();
        let before = cluster.raw_revision().unwrap();
        let bad = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}});
        let requests = [
            request("pods", Verb::Create(pod("a")), "scale-up", Some(3)),
            request("pods", Verb::Create(bad), "scale-up", Some(3)),
            request(
                "pods",
                Verb::Create(pod("b")),
                "replace: it was lost",
                Some(4),
            ),
            request("pods", Verb::Create(pod("a")), "again", None),
        ];
        let answers = cluster.batch("tester", None, &requests).unwrap();
        let reasons: Vec<&str> = answers
            .iter()
            .map(|a| {
                a.as_ref()
                    .map_or_else(|e| e.status().unwrap().reason, |_| "done")
            })
            .collect();
        assert_eq!(reasons, ["done", "Invalid", "done", "AlreadyExists"]);
        let past = Past {
            after: before,
            range: Keys::resource("pods", None),
            ..Past::default()
        };
        let history = cluster.raw_history(&past).unwrap();
        let [change] = history.as_slice() else {
            panic!("{} commits", history.len())
        };
        assert_eq!(change.cause.writer, "tester");
        assert_eq!(
            (&*change.cause.rule, change.cause.trigger),
            ("scale-up", Some(3))
        );
        let own: Vec<_> = change.events.iter().map(|e| e.why.clone()).collect();
        let second = crate::store::Why {
            trigger: Some(4),
            rule: "replace: it was lost".to_owned(),
        };
        assert_eq!(own, [None, Some(second)]);
        let revisions: Vec<u64> = change.events.iter().map(|e| e.revision).collect();
        assert_eq!(revisions, [before + 1, before + 2]);
    }

    #[test]
    fn a_request_sees_what_the_ones_before_it_did() {
        let cluster = fresh();
        let mut namespace = request(
            "namespaces",
            Verb::Create(
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}}),
            ),
            "",
            None,
        );
        namespace.place.namespace.clear();
        let mut within = request(
            "configmaps",
            Verb::Create(json!({"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"generateName": "c-", "namespace": "new"}})),
            "",
            None,
        );
        within.place.namespace = "new".to_owned();
        let requests = [namespace, within.clone(), within];
        let answers = cluster.batch("tester", None, &requests).unwrap();
        let names: Vec<String> = answers
            .into_iter()
            .map(|a| a.unwrap().object["metadata"]["name"].to_string())
            .collect();
        assert_ne!(names[1], names[2]);
    }

    #[test]
    fn a_second_change_of_an_object_is_a_commit_of_its_own() {
        let cluster = fresh();
        let labels = |value: &str| json!({"metadata": {"labels": {"step": value}}});
        let patch = |value: &str| {
            let verb = Verb::Patch("a".to_owned(), PatchType::Merge, labels(value), false);
            request("pods", verb, value, None)
        };
        let requests = [
            request("pods", Verb::Create(pod("a")), "make", None),
            patch("one"),
            request("pods", Verb::Create(pod("b")), "make", None),
            patch("two"),
        ];
        let answers = cluster.batch("tester", None, &requests).unwrap();
        let last = answers[3].as_ref().unwrap();
        assert_eq!(last.object["metadata"]["labels"]["step"], "two");
        let revision = |i: usize| {
            let object = &answers[i].as_ref().unwrap().object;
            object["metadata"]["resourceVersion"]
                .as_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert_eq!(revision(2), revision(0) + 1);
        assert_eq!(revision(1), revision(0) + 2);
        assert_eq!(revision(3), revision(0) + 3);
    }

    #[test]
    fn a_request_is_left_out_where_one_that_it_needs_was_refused() {
        let cluster = fresh();
        let bad = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}});
        let make = |object: &Value| request("pods", Verb::Create(object.clone()), "make", None);
        let requests = [
            make(&pod("a")),
            make(&bad),
            make(&pod("b")),
            make(&pod("c")),
            make(&pod("d")),
        ];
        let needs = [0..0, 0..1, 0..2, 0..1, 2..3];
        let answers = cluster
            .batch_in_order("tester", None, &requests, &needs)
            .unwrap();
        let done: Vec<Option<bool>> = answers.iter().map(|a| Some(a.as_ref()?.is_ok())).collect();
        assert_eq!(done, [Some(true), Some(false), None, Some(true), None]);
    }

    #[test]
    fn a_writer_of_an_earlier_epoch_changes_nothing() {
        let cluster = fresh();
        let first = cluster.lead("one").unwrap();
        let second = cluster.lead("two").unwrap();
        assert!(second > first);
        let requests = [request("pods", Verb::Create(pod("a")), "make", None)];
        let refused = cluster.batch("one", Some(first), &requests).unwrap_err();
        assert!(matches!(refused, StoreError::Fenced { .. }), "{refused}");
        assert!(cluster.get(&place("pods"), "a").is_err());
        assert!(cluster.batch("two", Some(second), &requests).unwrap()[0].is_ok());
    }

    #[test]
    fn a_batch_over_the_limit_of_a_commit_goes_on_in_the_next() {
        let cluster = fresh();
        let make = |i: usize| {
            let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("c{i}")}});
            request("configmaps", Verb::Create(object), "make", None)
        };
        let requests: Vec<Request> = (0..5100).map(make).collect();
        let answers = cluster.batch("tester", None, &requests).unwrap();
        assert!(answers.iter().all(Result::is_ok));
        let listed = cluster
            .store
            .list(&Keys::resource("configmaps", Some("default")));
        assert_eq!(listed.unwrap().items.len(), 5101);
    }
}
