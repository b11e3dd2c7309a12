//! Builds the Service for `ctl expose` and `ctl run --expose`.

use std::num::{IntErrorKind, ParseIntError};

use crate::api::json::{Value, json};
use crate::cli::commands::make;
use crate::cli::error::CliError;

/// A port with its protocols.
pub(in crate::cli::commands) type PortProtocols = (String, Vec<String>);

/// The parameters of the Service; an empty text means unset.
#[derive(Debug, Default)]
pub(in crate::cli::commands) struct NewService<'a> {
    pub(in crate::cli::commands) name: &'a str,
    pub(in crate::cli::commands) selector: &'a str,
    pub(in crate::cli::commands) labels: &'a str,
    /// Port numbers, separated by commas.
    pub(in crate::cli::commands) ports: &'a str,
    pub(in crate::cli::commands) protocol: &'a str,
    pub(in crate::cli::commands) protocols: Vec<PortProtocols>,
    pub(in crate::cli::commands) target_port: &'a str,
    pub(in crate::cli::commands) external_ip: &'a str,
    pub(in crate::cli::commands) load_balancer_ip: &'a str,
    pub(in crate::cli::commands) kind: &'a str,
    pub(in crate::cli::commands) session_affinity: &'a str,
    pub(in crate::cli::commands) cluster_ip: &'a str,
}

impl NewService<'_> {
    /// Builds the Service.
    pub(in crate::cli::commands) fn service(&self) -> Result<Value, CliError> {
        if self.name.is_empty() {
            return Err(CliError::text("name must be specified"));
        }
        let mut service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": self.name},
            "spec": {"selector": make::labels(self.selector)?},
            "status": {"loadBalancer": {}},
        });
        if !self.labels.is_empty() {
            service["metadata"]["labels"] = make::labels(self.labels)?;
        }
        let ports = self.port_list()?;
        if !ports.is_empty() {
            service["spec"]["ports"] = json!(ports);
        }
        let mut set = |field: &str, value: Value| service["spec"][field] = value;
        if !self.external_ip.is_empty() {
            set("externalIPs", json!([self.external_ip]));
        }
        if !self.kind.is_empty() {
            set("type", json!(self.kind));
        }
        // kubectl ignores the address for other types.
        if self.kind == "LoadBalancer" && !self.load_balancer_ip.is_empty() {
            set("loadBalancerIP", json!(self.load_balancer_ip));
        }
        match self.session_affinity {
            "" => {}
            "None" | "ClientIP" => set("sessionAffinity", json!(self.session_affinity)),
            other => {
                return Err(CliError::text(format!("unknown session affinity: {other}")));
            }
        }
        if !self.cluster_ip.is_empty() {
            set("clusterIP", json!(self.cluster_ip));
        }
        Ok(service)
    }

    fn port_list(&self) -> Result<Vec<Value>, CliError> {
        let mut ports = Vec::new();
        if self.ports.is_empty() {
            return Ok(ports);
        }
        let texts: Vec<&str> = self.ports.split(',').collect();
        for (index, text) in texts.iter().enumerate() {
            let number = number(text)?;
            let spoken = self.protocols.iter().find(|(port, _)| port == text);
            let mut spoken = spoken.map_or(&[][..], |(_, protocols)| protocols);
            if !self.protocol.is_empty() {
                // --protocol applies to all ports, regardless of what the containers declare.
                spoken = &[];
            }
            let mut push = |name: String, protocol: &str| {
                let mut port = json!({
                    "port": number, "protocol": protocol, "targetPort": self.target(number),
                });
                if !name.is_empty() {
                    port["name"] = json!(name);
                }
                ports.push(port);
            };
            let place = index + 1;
            let own = match texts.len() {
                // The API allows a port without a name only if it is the only one.
                1 => String::new(),
                _ => format!("port-{place}"),
            };
            match spoken {
                [] if self.protocol.is_empty() => push(own, "TCP"),
                [] => push(own, self.protocol),
                [one] => push(own, one),
                many => many
                    .iter()
                    .for_each(|p| push(format!("port-{place}-{}", p.to_lowercase()), p)),
            }
        }
        Ok(ports)
    }

    fn target(&self, port: i64) -> Value {
        match self.target_port {
            "" => json!(port),
            // The field is an IntOrString: digits are a number, and anything else is the name of a container port.
            text => text.parse::<i32>().map_or(json!(text), |n| json!(n)),
        }
    }
}

/// Parses a port number as Go's `strconv.Atoi` does. The server checks its range.
pub(in crate::cli::commands) fn number(text: &str) -> Result<i64, CliError> {
    text.parse().map_err(|e: ParseIntError| {
        let why = match e.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        CliError::text(format!("strconv.Atoi: parsing {text:?}: {why}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(wanted: &NewService<'_>) -> Value {
        wanted.service().unwrap()["spec"]["ports"].clone()
    }

    fn wanted<'a>(ports: &'a str) -> NewService<'a> {
        NewService {
            name: "web",
            selector: "app=web",
            ports,
            ..NewService::default()
        }
    }

    #[test]
    fn several_ports_have_names() {
        let one = json!([{"port": 80, "protocol": "TCP", "targetPort": 80}]);
        assert_eq!(ports(&wanted("80")), one);
        let named = json!([
            {"name": "port-1", "port": 80, "protocol": "TCP", "targetPort": "http"},
            {"name": "port-2", "port": 443, "protocol": "TCP", "targetPort": "http"},
        ]);
        let two = NewService {
            target_port: "http",
            ..wanted("80,443")
        };
        assert_eq!(ports(&two), named);
        assert_eq!(ports(&wanted("")), Value::Null);
    }

    #[test]
    fn protocols_default_to_those_of_the_exposed_object() {
        let spoken = vec![("53".to_owned(), vec!["TCP".to_owned(), "UDP".to_owned()])];
        let both = NewService {
            protocols: spoken.clone(),
            ..wanted("53")
        };
        let split = json!([
            {"name": "port-1-tcp", "port": 53, "protocol": "TCP", "targetPort": 53},
            {"name": "port-1-udp", "port": 53, "protocol": "UDP", "targetPort": 53},
        ]);
        assert_eq!(ports(&both), split);
        let told = NewService {
            protocol: "SCTP",
            protocols: spoken,
            ..wanted("53")
        };
        assert_eq!(ports(&told)[0]["protocol"], "SCTP");
    }

    #[test]
    fn invalid_port_and_session_affinity_are_rejected() {
        let error = |wanted: NewService<'_>| wanted.service().unwrap_err().to_string();
        assert_eq!(
            error(wanted("x")),
            r#"strconv.Atoi: parsing "x": invalid syntax"#
        );
        let affine = NewService {
            session_affinity: "Sticky",
            ..wanted("80")
        };
        assert_eq!(error(affine), "unknown session affinity: Sticky");
    }
}
