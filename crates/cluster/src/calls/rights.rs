//! The identity of the caller and the rights of users.

use std::sync::Arc;

use crate::access;
use crate::api::json::Value;
use crate::cluster::Cluster;
use crate::entry;
use crate::identity::Identity;
use crate::impersonation::{self, Impersonation};
use crate::kinds::admission::User;
use crate::kinds::rbac::AccessAttributes;
use crate::request::Place;
use crate::request::options::WriteOptions;
use crate::request::response::ApiError;
use crate::verbs::token_review;

/// The rights of a cluster's users.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Identity, Rights, administrator};
/// use ctl_kinds::rbac::AccessAttributes;
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let rights: Rights<'_> = cluster.rights();
/// let read = AccessAttributes::Path { verb: "get", path: "/metrics" };
/// assert!(rights.authorize(&administrator(), &read, "").is_ok());
///
/// let keys: &Identity = rights.keys();
/// let token = keys.token(&ctl_api::json::json!({"sub": "nobody"}))?;
/// assert!(rights.bearer(&token).is_none(), "the claims name no ServiceAccount");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rights<'c>(pub(super) &'c Cluster);

impl<'c> Rights<'c> {
    /// Returns the user of [`Cluster::act_as`], or the administrator.
    pub fn identity(&self) -> &'c User {
        entry::identity(&self.0.context)
    }

    /// Returns the keys that sign for the cluster.
    pub fn keys(&self) -> &'c Arc<Identity> {
        &self.0.context.identity
    }

    /// Returns the service account of a token, or `None` if it is not valid.
    pub fn bearer(&self, token: &str) -> Option<User> {
        token_review::bearer(&self.0.context, token)
    }

    /// Rejects a request that a user may not make, such as one for a non-resource path. Returns the reason why a request
    /// is allowed.
    ///
    /// # Errors
    /// Kubernetes' 403.
    pub fn authorize(
        &self,
        user: &User,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<String, ApiError> {
        access::authorize(&*self.0.context.store, user, access, namespace)
    }

    /// Rejects a request whose sender may not act as its user.
    ///
    /// # Errors
    /// Kubernetes' 403.
    pub fn impersonate(
        &self,
        impersonation: &Impersonation,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<(), ApiError> {
        impersonation::check(&*self.0.context.store, impersonation, access, namespace)
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
        Ok(self.0.create(place, object, &options)?.object)
    }
}
