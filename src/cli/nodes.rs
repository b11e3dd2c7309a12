//! Implements the nodes behind API requests: logs, commands and ports of fake containers.

use ctl_shell::Terminal;

use crate::api::json::Value;
use crate::cluster::{ApiError, Cluster, LogOptions, LogTarget, Place};
use crate::kubelet::exec::{self, Session};
use crate::kubelet::follow::Follower;
use crate::kubelet::logs;
use crate::serve::{Follow, Nodes};

/// The fake nodes.
pub(crate) static NODES: Fake = Fake;

/// The endpoints of the fake kubelet, to which `ctl serve` forwards requests.
#[derive(Debug)]
pub(crate) struct Fake;

impl Nodes for Fake {
    fn log(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        options: &LogOptions,
    ) -> Result<String, ApiError> {
        let (mode, now) = (cluster.settings().pods, cluster.now()?);
        let (pod, container) = (&target.pod, &target.container);
        Ok(logs::read(pod, container, mode, options, now)?)
    }

    fn follow<'c>(
        &self,
        cluster: &'c Cluster,
        place: Place,
        pod: &str,
        options: LogOptions,
    ) -> Box<dyn Follow + 'c> {
        Box::new(Log {
            cluster,
            place,
            pod: pod.to_owned(),
            follower: Follower::new(options),
        })
    }

    fn exec(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        command: &[String],
        terminal: &mut dyn Terminal,
    ) -> Result<i32, ApiError> {
        let mut session = Session::enter(cluster, target.clone())?;
        Ok(session.run(command, terminal)?)
    }

    fn attach(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        terminal: &mut dyn Terminal,
    ) -> Result<(), ApiError> {
        let mut session = Session::enter(cluster, target.clone())?;
        Ok(session.attach(terminal)?)
    }

    fn forward(&self, pod: &Value, port: u16) -> Result<String, String> {
        exec::forwarded(pod, port)
    }
}

/// The log of a container that a client is following.
#[derive(Debug)]
struct Log<'c> {
    cluster: &'c Cluster,
    place: Place,
    pod: String,
    follower: Follower,
}

impl Follow for Log<'_> {
    fn next(&mut self) -> Result<String, ApiError> {
        self.follower.next(self.cluster, &self.place, &self.pod)
    }

    fn is_over(&self) -> bool {
        self.follower.is_over()
    }
}
