//! The keys that sign for a cluster: the key of service account tokens and the certificate authority.
//!
//! Both are made when they are first needed, because an RSA key takes longer than most commands, and both stay
//! secrets of the store: no object, copy or export contains them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::api::json::{Value, json};
use crate::kinds::tree::text;
use crate::pki::{Authority, CertificateRequest, SigningKey, Validity, generate};
use crate::store::{ClockMode, Store, StoreError};
use crate::sys::entropy;

/// The secret with the key for tokens, named like the file of a real control plane.
const TOKEN_KEY: &str = "sa.key";

/// The issuer of the tokens of a cluster that names no other.
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The secret with the certificate and the key of the authority.
const AUTHORITY: &str = "ca.pem";

/// The keys of a cluster.
pub struct Identity {
    store: Arc<dyn Store>,
    issuer: OnceLock<String>,
    tokens: OnceLock<TokenKey>,
    authority: OnceLock<Arc<Authority>>,
}

/// The key that signs tokens.
struct TokenKey {
    key: SigningKey,
    id: String,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never a key.
        f.write_str("Identity")
    }
}

impl Identity {
    /// Returns the identity of the cluster in a store.
    pub fn from_store(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            issuer: OnceLock::new(),
            tokens: OnceLock::new(),
            authority: OnceLock::new(),
        }
    }

    /// Returns the issuer of the cluster's tokens, which is also the audience of its server.
    pub fn issuer(&self) -> &str {
        self.issuer.get().map_or(ISSUER, String::as_str)
    }

    /// Gives another issuer to the tokens of a cluster that has not issued any.
    pub fn set_issuer(&self, issuer: &str) {
        self.issuer.get_or_init(|| issuer.to_owned());
    }

    /// Gives a cluster that has no key for tokens this one, in PEM.
    ///
    /// # Errors
    /// The text is not an RSA key, or the store cannot keep it.
    pub fn set_token_key(&self, pem: &str) -> Result<(), StoreError> {
        SigningKey::from_pem(pem).map_err(|e| StoreError::Refused(e.to_string()))?;
        self.store.secret(TOKEN_KEY, &mut || Ok(pem.to_owned()))?;
        Ok(())
    }

    /// Returns the certificate authority, and creates it if the cluster has none.
    ///
    /// # Errors
    /// The store cannot be read, or contains something else in its place.
    pub fn authority(&self) -> Result<Arc<Authority>, StoreError> {
        if let Some(known) = self.authority.get() {
            return Ok(Arc::clone(known));
        }
        let mut make = || match Authority::generate() {
            Ok(made) => Ok(made.to_text()),
            Err(e) => Err(cannot_make("the certificate authority", &e)),
        };
        let kept = self.store.secret(AUTHORITY, &mut make)?;
        let read = Authority::from_text(&kept).map_err(|e| self.odd(AUTHORITY, &e))?;
        Ok(Arc::clone(self.authority.get_or_init(|| Arc::new(read))))
    }

    /// Returns the certificate of the authority as PEM.
    ///
    /// # Errors
    /// Those of [`Identity::authority`].
    pub fn root_certificate(&self) -> Result<String, StoreError> {
        Ok(self.authority()?.certificate().to_owned())
    }

    /// Creates the certificate of a request, and returns it as PEM. On a virtual clock it does not expire, because
    /// programs verify certificates by the machine's time.
    ///
    /// # Errors
    /// Those of [`Identity::authority`].
    pub fn certificate(
        &self,
        request: &CertificateRequest,
        usages: &[&str],
        valid: Validity,
    ) -> Result<String, StoreError> {
        let valid = match self.store.settings().clock {
            ClockMode::Virtual => Validity::UNLIMITED,
            ClockMode::System => valid,
        };
        let made = self.authority()?.sign(request, usages, valid);
        made.map_err(|e| cannot_make("the certificate", &e))
    }

    /// Signs the claims of a token (RS256).
    ///
    /// # Errors
    /// If the key cannot be read or made.
    pub fn token(&self, claims: &Value) -> Result<String, StoreError> {
        let TokenKey { key, id } = self.tokens()?;
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": "RS256", "kid": id});
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = key.sign(signed.as_bytes());
        let signature = signature.map_err(|e| StoreError::Refused(e.to_string()))?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Returns the claims of a token that this cluster has signed.
    pub(crate) fn claims(&self, token: &str) -> Result<Option<Value>, StoreError> {
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, signature] = parts[..] else {
            // Not a token, so no key has to be created to reject it.
            return Ok(None);
        };
        let Some(signature) = decoded(signature) else {
            return Ok(None);
        };
        let signed = &token[..header.len() + 1 + claims.len()];
        // Before anything in it is believed: a token cannot choose another algorithm.
        if !self.tokens()?.key.has_signed(signed.as_bytes(), &signature) {
            return Ok(None);
        }
        let read = |part: &str| -> Option<Value> { serde_json::from_slice(&decoded(part)?).ok() };
        let is_ours = read(header).is_some_and(|header| text(&header, "alg") == "RS256");
        Ok(read(claims).filter(|_| is_ours))
    }

    /// Returns the public key of tokens as a set of JSON Web Keys (RFC 7517), for programs that verify tokens.
    ///
    /// # Errors
    /// If the key cannot be read or made.
    pub fn public_keys(&self) -> Result<Value, StoreError> {
        let TokenKey { key, id } = self.tokens()?;
        let (n, e) = key.public();
        let (n, e) = (URL_SAFE_NO_PAD.encode(n), URL_SAFE_NO_PAD.encode(e));
        Ok(json!({"keys": [{
            "use": "sig", "kty": "RSA", "kid": id, "alg": "RS256", "n": n, "e": e,
        }]}))
    }

    fn tokens(&self) -> Result<&TokenKey, StoreError> {
        if let Some(known) = self.tokens.get() {
            return Ok(known);
        }
        // Not drawn from the seed, unlike uids: a seed is printed, exported and often chosen by users, and would allow
        // anyone who has it to sign tokens.
        let mut make =
            || generate(&mut entropy::fill).map_err(|e| cannot_make("the key of tokens", &e));
        let kept = self.store.secret(TOKEN_KEY, &mut make)?;
        let key = SigningKey::from_pem(&kept).map_err(|e| self.odd(TOKEN_KEY, &e))?;
        // A real control plane also names its key by the digest of the public key.
        let id = URL_SAFE_NO_PAD.encode(Sha256::digest(key.public_der()));
        Ok(self.tokens.get_or_init(|| TokenKey { key, id }))
    }

    /// Returns the error for a secret with invalid content.
    fn odd(&self, name: &str, error: &dyn fmt::Display) -> StoreError {
        let place = self.store.place();
        StoreError::Refused(format!(
            "{place}/.ctl/{name}: {error}; remove the file for a new one"
        ))
    }
}

