/// Verification of workflows: a search over all possible behaviours before they run.
@org.jspecify.annotations.NullMarked
module dev.damask.verify {
  requires static transitive org.jspecify;
  requires transitive dev.damask.kernel;
  requires java.xml;

  exports dev.damask.verify;
  exports dev.damask.verify.pnml;
}
