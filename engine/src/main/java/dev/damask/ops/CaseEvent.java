package dev.damask.ops;

import dev.damask.store.CaseStatus;

/// A case has a new durable revision.
public record CaseEvent(String caseId, String workflow, CaseStatus status, long revision) {}
