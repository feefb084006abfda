/// A REST service whose orders are durable workflows.
@org.jspecify.annotations.NullMarked
package dev.damask.examples.orders;
