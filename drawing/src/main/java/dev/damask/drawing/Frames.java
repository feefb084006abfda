package dev.damask.drawing;

import dev.damask.drawing.Shape.Anchor;
import java.util.List;

/// Draws frames around blocks, and blocks attached below a block by a dashed line.
final class Frames {
  private static final int PAD = 20;
  private static final int HEADER = 30;
  private static final int BADGE = 18;
  private static final int STEP = 34;
  private static final int DROP = 22;

  private Frames() {}

  /// Draws a frame with a name and badges in its upper edge.
  ///
  /// @param copies the number of further frames shown behind it
  static Block frame(String style, String name, List<String> badges, int copies, Block body) {
    Label title = Label.of(name, Label.Font.NAME);
    int header = title.isEmpty() && badges.isEmpty() ? 14 : HEADER;
    List<Label> labels = badges.stream().map(b -> Label.of(b, Label.Font.SMALL)).toList();
    int headerWidth = PAD + title.width() + labels.stream().mapToInt(b -> b.width() + 20).sum() + 8;
    int inner = Math.max(body.width + 2 * PAD, headerWidth);
    int tall = header + body.height + 16;
    int extra = 4 * copies;
    Block block = new Block(inner + extra, tall + extra, header + body.entry, header + body.exit);
    for (int i = copies; i >= 0; i--) {
      block.add(new Shape.Box(style, 4 * i, 4 * i, inner, tall, 10));
    }
    block.text("name", 12, 19, Anchor.START, title);
    int x = title.isEmpty() ? 12 : 12 + title.width() + 10;
    for (Label label : labels) {
      block.add(new Shape.Box("badge", x, 6, label.width() + 12, BADGE, 9));
      block.text("small", x + 6 + label.width() / 2, 19, Anchor.MIDDLE, label);
      x += label.width() + 20;
    }
    int left = (inner - body.width) / 2;
    block.railTo(body, 0, block.entry, left, block.entry);
    block.place(body, left, header);
    if (!body.ends) {
      block.rail(false, left + body.width, block.exit, inner + extra, block.exit);
    }
    return block.ends(body.ends).corner(inner, 0);
  }

  /// A block outside the normal flow of its host.
  ///
  /// @param returns whether the flow continues after the host
  record Attached(String words, String glyph, boolean returns, Block block) {}

  /// Attaches blocks below a block, each by a dashed line from a small event on its lower edge.
  /// Lower blocks have lines further left, so that lines do not cross labels.
  static Block attach(Block host, List<Attached> attached) {
    if (attached.isEmpty()) {
      return host;
    }
    int events = attached.size();
    int widest = Math.max(host.width, 20 + STEP * events);
    int height = host.height;
    for (int i = 0; i < events; i++) {
      widest =
          Math.max(widest, left(attached.get(i), events - 1 - i) + attached.get(i).block().width);
      height += DROP + Math.max(attached.get(i).block().height, 20);
    }
    boolean returns = attached.stream().anyMatch(a -> a.returns() && !a.block().ends);
    int meet = widest + 14;
    Block all = new Block(returns ? meet + 14 : widest, height, host.entry, host.exit);
    all.isSolid = host.isSolid;
    all.isTaken = host.isTaken;
    all.ends = host.ends && !returns;
    all.corner(host.corner.x(), host.corner.y());
    all.place(host, 0, 0);
    if (!host.ends) {
      all.rail(false, host.width, host.exit, all.width, host.exit);
    }
    int[] tops = new int[events];
    int y = host.height;
    for (int i = 0; i < events; i++) {
      tops[i] = y + DROP;
      y = tops[i] + Math.max(attached.get(i).block().height, 20);
    }
    for (int i = events - 1; i >= 0; i--) {
      hang(all, attached.get(i), events - 1 - i, host.height, tops[i], meet);
    }
    return all;
  }

  private static void hang(Block all, Attached one, int index, int edge, int top, int meet) {
    int x = 24 + STEP * index;
    int left = left(one, index);
    int level = top + one.block().entry;
    all.line("side", one.block().isSolid, x, edge, x, level, left, level);
    all.text("small", x + 12, level - 5, Anchor.START, words(one));
    all.place(one.block(), left, top);
    if (one.returns() && !one.block().ends) {
      int out = top + one.block().exit;
      all.rail(
          false, left + one.block().width, out, meet, out, meet, all.exit, all.width, all.exit);
    }
    all.over.add(new Shape.Circle("event", x, edge, 10));
    all.over.add(new Shape.Glyph("icon", x, edge, one.glyph()));
  }

  private static int left(Attached one, int index) {
    return 24 + STEP * index + 12 + words(one).width() + 14;
  }

  private static Label words(Attached one) {
    return Label.of(one.words(), Label.Font.SMALL);
  }
}
