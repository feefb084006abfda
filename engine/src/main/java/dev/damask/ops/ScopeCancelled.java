package dev.damask.ops;

/// A scope or a set of instances of a case was cancelled, and that is durable.
public record ScopeCancelled(String caseId, String scope) {}
