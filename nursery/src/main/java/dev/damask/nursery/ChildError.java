package dev.damask.nursery;

/// An error and the name of the child that failed with it.
public record ChildError(String child, Throwable error) {}
