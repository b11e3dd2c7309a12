//! Writing objects: create, update, status.

use std::time::Duration;

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::commit::step::{Decided, Decision, Step};
use crate::commit::transaction::run;
use crate::context::Context;
use crate::entry::{self, Admitted};
use crate::kinds::convert::stored_as;
use crate::kinds::schema::decode;
use crate::kinds::shape::Decoded;
use crate::kinds::strategy::WriteContext;
use crate::kinds::warnings::of_finalizers;
use crate::kinds::{Kind, admission, shape, strategy, validate};
use crate::objects;
use crate::objects::seconds;
use crate::request::options::{Author, FieldValidation, WriteOptions};
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::request::{Place, part};
use crate::rules::admission as rules;
use crate::rules::admission::Update;
use crate::rules::managed;
use crate::rules::managed::FieldWriter;
use crate::rules::policies;
use crate::store::{Expect, Key, Revision, View};
use crate::sys::clock::Stopwatch;
use crate::sys::entropy::Seed;
use crate::verbs::current::current;
use crate::verbs::owners;
use crate::verbs::same_template::{self, Names, Template};

/// The number of times that a generated name is drawn again because it is taken.
const NAME_ATTEMPTS: usize = 8;

/// The longest prefix of a generated name.
const MAX_GENERATE_NAME: usize = 58;

/// The time that a Pod waits for the account that a controller creates in each new namespace, as in the real server.
const ACCOUNT_PATIENCE: Duration = Duration::from_secs(1);

/// Returns true if a Pod is rejected because the service account of its namespace is missing.
fn lacks_account(place: &Place, error: &ApiError) -> bool {
    let wanted = format!(
        "error looking up service account {}/default: ",
        place.namespace
    );
    let status = error.status();
    place.kind.is_pod() && status.is_some_and(|status| status.message.contains(&wanted))
}

/// Creates an object. A Pod waits briefly for the service account of a new namespace.
///
/// # Errors
/// The API's error if it is rejected.
pub(crate) fn create(
    context: &Context,
    at: Admitted<'_>,
    object: &Value,
) -> Result<Response, ApiError> {
    let stopwatch = Stopwatch::start();
    loop {
        // Read before the attempt, so that an account that is created in between ends the wait at once.
        let seen = context.store.revision()?;
        let answer = run(context, create_step(context, at, object)?);
        let left = ACCOUNT_PATIENCE.saturating_sub(stopwatch.elapsed());
        match answer {
            Err(e) if lacks_account(at.place(), &e) && !left.is_zero() => {
                context.store.wait(seen, left)?;
            }
            answer => return answer,
        }
    }
}

pub(crate) fn create_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    object: &'s Value,
) -> Result<Step<'s>, ApiError> {
    let (place, options) = (at.place(), at.options());
    options.check("CreateOptions")?;
    // Decoded before the transaction, because the lock must not be held while a large body is read.
    let (mut decoded, mut noted) =
        same_template::decoded(place.kind, object, options.field_validation, || {
            let decoded = decoded(place.kind, object, options)?;
            let noted = warnings(place.kind, &decoded, options);
            Ok((decoded, noted))
        })?;
    strategy::check_create(&decoded.object, &place.namespace)?;
    let mut unknown = unknown(&decoded, options);
    let repeated = owners::deduplicate(&mut decoded.object, owners::SENT);
    unknown.extend(repeated.clone());
    noted.extend(repeated);
    let mut once = DecodedBody::new(decoded.object, place.kind, object);
    let seed = context.seed();
    let labeled = strategy::labeled(object);
    let decide = move |view: &dyn View| {
        at.replies().warn(unknown.clone());
        let time = seconds(view);
        let origin = Origin {
            author: at.author(),
            seed,
            by: Some(by(options, "", &time)),
            labeled,
        };
        creation(view, place, once.take()?, &origin, noted.clone())
    };
    Ok(Step::new(at, "create", decide))
}

