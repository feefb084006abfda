/// Verification: what a workflow can do, found out before it runs.
@org.jspecify.annotations.NullMarked
module dev.damask.verify {
  requires static transitive org.jspecify;
  requires transitive dev.damask.kernel;
  requires java.xml;

  exports dev.damask.verify;
  exports dev.damask.verify.pnml;
}
