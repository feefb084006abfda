/// Structured concurrency on virtual threads. Usable without the rest of Damask.
@org.jspecify.annotations.NullMarked
module dev.damask.nursery {
  requires static transitive org.jspecify;
  requires jdk.jfr;

  exports dev.damask.nursery;
}
