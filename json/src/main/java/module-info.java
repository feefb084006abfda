/// A JSON reader that produces trees with positions, and a JSON writer with three forms.
@org.jspecify.annotations.NullMarked
module dev.damask.json {
  requires static transitive org.jspecify;
  requires tools.jackson.core;

  exports dev.damask.json;
}
