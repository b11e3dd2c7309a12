//! The requests of programs: one method for each verb, which builds a [`Request`] and passes it to the
//! door, and one for any request.

use std::ops::Range;
use std::time::Duration;

use crate::access;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::Cluster;
use crate::door::{self, Admitted};
use crate::impersonation::{self, Impersonation};
use crate::kinds::Kind;
use crate::kinds::admission::User;
use crate::kinds::rbac::Ask;
use crate::read::informer::{self, Changed};
use crate::read::list::{self, List, Page, Wanted, WatchEvent};
use crate::read::page::ListOptions;
use crate::read::select::Selection;
use crate::read::watch::{self, Watching};
use crate::request::options::{ApplyOptions, DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::request::response::{Answer, ApiError};
use crate::request::{PatchType, Place, Request, Verb};
use crate::store::{Revision, StoreError};
use crate::verbs::log::{LogOptions, LogTarget};
use crate::verbs::recreate::Recreated;
use crate::verbs::{self, delete, log, recreate, write};

/// The results of requests that depend on earlier ones; `None` for one that was skipped.
type Answers = Vec<Option<Result<Answer, ApiError>>>;

impl Cluster {
    /// Carries out a request for one object: a read or a write. The response says whether the object
    /// was created.
    ///
    /// # Errors
    /// The API's error if it is rejected; 405 for a verb that is not of one object.
    pub fn submit(&self, request: &Request) -> Result<Answer, ApiError> {
        self.admitted(request, |at| verbs::submit(&self.context, at))
    }

    /// Carries out requests in order, each on the state that the ones before it leave, in one commit
    /// if they fit in one. A rejected request does not keep the others from being done.
    ///
    /// # Errors
    /// Fails if nothing could be written at all; [`StoreError::Fenced`] if another leader has taken over
    /// since `epoch` began.
    pub fn batch(
        &self,
        writer: &str,
        epoch: Option<u64>,
        requests: &[Request],
    ) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        let answers = self.batch_in_order(writer, epoch, requests, &[])?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// Carries out requests in the name of the cluster's writer.
    ///
    /// # Errors
    /// Fails if nothing could be written at all.
    pub fn all(&self, requests: &[Request]) -> Result<Vec<Result<Answer, ApiError>>, StoreError> {
        self.batch(&self.context.writer, None, requests)
    }

    /// Carries out requests that depend on earlier ones: `needs` holds for each the range of those that
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
    ) -> Result<Answers, StoreError> {
        verbs::submit_in_order(&self.context, writer, epoch, requests, needs)
    }

    /// Creates an object.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn create(
        &self,
        place: &Place,
        object: &Value,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        // The request for a new object names the collection: fault rules draw by that.
        self.send(place, "", Verb::Create(object.clone()), options)
    }

    /// Replaces an object's spec and metadata; the status stays as it was. An absent object of some
    /// kinds is created.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn update(
        &self,
        place: &Place,
        name: &str,
        object: &Value,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.replace(place, name, object, Part::Whole, options)
    }

    /// Replaces an object's status; the rest stays as it was.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn update_status(
        &self,
        place: &Place,
        name: &str,
        object: &Value,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.replace(place, name, object, Part::Status, options)
    }

    /// Replaces the fields of an object that belong to a part; the rest stays as it was.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn replace(
        &self,
        place: &Place,
        name: &str,
        object: &Value,
        part: Part,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.send(place, name, Verb::Update(part, object.clone()), options)
    }

    /// Updates a part of an object by a function of its current state, under the lock.
    ///
    /// # Errors
    /// The API's error if it is rejected, or the function's.
    pub fn modify(
        &self,
        place: &Place,
        name: &str,
        part: impl Into<Part>,
        options: &WriteOptions,
        change: &mut (dyn FnMut(&Value) -> Result<Value, ApiError> + Send),
    ) -> Result<Answer, ApiError> {
        let part = part.into();
        // The function stays outside of the request, which is data: it can be compared and logged.
        let request = Request::new(place.clone(), name, Verb::Modify(part)).with(options.clone());
        self.admitted(&request, |at| {
            write::modify(&self.context, at, part, change)
        })
    }

    /// Patches an object, or a part of it: `true` for its status.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn patch(
        &self,
        place: &Place,
        name: &str,
        (how, patch): (PatchType, &Value),
        part: impl Into<Part>,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        let verb = Verb::Patch {
            part: part.into(),
            how,
            patch: patch.clone(),
        };
        self.send(place, name, verb, options)
    }

    /// Applies a manager's configuration: its fields are set and become the manager's, and fields that it no longer
    /// names are removed. An absent object is created.
    ///
    /// # Errors
    /// The API's error if it is rejected, conflicts with other managers among them.
    pub fn apply(
        &self,
        place: &Place,
        name: &str,
        config: &Value,
        options: &ApplyOptions,
    ) -> Result<Answer, ApiError> {
        // An unknown subresource must be an error: taken for the whole object, the apply would own the wrong fields.
        let verb = Verb::Apply {
            part: Part::named(&options.subresource).ok_or_else(not_served)?,
            config: config.clone(),
            force: options.force,
        };
        self.send(place, name, verb, &options.write)
    }

    /// Deletes an object, or marks it if something has to happen first.
    ///
    /// # Errors
    /// The API's error if it does not exist or a precondition does not hold.
    pub fn delete(
        &self,
        place: &Place,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Answer, ApiError> {
        let verb = Verb::Delete(Box::new(options.clone()));
        self.send(place, name, verb, &options.write)
    }

    /// Deletes the wanted objects of a place, one after the other.
    ///
    /// # Errors
    /// The first error other than that the object is already gone.
    pub fn delete_collection(
        &self,
        place: &Place,
        wanted: Wanted<'_>,
        options: &DeleteOptions,
    ) -> Result<Vec<Answer>, ApiError> {
        let request = Request::new(place.clone(), "", Verb::DeleteCollection);
        self.admitted(&request.with(options.write.clone()), |at| {
            delete::delete_collection(&self.context, &at, wanted, options)
        })
    }

    /// Decides on the creation of each object as if all old ones were gone and the new ones before it existed. Writes
    /// nothing; returns the results of a dry run, in order.
    ///
    /// # Errors
    /// Fails if the directory cannot be read, or the writer may not create one of the objects at all. The result of a
    /// rejected object is its rejection.
    pub fn check_recreation(
        &self,
        all: &[Recreated],
        options: &WriteOptions,
    ) -> Result<Vec<Result<Answer, ApiError>>, ApiError> {
        recreate::check_recreation(&self.context, all, options)
    }

    /// Binds a Pod to the node that a `Binding` names; returns the Pod.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn bind(
        &self,
        place: &Place,
        name: &str,
        binding: &Value,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.send(place, name, Verb::Bind(binding.clone()), options)
    }

    /// Evicts a Pod if its disruption budget allows it; returns the Pod as it was last.
    ///
    /// # Errors
    /// The API's error if it is rejected: 429 if a budget forbids it.
    pub fn evict(
        &self,
        place: &Place,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Answer, ApiError> {
        let verb = Verb::Evict(Box::new(options.clone()));
        self.send(place, name, verb, &options.write)
    }

    /// Sets the number of replicas that a `Scale` asks for; returns the new `Scale`.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn update_scale(
        &self,
        place: &Place,
        name: &str,
        scale: &Value,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.replace(place, name, scale, Part::Scale, options)
    }

    /// Patches the scale of an object; returns the new `Scale`.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn patch_scale(
        &self,
        place: &Place,
        name: &str,
        patch: (PatchType, &Value),
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.patch(place, name, patch, Part::Scale, options)
    }

    /// Issues a token for a service account, as a `TokenRequest` with a status.
    ///
    /// # Errors
    /// The API's error if there is no such account or the request is rejected.
    pub fn token(&self, place: &Place, name: &str, request: &Value) -> Result<Value, ApiError> {
        let verb = Verb::Token(request.clone());
        Ok(self
            .send(place, name, verb, &WriteOptions::default())?
            .object)
    }

    /// Serves a review of access, of a token or of the user's identity.
    ///
    /// # Errors
    /// Kubernetes' 403, or the error for a malformed review.
    pub fn review(&self, place: &Place, object: &Value, user: &User) -> Result<Value, ApiError> {
        let options = WriteOptions {
            user: user.clone(),
            ..WriteOptions::default()
        };
        // Kubernetes serves a review as a creation whose object is never stored.
        Ok(self.create(place, object, &options)?.object)
    }

    /// Returns an object.
    ///
    /// # Errors
    /// The API's error if it does not exist.
    pub fn get(&self, place: &Place, name: &str) -> Result<Value, ApiError> {
        let request = Request::new(place.clone(), name, Verb::Get(Part::Whole));
        Ok(self.submit(&request)?.object)
    }

    /// Returns the scale of an object.
    ///
    /// # Errors
    /// The API's error if the object does not exist or has no scale.
    pub fn scale(&self, place: &Place, name: &str) -> Result<Value, ApiError> {
        let request = Request::new(place.clone(), name, Verb::Get(Part::Scale));
        Ok(self.submit(&request)?.object)
    }

    /// Returns the matching objects of a place, now or at an earlier revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read, or the revision is no longer known.
    pub fn list(
        &self,
        place: &Place,
        wanted: Wanted<'_>,
        at: Option<Revision>,
    ) -> Result<List, ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::List), |admitted| {
            list::list(&self.context, &admitted, wanted, at)
        })
    }

    /// Maps each selected object of a place with `make`, in the order of namespace and name. `make`
    /// receives the fields that [`crate::kinds::columns::skim`] reads.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn skimmed<T>(
        &self,
        place: &Place,
        selection: &Selection,
        make: &mut dyn FnMut(&Value) -> T,
    ) -> Result<Vec<T>, ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::List), |at| {
            list::skim(&self.context, &at, selection, make)
        })
    }

    /// Returns the objects of a place that the options select, or a page of them.
    ///
    /// # Errors
    /// The API's error if the options are invalid, or the revision is not known.
    pub fn select(&self, place: &Place, options: &ListOptions) -> Result<Page, ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::List), |at| {
            list::select(&self.context, &at, options)
        })
    }

    /// Watches the selected objects: after the resource version of the options, or from the current state if they
    /// name none.
    ///
    /// # Errors
    /// The API's error if the options are invalid.
    pub fn watch(&self, place: &Place, options: &ListOptions) -> Result<Watching<'_>, ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::Watch), |at| {
            watch::watch(&self.context, &at, options)
        })
    }

    /// Returns the changes after a revision to matching objects, and the revision up to which they are complete. An
    /// object that begins or stops to match is added or deleted. Each call resumes one watch, so no fault rule
    /// applies.
    ///
    /// # Errors
    /// Kubernetes' 403, or the changes are no longer kept.
    pub fn changes(
        &self,
        place: &Place,
        wanted: Wanted<'_>,
        after: Revision,
    ) -> Result<(Vec<WatchEvent>, Revision), ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::Resume), |at| {
            list::changes(&self.context, &at, wanted, after)
        })
    }

    /// Returns the changes after a revision to objects of some kinds, in order, and the revision up to which they are
    /// complete.
    ///
    /// # Errors
    /// Kubernetes' 403, or the changes are no longer kept.
    pub fn changes_of(
        &self,
        kinds: &[&'static Kind],
        after: Revision,
    ) -> Result<(Vec<Changed>, Revision), ApiError> {
        // One request for each kind, because a role that lacks one of the kinds must reject the watch.
        let resume = |kind: &&'static Kind| Request::new(Place::new(kind, ""), "", Verb::Resume);
        let requests: Vec<Request> = kinds.iter().map(resume).collect();
        let admitted: Result<Vec<_>, _> = requests
            .iter()
            .map(|request| door::admit(&self.context, request))
            .collect();
        informer::changes_of(&self.context, &admitted?, after)
    }

    /// Waits until the cluster is past a revision, or `timeout` is over. Returns its revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision, ApiError> {
        Ok(self.context.store.wait(after, timeout)?)
    }

    /// Returns the container that a request for a log means, or `None` if the Pod has no node yet and so no log.
    ///
    /// # Errors
    /// The API's error if the request makes no sense or there is no such Pod or container.
    pub fn log_target(
        &self,
        place: &Place,
        name: &str,
        options: &LogOptions,
    ) -> Result<Option<LogTarget>, ApiError> {
        self.admitted(&Request::new(place.clone(), name, Verb::Log), |at| {
            log::log_target(&self.context, &at, options)
        })
    }

    /// Returns the container that a request to connect to a Pod means; `part` is the subresource that it connects
    /// through: `exec`, `attach`, `portforward` or `proxy`.
    ///
    /// # Errors
    /// The API's error if the request makes no sense or there is no such Pod or container.
    pub fn exec_target(
        &self,
        place: &Place,
        name: &str,
        part: &str,
        wanted: Option<&str>,
    ) -> Result<LogTarget, ApiError> {
        let verb = Verb::Connect(part.to_owned());
        self.admitted(&Request::new(place.clone(), name, verb), |at| {
            log::exec_target(&self.context, &at, wanted)
        })
    }

    /// Rejects a request that a user may not make, such as one for a path that is no resource.
    ///
    /// # Errors
    /// Kubernetes' 403.
    pub fn authorize(&self, user: &User, ask: &Ask<'_>, namespace: &str) -> Result<(), ApiError> {
        access::authorize(&*self.context.store, user, ask, namespace)
    }

    /// Rejects a request whose sender may not act as its user.
    ///
    /// # Errors
    /// Kubernetes' 403.
    pub fn impersonate(
        &self,
        impersonation: &Impersonation,
        ask: &Ask<'_>,
        namespace: &str,
    ) -> Result<(), ApiError> {
        impersonation::check(&*self.context.store, impersonation, ask, namespace)
    }

    fn send(
        &self,
        place: &Place,
        name: &str,
        verb: Verb,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.submit(&Request::new(place.clone(), name, verb).with(options.clone()))
    }

    /// Admits a request and serves it: the way of everything that reads or writes for a caller.
    fn admitted<T>(
        &self,
        request: &Request,
        serve: impl FnOnce(Admitted<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        serve(door::admit(&self.context, request)?)
    }
}

/// 404: no such subresource.
fn not_served() -> Status {
    let mut status = Status::bad_request("the server could not find the requested resource");
    (status.code, status.reason) = (404, "NotFound");
    status
}

#[cfg(test)]
mod tests;
