package dev.damask.term;

import java.util.List;

/// A named body for `call`. Its places belong to one activation each.
public record Definition(String name, List<Place> places, Term body) {
  public Definition {
    Names.require("definition", name);
    places = List.copyOf(places);
  }
}
