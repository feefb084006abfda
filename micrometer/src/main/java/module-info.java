/// The figures of an engine as Micrometer meters.
@org.jspecify.annotations.NullMarked
module dev.damask.micrometer {
  requires static transitive org.jspecify;
  requires transitive dev.damask.engine;
  requires transitive micrometer.core;

  exports dev.damask.micrometer;
}
