/// The command line.
@org.jspecify.annotations.NullMarked
module dev.damask.cli {
  requires static transitive org.jspecify;
  requires dev.damask.drawing;
  requires dev.damask.effects.http;
  requires dev.damask.engine;
  requires dev.damask.json;
  requires dev.damask.orchestration;
  requires dev.damask.scenario;
  requires dev.damask.verify;
  requires dev.damask.server;
  requires info.picocli;
  requires java.logging;
  requires java.net.http;

  uses dev.damask.cluster.ClusterProvider;
  uses dev.damask.store.StoreProvider;

  opens dev.damask.cli to
      info.picocli;
  opens dev.damask.cli.cases to
      info.picocli;
  opens dev.damask.cli.check to
      info.picocli;
  opens dev.damask.cli.command to
      info.picocli;
  opens dev.damask.cli.run to
      info.picocli;
  opens dev.damask.cli.sessions to
      info.picocli;
}