pub(crate) fn update_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    object: &'s Value,
    part: Part,
) -> Result<Step<'s>, ApiError> {
    let (place, name, options) = (at.place(), at.name(), at.options());
    options.check("UpdateOptions")?;
    let mut decoded = decoded(place.kind, object, options)?;
    if objects::meta(&decoded.object, "name").is_empty() {
        return Err(objects::nameless(name).into());
    }
    let (mut unknown, mut noted) = (
        unknown(&decoded, options),
        warnings(place.kind, &decoded, options),
    );
    let repeated = owners::deduplicate(&mut decoded.object, owners::SENT);
    unknown.extend(repeated.clone());
    noted.extend(repeated);
    let mut once = DecodedBody::new(decoded.object, place.kind, object);
    let target = Target::new(context, at, part)?;
    let labeled = strategy::labeled(object);
    // Kubernetes' `AllowCreateOnUpdate` applies to few kinds; all others return 404.
    let creates = part == Part::Whole && strategy::is_created_by_update(place.kind);
    // Judged before the commit, which alone shows whether the object exists; used only if it does not.
    let refused_create = match creates {
        true => entry::refused_create(context, &at)?,
        false => None,
    };
    let decide = move |view: &dyn View| {
        at.replies().warn(unknown.clone());
        let Some((revision, old)) = current(view, &target.key, &at)? else {
            let mut new = once.take()?;
            strategy::check_absent(place.kind, &new, name, &place.namespace)?;
            if !creates {
                return Err(objects::not_found(place.kind, name));
            }
            if let Some(status) = &refused_create {
                return Err(status.clone().into());
            }
            // A missing object has no version that could conflict.
            if let Some(metadata) = new["metadata"].as_object_mut() {
                metadata.remove("resourceVersion");
            }
            let time = seconds(view);
            let origin = Origin {
                author: at.author(),
                seed: target.seed,
                by: Some(by(options, part.name(), &time)),
                labeled,
            };
            return creation(view, place, new, &origin, noted.clone());
        };
        let new = once.take()?;
        target.check(&new, &old)?;
        strategy::check_conditional(place.kind, &new, name)?;
        // A decision may be repeated on another state, so nothing is moved out of the request.
        target.replaced(view, revision, &old, new, unknown.clone())
    };
    Ok(Step::new(at, part.updated(), decide))
}

/// Updates a part of an object by a function of its current state.
///
/// # Errors
/// The API's error if it is rejected, or the function's.
pub(crate) fn modify(
    context: &Context,
    at: Admitted<'_>,
    part: Part,
    change: impl FnMut(&Value) -> Result<Value, ApiError> + Send,
) -> Result<Response, ApiError> {
    run(context, modify_step(context, at, part, change)?)
}

pub(crate) fn modify_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    part: Part,
    mut change: impl FnMut(&Value) -> Result<Value, ApiError> + Send + 's,
) -> Result<Step<'s>, ApiError> {
    let (place, name, options) = (at.place(), at.name(), at.options());
    let target = Target::new(context, at, part)?;
    let decide = move |view: &dyn View| {
        // The current state is read under the lock, so the change can never conflict.
        let (revision, old) =
            current(view, &target.key, &at)?.ok_or_else(|| objects::not_found(place.kind, name))?;
        let decoded = strictly(
            place.kind,
            shape::read_own(place.kind, change(&old)?)?,
            options,
        )?;
        let unknown = unknown(&decoded, options);
        at.replies().warn(unknown.clone());
        target.check(&decoded.object, &old)?;
        let warnings = match part {
            // They are about the whole object, which the client of a scale has not sent.
            Part::Scale => Vec::new(),
            _ => unknown,
        };
        target.replaced(view, revision, &old, decoded.object, warnings)
    };
    Ok(Step::new(at, part.patched(), decide))
}

/// The part of an object that a request replaces, whether the client sends it or a function makes it of the current one.
struct Target<'s> {
    at: Admitted<'s>,
    key: Key,
    part: Part,
    seed: Seed,
}

