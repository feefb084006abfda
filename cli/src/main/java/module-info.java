/// The command line.
@org.jspecify.annotations.NullMarked
module dev.damask.cli {
  requires static transitive org.jspecify;
  requires dev.damask.drawing;
  requires dev.damask.orchestration;
  requires dev.damask.testkit;
  requires info.picocli;
  requires tools.jackson.core;

  opens dev.damask.cli to
      info.picocli;
}
