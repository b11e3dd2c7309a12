//! The requests of programs: one method for each verb, which builds a [`Request`] and passes it to the entry
//! point, and one for any request.

mod audited;
pub(crate) mod feed;
pub(crate) mod recreation;
pub(crate) mod rights;
pub(crate) mod subresources;

use std::ops::Range;
use std::time::Duration;

use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::entry::{self, Admitted};
use crate::read::list::{self, List, ObjectFilter, Page};
use crate::read::page::ListOptions;
use crate::read::watch::{self, Watching};
use crate::request::options::{ApplyOptions, DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::request::{PatchType, Place, Request, Verb};
use crate::store::{Revision, StoreError};
use crate::verbs::{self, delete, write};
use audited::AuditedResult;
use feed::Feed;
use rights::Rights;
use subresources::Subresources;

/// The results of requests that depend on earlier ones; `None` for one that was skipped.
type Responses = Vec<Option<Result<Response, ApiError>>>;

impl Cluster {
    /// Returns the objects and changes as informers and tables read them.
    pub fn feed(&self) -> Feed<'_> {
        Feed(self)
    }

    /// Returns the subresources of objects, such as the log of a Pod.
    pub fn subresources(&self) -> Subresources<'_> {
        Subresources(self)
    }

    /// Returns the rights of users.
    pub fn rights(&self) -> Rights<'_> {
        Rights(self)
    }

    /// Executes a request for one object: a read or a write. The response indicates if the object was created.
    ///
    /// # Errors
    /// The API's error if it is rejected; 405 for a verb on several objects.
    pub fn submit(&self, request: &Request) -> Result<Response, ApiError> {
        self.admitted(request, |at| verbs::submit(&self.context, at))
    }

    /// Executes requests in order, each on the state that the previous ones leave, in one commit if they fit. A
    /// rejected request does not prevent the others.
    ///
    /// # Errors
    /// Fails if nothing could be written; [`StoreError::Fenced`] if another leader has taken over
    /// since `epoch` began.
    pub fn batch(
        &self,
        writer: &str,
        epoch: Option<u64>,
        requests: &[Request],
    ) -> Result<Vec<Result<Response, ApiError>>, StoreError> {
        let answers = self.batch_in_order(writer, epoch, requests, &[])?;
        let shown = |(answer, request): (Option<_>, &Request)| {
            let shown = |done| verbs::as_asked(request.place.kind, &request.verb, done);
            answer.map(|answer: Result<_, _>| answer.map(shown))
        };
        // Without dependencies nothing is skipped, so no result is lost.
        Ok(answers
            .into_iter()
            .zip(requests)
            .filter_map(shown)
            .collect())
    }

    /// Executes requests in the name of the cluster's writer.
    ///
    /// # Errors
    /// Fails if nothing could be written.
    pub fn all(&self, requests: &[Request]) -> Result<Vec<Result<Response, ApiError>>, StoreError> {
        self.batch(&self.context.writer, None, requests)
    }

    /// Executes requests that depend on earlier ones: `needs` has for each the range of those that must have succeeded;
    /// otherwise it is skipped, with the result `None`. A write of a scale returns the whole object, which is what a
    /// cache needs.
    ///
    /// # Errors
    /// As for [`Cluster::batch`].
    pub fn batch_in_order(
        &self,
        writer: &str,
        epoch: Option<u64>,
        requests: &[Request],
        needs: &[Range<usize>],
    ) -> Result<Responses, StoreError> {
        let Some(log) = &self.context.audit else {
            return verbs::submit_in_order(&self.context, writer, epoch, requests, needs);
        };
        let (mut noted, mut audits) = (Vec::new(), Vec::new());
        for request in requests {
            let received = audited::received(&self.context, log, writer, request);
            // Nothing of a batch is done if the log cannot hold all of it.
            let (request, one) = received.map_err(|e| StoreError::Refused(e.to_string()))?;
            noted.push(request);
            audits.push(one);
        }
        let responses = verbs::submit_in_order(&self.context, writer, epoch, &noted, needs)?;
        for (one, response) in audits.iter().zip(&responses) {
            // A request that was skipped has no end, as if its client had gone.
            response
                .iter()
                .for_each(|response| audited::answered(one, response));
        }
        Ok(responses)
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
    ) -> Result<Response, ApiError> {
        // The request for a new object names the collection: fault rules draw by that.
        self.send(place, "", Verb::Create(object.clone()), options)
    }

    /// Replaces an object's spec and metadata and keeps the status. A missing object of some kinds is created.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn update(
        &self,
        place: &Place,
        name: &str,
        object: &Value,
        options: &WriteOptions,
    ) -> Result<Response, ApiError> {
        self.replace(place, name, object, Part::Whole, options)
    }

    /// Replaces the fields of an object that belong to a part, and keeps the others.
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
    ) -> Result<Response, ApiError> {
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
    ) -> Result<Response, ApiError> {
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
    ) -> Result<Response, ApiError> {
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
    /// The API's error if it is rejected, for example for a conflict with another manager.
    pub fn apply(
        &self,
        place: &Place,
        name: &str,
        config: &Value,
        options: &ApplyOptions,
    ) -> Result<Response, ApiError> {
        // An unknown subresource must be an error: taken for the whole object, the apply would own the wrong fields.
        let verb = Verb::Apply {
            part: Part::named(&options.subresource).ok_or_else(verbs::not_served)?,
            config: config.clone(),
            force: options.force,
        };
        self.send(place, name, verb, &options.write)
    }

    /// Deletes an object, or marks it if finalizers or a grace period delay its removal.
    ///
    /// # Errors
    /// The API's error if it does not exist or a precondition fails.
    pub fn delete(
        &self,
        place: &Place,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Response, ApiError> {
        let verb = Verb::Delete(Box::new(options.clone()));
        self.send(place, name, verb, &options.write)
    }

    /// Deletes the selected objects of a place, one after the other.
    ///
    /// # Errors
    /// The first error, except that an object does not exist any more.
    pub fn delete_collection(
        &self,
        place: &Place,
        wanted: ObjectFilter<'_>,
        options: &DeleteOptions,
    ) -> Result<Vec<Response>, ApiError> {
        let request = Request::new(place.clone(), "", Verb::DeleteCollection);
        self.admitted(&request.with(options.write.clone()), |at| {
            delete::delete_collection(&self.context, &at, wanted, options)
        })
    }

    /// Returns an object.
    ///
    /// # Errors
    /// The API's error if it does not exist.
    pub fn get(&self, place: &Place, name: &str) -> Result<Value, ApiError> {
        let request = Request::new(place.clone(), name, Verb::Get(Part::Whole));
        Ok(self.submit(&request)?.object)
    }

    /// Returns the matching objects of a place, now or at an earlier revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read, or the revision is no longer known.
    pub fn list(
        &self,
        place: &Place,
        wanted: ObjectFilter<'_>,
        at: Option<Revision>,
    ) -> Result<List, ApiError> {
        self.admitted(&Request::new(place.clone(), "", Verb::List), |admitted| {
            list::list(&self.context, &admitted, wanted, at)
        })
    }

    /// Returns the objects of a place that the options select, or a page of them.
    ///
    /// # Errors
    /// The API's error if the options are invalid, or the revision is not known.
    pub fn select(&self, place: &Place, options: &ListOptions) -> Result<Page, ApiError> {
        self.feed().select(place, options, None)
    }

    /// Watches the selected objects: after the resource version of the options, or from the current state if they
    /// name none.
    ///
    /// # Errors
    /// The API's error if the options are invalid.
    pub fn watch(&self, place: &Place, options: &ListOptions) -> Result<Watching, ApiError> {
        let request = Request::new(place.clone(), options.only_name(), Verb::Watch);
        self.admitted(&request, |at| watch::watch(&self.context, &at, options))
    }

    /// Waits until the cluster is past a revision, or `timeout` is over. Returns its revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision, ApiError> {
        Ok(self.context.store.wait(after, timeout)?)
    }

    fn send(
        &self,
        place: &Place,
        name: &str,
        verb: Verb,
        options: &WriteOptions,
    ) -> Result<Response, ApiError> {
        self.submit(&Request::new(place.clone(), name, verb).with(options.clone()))
    }

    /// Admits a request and serves it. Every read or write for a caller takes this path.
    fn admitted<T: AuditedResult>(
        &self,
        request: &Request,
        serve: impl FnOnce(Admitted<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        // The only place that admits requests for this API; everything below requires an `Admitted` as proof.
        let log = self.context.audit.as_ref();
        // A watch is one request however often its reader polls here.
        let Some(log) = log.filter(|_| !matches!(request.verb, Verb::Resume)) else {
            return serve(entry::admit(&self.context, request)?);
        };
        let (request, audit) =
            audited::received(&self.context, log, &self.context.writer, request)?;
        let result = entry::admit(&self.context, &request).and_then(serve);
        audited::answered(&audit, &result);
        result
    }
}

#[cfg(test)]
mod tests;