impl<'s> Target<'s> {
    fn new(context: &Context, at: Admitted<'s>, part: Part) -> Result<Target<'s>, ApiError> {
        Ok(Target {
            key: objects::key(at.place(), at.name())?,
            at,
            part,
            seed: context.seed(),
        })
    }

    /// Rejects an object that is another one than the request names.
    fn check(&self, new: &Value, old: &Value) -> Result<(), Status> {
        let place = self.at.place();
        strategy::check_update(place.kind, new, old, self.at.name(), &place.namespace)
    }

    /// Decides to store the new state, or to remove an object that no finalizer keeps any more.
    fn replaced(
        &self,
        view: &dyn View,
        revision: Revision,
        old: &Value,
        new: Value,
        mut warnings: Vec<String>,
    ) -> Result<Decided, ApiError> {
        let (at, part) = (&self.at, self.part);
        let place = at.place();
        let time = seconds(view);
        let by = by(at.options(), part.name(), &time);
        let new = changed(view, place, old, new, part, at.author(), Some(by))?;
        warnings.extend(update_warnings(place.kind, part, &new, old));
        warnings.extend(of_finalizers(place.kind, &new, Some(old)));
        let update = Update { new: &new, old };
        let (author, seed) = (at.author(), self.seed);
        let also = rules::updated(view, place, part, update, author, seed, &mut warnings)?;
        let ends = strategy::deletion::ends(place.kind, &new, old);
        Ok(Decided {
            warnings,
            also,
            ..kept_or_gone(&self.key, revision, new, ends).into()
        })
    }
}

pub(crate) fn by<'a>(
    options: &'a WriteOptions,
    subresource: &'a str,
    time: &'a str,
) -> FieldWriter<'a> {
    FieldWriter {
        manager: options.manager(),
        subresource,
        time,
    }
}

/// Decides to create an object, unless its name is taken.
fn creation(
    view: &dyn View,
    place: &Place,
    mut object: Value,
    origin: &Origin<'_>,
    mut warnings: Vec<String>,
) -> Result<Decided, ApiError> {
    // Before the writer becomes their owner: the fields would stay in its entry forever.
    strategy::unmark(&mut object);
    let object = new_object(view, place, object, origin)?;
    warnings.extend(of_finalizers(place.kind, &object, None));
    // As in kube-apiserver, only the storage finds a name taken: after validation and all of admission.
    let (author, seed) = (origin.author, origin.seed);
    let also = rules::created(view, place, &object, author, seed, &mut warnings)
        .map_err(|e| e.warned(&warnings))?;
    let key = objects::key(place, objects::meta(&object, "name"))?;
    if let Some(stored) = view.get(&key)? {
        let taken = ApiError::from(taken(&key, &objects::shown(&stored)?));
        return Err(taken.warned(&warnings));
    }
    Ok(Decided {
        also,
        warnings,
        ..Decision::Put(key, Expect::Absent, object).into()
    })
}

/// The origin of a new object.
pub(crate) struct Origin<'a> {
    pub(crate) author: Author<'a>,
    pub(crate) seed: Seed,
    /// The manager that becomes the owner of its fields; `None` if the object contains its owners.
    pub(crate) by: Option<FieldWriter<'a>>,
    /// As [`strategy::WriteContext`] has it.
    pub(crate) labeled: bool,
}

