/// The nursery: structured concurrency on virtual threads, useful by itself.
@org.jspecify.annotations.NullMarked
module dev.damask.nursery {
  requires static transitive org.jspecify;
  requires jdk.jfr;

  exports dev.damask.nursery;
}
