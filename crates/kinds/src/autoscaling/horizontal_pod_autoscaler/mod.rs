//! HorizontalPodAutoscaler: its row in discovery and its hooks.

mod cells;
mod convert;
mod defaults;
mod validate;

use crate::kind::{Column, Kind, Subresource};

/// HorizontalPodAutoscaler at `autoscaling/v2`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("autoscaling", "v2", "HorizontalPodAutoscaler"),
    ("horizontalpodautoscalers", "horizontalpodautoscaler"),
)
.short_names(&["hpa"])
.categories(&["all"])
.subresources(&[Subresource::status(
    "autoscaling",
    "v2",
    "HorizontalPodAutoscaler",
)])
.table(
    &[
        Column::NAME,
        Column::text("Reference"),
        Column::text("Targets"),
        Column::text("MinPods"),
        Column::text("MaxPods"),
        Column::text("Replicas"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.status_rules(validate::status)
// The newer version can express every autoscaler without annotations.
.stored_as("autoscaling", "v2")
.convert(convert::convert);

/// HorizontalPodAutoscaler at `autoscaling/v1`.
pub(crate) const V1: Kind = KIND.also_at("v1").subresources(&[Subresource::status(
    "autoscaling",
    "v1",
    "HorizontalPodAutoscaler",
)]);