/// Returns a new object for storage: named, admitted, defaulted, validated.
///
/// The writer owns the fields that it set, unless they have owners already (no `by`); fields that admission and the
/// server add have no owner.
pub(crate) fn new_object(
    view: &dyn View,
    place: &Place,
    mut object: Value,
    origin: &Origin<'_>,
) -> Result<Value, ApiError> {
    let seed = origin.seed;
    let kind = place.kind;
    crate::rules::definitions::check_served(view, kind)?;
    // Errors about an object that has no name yet show the prefix of the name, as kube-apiserver's do.
    let called = match objects::meta(&object, "name") {
        "" => objects::meta(&object, "generateName"),
        name => name,
    }
    .to_owned();
    rules::check_namespace(view, place, &called)?;
    let now = seconds(view);
    let template = Template::read(view, place, &object, origin, &now)?;
    let revision = (view.draws_from() + 1).to_string();
    give_name(view, place, &mut object, seed, &revision)?;
    let name = objects::meta(&object, "name").to_owned();
    let words = [
        &*kind.qualified_resource(),
        &place.namespace,
        &name,
        &revision,
    ];
    // Derived from the seed and the revision instead of drawn, so that the same commands give the same bytes.
    let uid = seed.uid(&[&["uid"], &words[..]].concat());
    // Only Pods have one. A draw takes 9,000 instructions, of 345,000 for a Pod.
    let token_volume = match kind.is_pod() {
        true => format!(
            "kube-api-access-{}",
            seed.suffix(&[&["token"], &words[..]].concat(), 5)
        ),
        false => String::new(),
    };
    let names = Names {
        name: &name,
        uid: &uid,
        volume: &token_volume,
    };
    if let Some(copy) = template.copy(&names) {
        return Ok(copy);
    }
    // Parts that admission does not change have canonical shape already and are not shaped again.
    let read = object.clone();
    if let Some(by) = origin.by {
        managed::note(kind, None, &mut object, by);
    }
    let writer = rules::Writer {
        author: origin.author,
        token_volume: &token_volume,
        called: &called,
    };
    // Kubernetes' order: mutating admission, then the strategy's preparation, then validation.
    rules::create(view, place, &mut object, &writer)?;
    strategy::prepare_create(
        kind,
        &mut object,
        &WriteContext {
            now: &now,
            uid: &uid,
            labeled: origin.labeled,
        },
    );
    let metadata = &mut object["metadata"];
    metadata["uid"] = json!(uid);
    metadata["creationTimestamp"] = json!(now);
    shape::canonical(kind, &mut object, (&read).into());
    // As in Kubernetes, addresses are allocated before the Service is validated. Its shape is settled again afterwards.
    let shaped = object.clone();
    let dry_run = origin.author.options.dry_run;
    crate::rules::addresses::give(view, kind, &mut object, None, dry_run)?;
    validate::refuse(kind, &object, validate::create(kind, &object))?;
    crate::rules::definitions::establish(view, kind, &mut object)?;
    shape::normalize_again(kind, &mut object, &shaped);
    template.keep(&names, &object);
    Ok(object)
}

/// Sets the namespace of an object to that of its place, and its name if it requests a generated one.
fn give_name(
    view: &dyn View,
    place: &Place,
    object: &mut Value,
    seed: Seed,
    revision: &str,
) -> Result<(), ApiError> {
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    if place.kind.namespaced {
        object["metadata"]["namespace"] = json!(place.namespace);
    }
    let prefix = objects::meta(object, "generateName").to_owned();
    if prefix.is_empty() || !objects::meta(object, "name").is_empty() {
        return Ok(());
    }
    // kube-apiserver cuts the prefix so that the suffix of five characters fits into 63.
    let base: String = prefix.chars().take(MAX_GENERATE_NAME).collect();
    let resource = place.kind.qualified_resource();
    for attempt in 0..NAME_ATTEMPTS {
        let words = [
            "name",
            &resource,
            &place.namespace,
            &base,
            revision,
            &attempt.to_string(),
        ];
        let name = format!("{base}{}", seed.suffix(&words, 5));
        let taken = objects::key(place, &name).and_then(|key| Ok(view.get(&key)?.is_some()));
        object["metadata"]["name"] = json!(name);
        // As kube-apiserver does with `RetryGenerateName`: a taken suffix is not an error of the
        // client.
        if !taken.unwrap_or(false) {
            return Ok(());
        }
    }
    Err(Status::already_exists(&resource, objects::meta(object, "name")).into())
}

/// Returns an updated object for storage, which has passed [`strategy::check_update`]. Ownership is recorded as for
/// [`new_object`].
pub(crate) fn changed(
    view: &dyn View,
    place: &Place,
    old: &Value,
    mut new: Value,
    part: Part,
    author: Author<'_>,
    by: Option<FieldWriter<'_>>,
) -> Result<Value, ApiError> {
    let kind = place.kind;
    // A body may leave out the name and namespace of its path: both are the stored object's.
    if kind.namespaced {
        new["metadata"]["namespace"] = json!(place.namespace);
    }
    new["metadata"]["name"] = json!(objects::meta(old, "name"));
    // Only what these subresources keep gets owners; the fields of the others are the same lists.
    if matches!(part, Part::EphemeralContainers | Part::Resize) {
        part::prepare(kind, part, &mut new, old, &seconds(view));
    }
    if let Some(by) = by {
        managed::note(kind, Some(old), &mut new, by);
    }
    // Admission first: the generation only counts differences that remain after admission.
    let mut admit = |new: &mut Value| {
        admission::admit_update(kind, new);
        match part {
            Part::Resize => rules::resize(view, place, new, old),
            _ => Ok(()),
        }
    };
    admit(&mut new)?;
    let request = policies::Request {
        place,
        author,
        part,
        old: Some(old),
        named: false,
        posted: None,
    };
    policies::mutate(view, request, &mut new, &mut admit)?;
    part::prepare(kind, part, &mut new, old, &seconds(view));
    shape::normalize_since(kind, &mut new, old.into());
    // A status cannot change addresses, and the allocator reads every Service.
    if part == Part::Whole {
        let dry_run = author.options.dry_run;
        crate::rules::addresses::give(view, kind, &mut new, Some(old), dry_run)?;
    }
    let causes = part::check(kind, part, &new, old);
    validate::refuse(kind, &new, causes)?;
    crate::rules::definitions::establish(view, kind, &mut new)?;
    // An update that changes nothing must not differ in the times of its owners; otherwise it would be written.
    managed::keep_times(&mut new, old);
    Ok(new)
}

