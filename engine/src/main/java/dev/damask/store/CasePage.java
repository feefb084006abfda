package dev.damask.store;

import java.util.List;

/// One page of a list of cases.
///
/// @param next the cursor for the page after this one; empty when this is the last
public record CasePage(List<CaseRecord> cases, String next) {
  public CasePage {
    cases = List.copyOf(cases);
  }
}
