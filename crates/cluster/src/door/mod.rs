//! The door of the API: every request is named here and admitted or refused, before anything is read
//! or written for it.
//!
//! The functions that read and write take an [`Admitted`], and only this module makes one: an entry
//! point that forgets to ask does not compile. Must not know: how a request is carried out.

pub(crate) mod faults;

use std::sync::LazyLock;

use crate::api::status::Status;
use crate::cluster::Cluster;
use crate::kinds::admission::User;
use crate::kinds::rbac::Ask;
use crate::request::{ApiError, Place, administrator};
use crate::store::StoreError;
use crate::verbs::batch::Request;

/// The identity of a request that names nobody.
static ADMINISTRATOR: LazyLock<User> = LazyLock::new(administrator);

/// The attributes of a request that authorization decides on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// `get`, `list`, `create`, ...
    pub(crate) verb: &'static str,
    /// The kind and the namespace.
    pub(crate) place: &'a Place,
    /// The object; empty for a collection and for a new object.
    pub(crate) name: &'a str,
    /// The subresource; empty for the object itself.
    pub(crate) part: &'a str,
}

impl<'a> Access<'a> {
    /// A request for a collection, or for a new object.
    pub(crate) fn to(verb: &'static str, place: &'a Place) -> Self {
        Self {
            verb,
            place,
            name: "",
            part: "",
        }
    }

    /// Names the object of the request.
    pub(crate) fn object(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// Names the subresource of the request.
    pub(crate) fn part(self, part: &'a str) -> Self {
        Self { part, ..self }
    }

    /// `pods/log`.
    fn resource(&self) -> String {
        match self.part {
            "" => self.place.kind.plural.to_owned(),
            part => format!("{}/{part}", self.place.kind.plural),
        }
    }

    /// The request of a user in the terms of roles; `resource` is [`Access::resource`].
    fn ask<'r>(&'r self, resource: &'r str) -> Ask<'r> {
        Ask::Resource {
            verb: self.verb,
            group: self.place.kind.group,
            resource,
            name: self.name,
        }
    }
}

/// A request that its user is allowed to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admitted<'a> {
    access: Access<'a>,
    user: &'a User,
}

impl<'a> Admitted<'a> {
    /// The kind and the namespace that the request is for.
    pub(crate) fn place(&self) -> &'a Place {
        self.access.place
    }

    /// The object that the request is for; empty for a collection and for a new object.
    pub(crate) fn name(&self) -> &'a str {
        self.access.name
    }

    /// The author of the request.
    pub(crate) fn user(&self) -> &'a User {
        self.user
    }

    /// The deletion of one object of the collection whose deletion was admitted. Who may delete a
    /// collection needs no right to each of its objects.
    pub(crate) fn member<'m>(&self, place: &'m Place, name: &'m str) -> Admitted<'m>
    where
        'a: 'm,
    {
        debug_assert_eq!(self.access.verb, "deletecollection");
        Admitted {
            access: Access::to(self.access.verb, place).object(name),
            user: self.user,
        }
    }
}

impl Cluster {
    /// Lets every request from now on be one of this user, who may do what the roles allow.
    pub fn act_as(&mut self, user: User) {
        self.acting = Some(user);
    }

    /// The user of [`Cluster::act_as`], or the administrator.
    pub fn identity(&self) -> &User {
        self.acting.as_ref().unwrap_or(&ADMINISTRATOR)
    }

    /// Admits a request to read, or makes it go wrong by a rule for faults.
    pub(crate) fn admit_read<'a>(&'a self, access: Access<'a>) -> Result<Admitted<'a>, ApiError> {
        self.admit_write(access, &ADMINISTRATOR)
    }

    /// Admits a request to write in the name of its author, or makes it go wrong by a rule for
    /// faults. A cluster that acts as a user makes every request in that user's name.
    pub(crate) fn admit_write<'a>(
        &'a self,
        access: Access<'a>,
        author: &'a User,
    ) -> Result<Admitted<'a>, ApiError> {
        let admitted = self.permit(access, author)?;
        self.meet_fault(&access)?;
        Ok(admitted)
    }

    /// Admits each request of a batch by itself.
    pub(crate) fn admit_batch<'a>(
        &'a self,
        epoch: Option<u64>,
        requests: &'a [Request],
    ) -> Result<Vec<Result<Admitted<'a>, Status>>, StoreError> {
        let mut troubles = self.meet_faults(epoch, requests)?.into_iter();
        let admitted = requests.iter().map(|request| {
            let trouble = troubles.next().flatten();
            let admitted = self.permit(request.access(), &request.options.user);
            let admitted = admitted.map_err(ApiError::into_status)?;
            trouble.map_or(Ok(admitted), Err)
        });
        Ok(admitted.collect())
    }

    /// Admits a request by the roles alone, such as the next look of a watch that goes on.
    pub(crate) fn permit<'a>(
        &'a self,
        access: Access<'a>,
        author: &'a User,
    ) -> Result<Admitted<'a>, ApiError> {
        let user = self.acting.as_ref().unwrap_or(author);
        let admitted = Admitted { access, user };
        // Controllers and most commands are the administrator: no role is read for them.
        if !crate::access::is_master(user) {
            self.authorize(
                user,
                &access.ask(&access.resource()),
                &access.place.namespace,
            )?;
        }
        Ok(admitted)
    }

    /// Why the author of an admitted apply may not create the object that it is for, if so: an apply
    /// that creates needs both rights.
    pub(crate) fn refused_create(&self, at: &Admitted<'_>) -> Result<Option<Status>, ApiError> {
        let access = Access {
            verb: "create",
            ..at.access
        };
        let place = access.place;
        let verdict = self.may(at.user, &access.ask(&access.resource()), &place.namespace)?;
        let refused = || {
            let resource = place.kind.qualified_resource();
            Status::forbidden(&resource, access.name, &verdict.reason)
        };
        Ok((!verdict.allowed).then(refused))
    }

    /// Refuses a user who reaches for objects as they are stored: roles say nothing about them.
    pub(crate) fn only_administrator(&self) -> Result<(), StoreError> {
        match &self.acting {
            Some(user) if !crate::access::is_master(user) => Err(StoreError::Refused(format!(
                "stored objects are reached by the administrator alone, not by user {:?}",
                user.name
            ))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