/// Stores the new object, or removes it if the update `ends` a deletion that waited for its last finalizer.
pub(crate) fn kept_or_gone(key: &Key, revision: Revision, new: Value, ends: bool) -> Decision {
    if ends {
        return Decision::Remove(key.clone(), Expect::At(revision), new);
    }
    Decision::Put(key.clone(), Expect::At(revision), new)
}

/// Returns the server's error for a name that is in use.
fn taken(key: &Key, object: &Value) -> Status {
    let mut status = Status::already_exists(key.resource(), key.name());
    if object["metadata"]["deletionTimestamp"].is_string() {
        status.message = format!("object is being deleted: {}", status.message);
    }
    status
}

fn decoded(
    kind: &'static Kind,
    object: &Value,
    options: &WriteOptions,
) -> Result<Decoded, ApiError> {
    // The object that the writer has read is stored, and most of the new one derives from it.
    let seen = options.seen.as_ref().map(|(_, object)| object);
    let known = seen.filter(|_| std::ptr::eq(stored_as(kind), kind)).into();
    strictly(kind, shape::read_since(kind, object, known)?, options)
}

/// Rejects unknown fields if the validation is strict.
pub(crate) fn strictly(
    kind: &Kind,
    decoded: Decoded,
    options: &WriteOptions,
) -> Result<Decoded, ApiError> {
    if options.field_validation == FieldValidation::Strict {
        decode::strict(kind, &decoded.unknown)?;
    }
    Ok(decoded)
}

/// The decoded object of a request: decoded when the request arrives, and again only if the
/// decision is repeated.
struct DecodedBody<'s> {
    read: Option<Value>,
    kind: &'static Kind,
    sent: &'s Value,
}

impl<'s> DecodedBody<'s> {
    fn new(read: Value, kind: &'static Kind, sent: &'s Value) -> Self {
        let read = Some(read);
        Self { read, kind, sent }
    }

    fn take(&mut self) -> Result<Value, Status> {
        match self.read.take() {
            Some(read) => Ok(read),
            None => {
                let mut again = shape::read(self.kind, self.sent)?.object;
                owners::deduplicate(&mut again, owners::SENT);
                Ok(again)
            }
        }
    }
}

pub(crate) fn warnings(kind: &Kind, decoded: &Decoded, options: &WriteOptions) -> Vec<String> {
    match options.field_validation {
        FieldValidation::Ignore => crate::kinds::warnings::of(kind, &decoded.object),
        _ => decoded.warnings(kind),
    }
}

/// Returns the warnings for an update of a part of an object.
pub(crate) fn update_warnings(kind: &Kind, part: Part, new: &Value, old: &Value) -> Vec<String> {
    match part {
        Part::Whole => crate::kinds::warnings::of_update(kind, new, old),
        // The client of a scale has not sent the object.
        Part::Scale => Vec::new(),
        _ => crate::kinds::warnings::of_request(kind),
    }
}

/// Returns the warnings for unknown fields, which go with a refusal too.
pub(crate) fn unknown(decoded: &Decoded, options: &WriteOptions) -> Vec<String> {
    match options.field_validation {
        FieldValidation::Ignore => Vec::new(),
        _ => decoded.unknown_fields(),
    }
}