fn cannot_make(what: &str, error: &dyn fmt::Display) -> StoreError {
    StoreError::Refused(format!("cannot make {what}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fresh;

    #[test]
    fn a_cluster_accepts_only_its_own_tokens() {
        let (cluster, other) = (fresh(), fresh());
        let own = cluster.rights().keys();
        let claims = json!({"sub": "system:serviceaccount:default:default"});
        let token = own.token(&claims).unwrap();
        assert_eq!(own.claims(&token).unwrap(), Some(claims.clone()));
        // A second process reads the key that the first has made.
        let again = Identity::from_store(Arc::clone(&cluster.context.store));
        assert_eq!(again.claims(&token).unwrap(), Some(claims.clone()));
        // Clusters with the same seed have different keys.
        assert_eq!(cluster.context.seed(), other.context.seed());
        assert_eq!(other.rights().keys().claims(&token).unwrap(), None);

        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, encoded) = signed.split_once('.').unwrap();
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let (none, root) = (part(r#"{"alg":"none"}"#), part(r#"{"sub":"root"}"#));
        for wrong in [
            format!("{header}.{root}.{signature}"),
            format!("{none}.{encoded}."),
            format!("{none}.{encoded}.{signature}"),
            format!("{signed}."),
            format!("{token}.x"),
            token[..token.len() - 2].to_owned(),
            "secret".to_owned(),
            String::new(),
        ] {
            assert_eq!(own.claims(&wrong).unwrap(), None, "{wrong}");
        }
    }

    #[test]
    fn the_published_key_is_the_one_that_tokens_name() {
        let cluster = fresh();
        let keys = cluster.rights().keys().public_keys().unwrap();
        let key = &keys["keys"][0];
        assert_eq!((&key["alg"], &key["e"]), (&json!("RS256"), &json!("AQAB")));
        let token = cluster.rights().keys().token(&json!({})).unwrap();
        let header = token.split('.').next().unwrap();
        let header = URL_SAFE_NO_PAD.decode(header).unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        assert_eq!(header, json!({"alg": "RS256", "kid": key["kid"]}));
    }

    #[test]
    fn a_fork_accepts_the_tokens_of_its_original() {
        let cluster = fresh();
        let token = cluster.rights().keys().token(&json!({"sub": "x"})).unwrap();
        let fork = cluster.fork(None).unwrap();
        assert!(fork.rights().keys().claims(&token).unwrap().is_some());
    }
}
