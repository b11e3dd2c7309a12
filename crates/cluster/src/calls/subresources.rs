//! Requests to subresources of an object, apart from its status.

use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::entry;
use crate::kinds::admission::policy::Operation;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::request::{Place, Request, Verb};
use crate::verbs::log::{self, LogOptions, LogTarget};
use crate::verbs::posted;

/// The subresources of a cluster's objects.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{LogOptions, LogTarget, Place, Subresources};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// cluster.create(&pods, &web, &Default::default())?;
/// let subresources: Subresources<'_> = cluster.subresources();
/// let target: Option<LogTarget> = subresources.log_target(&pods, "web", &LogOptions::default())?;
/// assert!(target.is_none_or(|target| target.container == "c"));
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Subresources<'c>(pub(super) &'c Cluster);

impl Subresources<'_> {
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
    ) -> Result<Response, ApiError> {
        self.0
            .send(place, name, Verb::Bind(binding.clone()), options)
    }

    /// Evicts a Pod if its disruption budget allows it; returns the last state of the Pod.
    ///
    /// # Errors
    /// The API's error if it is rejected: 429 if a budget forbids it.
    pub fn evict(
        &self,
        place: &Place,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Response, ApiError> {
        let verb = Verb::Evict(Box::new(options.clone()));
        self.0.send(place, name, verb, &options.write)
    }

    /// Issues a token for a service account, as a `TokenRequest` with a status.
    ///
    /// # Errors
    /// The API's error if the account does not exist or the request is rejected.
    pub fn token(&self, place: &Place, name: &str, request: &Value) -> Result<Value, ApiError> {
        self.token_with(place, name, request, &WriteOptions::default())
    }

    /// Issues a token as [`Subresources::token`] does, in the name of the user in the options.
    ///
    /// # Errors
    /// As those of [`Subresources::token`].
    pub fn token_with(
        &self,
        place: &Place,
        name: &str,
        request: &Value,
        options: &WriteOptions,
    ) -> Result<Value, ApiError> {
        let verb = Verb::Token(request.clone());
        Ok(self.0.send(place, name, verb, options)?.object)
    }

    /// Returns the scale of an object.
    ///
    /// # Errors
    /// The API's error if the object does not exist or has no scale.
    pub fn scale(&self, place: &Place, name: &str) -> Result<Value, ApiError> {
        let request = Request::new(place.clone(), name, Verb::Get(Part::Scale));
        Ok(self.0.submit(&request)?.object)
    }

    /// Returns the container of a request for a log, or `None` if the Pod has no node yet and so no log.
    ///
    /// # Errors
    /// The API's error if the request is invalid, or the Pod or container does not exist.
    pub fn log_target(
        &self,
        place: &Place,
        name: &str,
        options: &LogOptions,
    ) -> Result<Option<LogTarget>, ApiError> {
        self.0
            .admitted(&Request::new(place.clone(), name, Verb::Log), |at| {
                log::log_target(&self.0.context, &at, options)
            })
    }

    /// Admits a connection through a subresource such as `exec` or `proxy`, before [`Subresources::exec_target`] or the
    /// connection itself: policies and webhooks for `CONNECT` may reject it or change its options, such as a
    /// `PodExecOptions`. Returns the options.
    ///
    /// # Errors
    /// The API's error if it is rejected.
    pub fn connect(
        &self,
        place: &Place,
        name: &str,
        part: &str,
        connection: &Value,
        options: &WriteOptions,
    ) -> Result<Value, ApiError> {
        let verb = Verb::Connect(part.to_owned());
        let request = Request::new(place.clone(), name, verb).with(options.clone());
        let context = &self.0.context;
        // The target is read by another request, which fault rules and the audit log see.
        let at = entry::permit(context, &request)?;
        let admitted = posted::admitted(context, &at, Operation::Connect, connection, &|_| Ok(()))?;
        Ok(admitted.object)
    }

    /// Returns the container of a request to connect to a Pod; `part` is the subresource that it connects through:
    /// `exec`, `attach`, `portforward` or `proxy`.
    ///
    /// # Errors
    /// The API's error if the request is invalid, or the Pod or container does not exist.
    pub fn exec_target(
        &self,
        place: &Place,
        name: &str,
        part: &str,
        wanted: Option<&str>,
    ) -> Result<LogTarget, ApiError> {
        // Roles grant `pods/exec`, `pods/attach` and the others separately.
        let verb = Verb::Connect(part.to_owned());
        self.0
            .admitted(&Request::new(place.clone(), name, verb), |at| {
                log::exec_target(&self.0.context, &at, wanted)
            })
    }

    /// Returns the node of a Pod for a request to its ports; the container is the Pod's first one.
    ///
    /// # Errors
    /// The API's error if the Pod does not exist or has no node.
    pub fn port_target(&self, place: &Place, name: &str) -> Result<LogTarget, ApiError> {
        let verb = Verb::Connect("portforward".to_owned());
        self.0
            .admitted(&Request::new(place.clone(), name, verb), |at| {
                log::port_target(&self.0.context, &at)
            })
    }
}
