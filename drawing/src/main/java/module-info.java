/// Diagrams of workflows as SVG, for documentation and for inspecting running cases.
@org.jspecify.annotations.NullMarked
module dev.damask.drawing {
  requires static transitive org.jspecify;
  requires transitive dev.damask.kernel;

  exports dev.damask.drawing;
}
